"""The kernel's line editor: the length of a typed line, and whether the program has read all input.

Applies the terminal's settings (termios(3)) to each byte. Counts bytes but keeps none: they may be a secret.
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
"""Maximum length of a line in bytes, without the newline. POSIX guarantees only 255."""

# Effects of special bytes on the line.
_ENDS, _ERASES_ONE, _QUOTES_NEXT, _ADDS_NOTHING = range(4)
_DISABLED = b"\0"
_NEWLINE, _RETURN = b"\n", b"\r"
_TIOCGPTPEER = 0x5441  # ioctl_tty(2), since Linux 4.13: opens the slave of a master


def measure(fd: int, pending: int, data: bytes) -> tuple[int, int]:
    """Return how long lines get when input is typed into a terminal.

    Erased text whose length is unknown, such as the last word, counts as if it stayed.

    Args:
        fd: The terminal.
        pending: Length of the unfinished line in bytes.
        data: The input.

    Returns:
        The maximum length reached by a line, and the length of the unfinished line at the end; zero for both if the
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
    """Return whether the terminal echoes typed input."""
    try:
        return bool(termios.tcgetattr(master)[3] & termios.ECHO)
    except (OSError, termios.error):
        return False


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


@lru_cache(maxsize=16)
def _rules(iflag: int, lflag: int, characters: tuple[bytes | int, ...]) -> tuple[re.Pattern[bytes], dict[int, int]]:
    """Return a pattern of the bytes that are special to a terminal, and the effect of each."""
    effects: dict[bytes, int] = {}

    def add(effect: int, *names: str) -> None:
        for name in names:
            character = characters[getattr(termios, name)] if hasattr(termios, name) else _DISABLED
            if isinstance(character, bytes) and character != _DISABLED:
                effects[character] = effect

    # In the kernel's order: a byte with two meanings has the first one.
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
