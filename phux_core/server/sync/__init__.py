"""Small synchronization primitives: a waker and a promise."""
