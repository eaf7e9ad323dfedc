"""Bytes from and to a PTY master: the reading order, reading a flood, and the queue of typed input."""
