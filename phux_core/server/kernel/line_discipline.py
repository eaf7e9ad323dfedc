"""The kernel's line editor: how long a typed line gets, and whether a program has read all that was typed.

Knows what the settings of a terminal (termios(3)) make of each byte. Counts bytes and keeps none: they may be a secret.
"""

from __future__ import annotations

import fcntl
import os
import re
import select
import sys
import termios
from functools import lru_cache

LINE_LIMIT = {"linux": 4095, "darwin": 1023}.get(sys.platform, 255)
"""How many bytes a line can have, the newline not counted. POSIX promises only 255."""

# What a byte does to the line, where it is not just one more.
_ENDS, _ERASES_ONE, _QUOTES_NEXT, _ADDS_NOTHING = range(4)
_DISABLED = b"\0"
_NEWLINE, _RETURN = b"\n", b"\r"
_TIOCGPTPEER = 0x5441  # ioctl_tty(2), since Linux 4.13: opens the slave of a master


def measure(fd: int, pending: int, data: bytes) -> tuple[int, int]:
    """Tell how long lines get when something is typed into a terminal.

    What lengths alone cannot tell, such as how much the last word was that is erased, counts as if it stayed.

    Args:
        fd: The terminal.
        pending: How many bytes stand in the unfinished line.
        data: What is typed.

    Returns:
        The length of the longest line on the way, and of the unfinished one at the end; nothing of both where the
        terminal does not edit lines.
    """
    try:
        iflag, _oflag, _cflag, lflag, _ispeed, _ospeed, characters = termios.tcgetattr(fd)
    except termios.error:
        return 0, 0
    if not lflag & termios.ICANON:
        return 0, 0
    pattern, effects = _rules(iflag, lflag, tuple(characters))
    longest = length = pending
    place = 0
    for match in pattern.finditer(data):
        length += match.start() - place
        longest = max(longest, length)
        place = match.end()
        effect = effects[data[match.start()]]
        if effect == _ENDS:
            length = 0
        elif effect == _ERASES_ONE:
            length = max(0, length - 1)
        elif effect == _QUOTES_NEXT:
            length += 1
    length += len(data) - place
    return max(longest, length), length


def is_echoed(master: int) -> bool:
    """Return True if a terminal shows what is typed by itself."""
    try:
        return bool(termios.tcgetattr(master)[3] & termios.ECHO)
    except (OSError, termios.error):
        return False


def has_unread_input(master: int) -> bool:
    """Return True if a program could read something that was typed into its terminal, and has not.

    A written byte is not there for the program at once: a kernel worker delivers it. Polling the slave waits for that
    worker, so that "nothing to read" means consumed, and not on its way. A line that was not entered cannot be read.
    Systems that cannot tell count as having nothing unread.
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


@lru_cache(maxsize=16)
def _rules(iflag: int, lflag: int, characters: tuple[bytes | int, ...]) -> tuple[re.Pattern[bytes], dict[int, int]]:
    """Give the bytes that are special to a terminal, as a pattern, and what each of them does."""
    effects: dict[bytes, int] = {}

    def add(effect: int, *names: str) -> None:
        for name in names:
            character = characters[getattr(termios, name)] if hasattr(termios, name) else _DISABLED
            if isinstance(character, bytes) and character != _DISABLED:
                effects[character] = effect

    # In this order, for a byte that has two meanings has the one that the kernel looks for first.
    extended = bool(lflag & termios.IEXTEN)
    if extended:
        add(_ENDS, "VEOL2")
    add(_ENDS, "VEOL", "VEOF")
    if not iflag & termios.INLCR:
        effects[_NEWLINE] = _ENDS
    if extended:
        add(_ADDS_NOTHING, "VREPRINT", "VWERASE")
        add(_QUOTES_NEXT, "VLNEXT")
    add(_ENDS, "VKILL")
    add(_ERASES_ONE, "VERASE")
    if iflag & termios.IGNCR:
        effects[_RETURN] = _ADDS_NOTHING
    elif iflag & termios.ICRNL:
        effects[_RETURN] = _ENDS
    if iflag & termios.IXON:
        add(_ADDS_NOTHING, "VSTART", "VSTOP")
    if lflag & termios.ISIG:
        add(_ADDS_NOTHING if lflag & termios.NOFLSH else _ENDS, "VINTR", "VQUIT", "VSUSP")
    quotes = [byte for byte, effect in effects.items() if effect == _QUOTES_NEXT]
    alternatives = [re.escape(byte) + b"." for byte in quotes] + [re.escape(byte) for byte in effects]
    pattern = re.compile(b"|".join(alternatives), re.DOTALL)
    return pattern, {byte[0]: effect for byte, effect in effects.items()}
