"""Client connections, and the handlers of calls."""
