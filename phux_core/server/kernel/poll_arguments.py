"""Read what a process waits for: poll and select arguments from its memory, epoll descriptors from /proc."""

from __future__ import annotations

import os
import platform
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# Call numbers: poll and ppoll, which take entries, and select and pselect6, which take bit sets.
_POLLS, _SELECTS = {
    "x86_64": (frozenset({7, 271}), frozenset({23, 270})),
    "aarch64": (frozenset({73}), frozenset({72})),
}.get(platform.machine(), (frozenset(), frozenset()))
_EPOLLS = {"x86_64": frozenset({232, 281, 441}), "aarch64": frozenset({22, 441})}.get(platform.machine(), frozenset())
_ENTRY = struct.Struct("ihh")
_READABLE = 0x1 | 0x40  # POLLIN and POLLRDNORM
_MOST = 1024


def polls_only(pid: int, call: Sequence[bytes], is_it: Callable[[str], bool]) -> bool:
    """Return whether a process waits to read from one thing and nothing else.

    Args:
        pid: The process.
        call: The call in which it sleeps, with its arguments, as in /proc/PID/syscall.
        is_it: Whether a descriptor, given as a path in /proc, is that thing.
    """
    fds = _polled(pid, *(int(word, 0) for word in call[:3]))
    return bool(fds) and all(is_it(f"/proc/{pid}/fd/{fd}") for fd in fds)


def polls_others(pid: int, call: Sequence[bytes], is_it: Callable[[str], bool]) -> bool:
    """Return whether a process waits with poll or select, and certainly not for one thing.

    Args:
        pid: The process.
        call: The call in which it sleeps, with its arguments, as in /proc/PID/syscall.
        is_it: Whether a descriptor, given as a path in /proc, is that thing.
    """
    fds = _polled(pid, *(int(word, 0) for word in call[:3]))
    return bool(fds) and not any(is_it(f"/proc/{pid}/fd/{fd}") for fd in fds)


def epolls_others(pid: int, call: Sequence[bytes], is_it: Callable[[str], bool]) -> bool:
    """Return whether a process waits with epoll, and certainly not for one thing: a runtime's helper threads do.

    Args:
        pid: The process.
        call: The call in which it sleeps, with its arguments, as in /proc/PID/syscall.
        is_it: Whether a descriptor, given as a path in /proc, is that thing.
    """
    if int(call[0]) not in _EPOLLS:
        return False
    try:
        with open(f"/proc/{pid}/fdinfo/{int(call[1], 0) & 0xFFFFFFFF}", encoding="ascii") as file:
            lines = [line.split() for line in file if line.startswith("tfd:")]
        paths = [f"/proc/{pid}/fd/{words[1]}" for words in lines]
        return not any(is_it(path) or "eventpoll" in os.readlink(path) for path in paths)
    except OSError:
        return False


def _polled(pid: int, number: int, first: int, second: int) -> list[int]:
    """List the descriptors a process waits to read from; empty if unknown."""
    if number in _POLLS and second <= _MOST:
        entries = _ENTRY.iter_unpack(_memory(pid, first, second * _ENTRY.size))
        return [fd for fd, events, _happened in entries if fd >= 0 and events & _READABLE]
    if number in _SELECTS and second and first <= _MOST:
        bits = int.from_bytes(_memory(pid, second, (first + 7) // 8), "little")
        return [fd for fd in range(first) if bits >> fd & 1]
    return []


def _memory(pid: int, address: int, size: int) -> bytes:
    try:
        fd = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        data = os.pread(fd, size, address)
    except (OSError, OverflowError):  # it is gone, or the arguments are invalid
        data = b""
    finally:
        os.close(fd)
    return data if len(data) == size else b""
