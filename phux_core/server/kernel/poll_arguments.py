"""Read what a process waits for: poll and select arguments from its memory, epoll descriptors from /proc."""

from __future__ import annotations

import os
import platform
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_ENTRY = struct.Struct("ihh")
_READABLE = 0x1 | 0x40  # POLLIN and POLLRDNORM
_MOST = 1024

# Call numbers by architecture: read, readv and splice; poll and ppoll, which take entries; select and pselect6, which
# take bit sets; epoll_wait, epoll_pwait and epoll_pwait2; restart_syscall, which hides the call it restarts.
_NUMBERS: dict[str, tuple[set[int], set[int], set[int], set[int], int]] = {
    "x86_64": ({0, 19, 275}, {7, 271}, {23, 270}, {232, 281, 441}, 219),
    "aarch64": ({63, 65, 76}, {73}, {72}, {22, 441}, 128),
}
READS, _POLLS, _SELECTS, _EPOLLS, RESTART = _NUMBERS.get(platform.machine(), (set(), set(), set(), set(), -1))
WAITS = _POLLS | _SELECTS | _EPOLLS | {426}
"""Calls that wait for several descriptors, io_uring_enter included."""


def polled(pid: int, call: Sequence[bytes]) -> list[str]:
    """List the descriptors a process waits to read from, as paths in /proc; empty if they are unknown.

    ``call`` is the call in which it sleeps, with its arguments, as in /proc/PID/syscall.
    """
    number, first, second = (int(word, 0) for word in call[:3])
    fds: list[int] = []
    if number in _POLLS and second <= _MOST:
        entries = _ENTRY.iter_unpack(_memory(pid, first, second * _ENTRY.size))
        fds = [fd for fd, events, _happened in entries if fd >= 0 and events & _READABLE]
    elif number in _SELECTS and second and first <= _MOST:
        bits = int.from_bytes(_memory(pid, second, (first + 7) // 8), "little")
        fds = [fd for fd in range(first) if bits >> fd & 1]
    elif number in _EPOLLS:
        fds = _in_epoll(pid, first & 0xFFFFFFFF)
    return [f"/proc/{pid}/fd/{fd}" for fd in fds]


def _in_epoll(pid: int, epoll: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/fdinfo/{epoll}", encoding="ascii") as file:
            fds = [int(line.split()[1]) for line in file if line.startswith("tfd:")]
        is_nested = any("eventpoll" in os.readlink(f"/proc/{pid}/fd/{fd}") for fd in fds)
    except OSError:
        return []
    return [] if is_nested else fds


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
