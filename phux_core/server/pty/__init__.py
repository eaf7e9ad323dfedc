"""Read from and write to pty masters: the reading order, floods, and the queue of typed input."""
