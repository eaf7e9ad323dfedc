"""Small synchronization primitives: a waker, a promise, and the lock of a pane."""
