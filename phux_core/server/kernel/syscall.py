"""Read the system call in which a process waits, and the descriptors for which it waits.

If this process may not read the call, it asks the keeper. The arguments of poll and select are in the memory of the
process, and the descriptors of epoll in /proc.
"""

from __future__ import annotations

import os
import platform
import struct
import time
from typing import TYPE_CHECKING

from phux_core import procfs
from phux_core.keeper import witness

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

# The keeper answers at once unless it is suspended. After a timeout, `ask` sends no query for the second period.
_ANSWER_S = 0.05
_SILENCE_S = 5.0
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


class Questions:
    """Queries to the keeper, over our end of a socket."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._number = 0
        self._ask_again_at = 0.0

    def ask(self, pid: int, tid: int) -> bytes:
        """Return the call of a thread; empty if there is no answer."""
        now = time.monotonic()
        if now < self._ask_again_at:
            return b""
        self._number = (self._number + 1) & 0xFFFFFFFF
        try:
            self._end.settimeout(_ANSWER_S)
            self._end.send(witness.QUESTION.pack(self._number, pid, tid))
            while True:
                answer = self._end.recv(witness.LONGEST_ANSWER)
                if witness.NUMBER.unpack_from(answer)[0] == self._number:  # else the answer to an earlier query
                    return answer[witness.NUMBER.size :]
        except OSError:  # no answer, or the keeper has ended, and this process ends soon
            self._ask_again_at = now + _SILENCE_S
            return b""


_questions: Questions | None = None


def ask_where_refused(questions: Questions | None) -> None:
    """Set the queries for calls that this process may not read; None for no queries."""
    global _questions
    _questions = questions


def read_call(pid: int, tid: int) -> list[bytes]:
    """Return the call that a thread is in: number, arguments, stack pointer and program counter; empty if unknown."""
    if not procfs.is_usable():
        return []
    try:
        return witness.read_call(pid, tid).split()
    except PermissionError:
        return _questions.ask(pid, tid).split() if _questions is not None else []
    except OSError:
        return []


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
    except (OSError, OverflowError):  # the process has ended, or the arguments are invalid
        data = b""
    finally:
        os.close(fd)
    return data if len(data) == size else b""
