"""The kernel's line editor: the length of a typed line, and whether the program has read all input.

Counts bytes but keeps none: they may be a secret.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import sys
import termios

LINE_LIMIT = {"linux": 4095, "darwin": 1023}.get(sys.platform, 255)
"""Maximum length of a line in bytes, without the newline. POSIX guarantees only 255."""

# Bytes that end or discard a line by default: C-c, C-d, newline, carriage return, C-u, C-z and C-\\.
_ENDS_LINE = re.compile(rb"[\x03\x04\n\r\x15\x1a\x1c]")
_TIOCGPTPEER = 0x5441  # ioctl_tty(2), since Linux 4.13: opens the slave of a master


def measure(fd: int, pending: int, data: bytes) -> tuple[int, int]:
    """Return how long lines get when input is typed into a terminal.

    Erased text counts as if it stayed, and the terminal's special characters are assumed to be the default ones.

    Args:
        pending: Length of the unfinished line before, in bytes.

    Returns:
        The maximum length reached by a line, and the length of the unfinished line at the end; zero for both if the
        terminal does not edit lines.
    """
    if not _local_modes(fd) & termios.ICANON:
        return 0, 0
    lengths = [len(line) for line in _ENDS_LINE.split(data)]
    lengths[0] += pending
    return max(lengths), lengths[-1]


def is_echoed(master: int, *, by_editor: bool = False) -> bool:
    """Return whether typed input is echoed: by the kernel, or by the program's own line editor if it has one.

    ksh and busybox leave the editing to the kernel while the echo is off (``stty -echo``).
    """
    modes = _local_modes(master)
    return bool(modes & termios.ECHO) or (by_editor and not modes & termios.ICANON)


def hides_lines(master: int) -> bool:
    """Return whether the kernel edits lines without showing them, as for a password."""
    return _local_modes(master) & (termios.ICANON | termios.ECHO) == termios.ICANON


def _local_modes(fd: int) -> int:
    """Return the local modes of a terminal, as flags; 0 if it is gone."""
    try:
        return int(termios.tcgetattr(fd)[3])
    except (OSError, termios.error):
        return 0


def has_unread_input(master: int) -> bool:
    """Return whether there is typed input that the program could read and has not.

    A kernel worker delivers written bytes to the program. Polling the slave waits for that worker, so that "nothing to
    read" means consumed, and not in transit. A line that was not entered cannot be read. On systems where this is
    unknown, return False.
    """
    try:
        slave = fcntl.ioctl(master, _TIOCGPTPEER, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        poll = select.poll()
        poll.register(slave, select.POLLIN)
        return any(events & select.POLLIN for _fd, events in poll.poll(0))
    finally:
        os.close(slave)
