"""Read the system call in which a process waits; if this process may not, ask the keeper."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from phux_core import procfs
from phux_core.keeper import witness

if TYPE_CHECKING:
    import socket

# The keeper answers at once unless it is suspended; then it is not asked again for a while.
_ANSWER_S = 0.05
_SILENCE_S = 5.0


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
        except OSError:  # no answer, or the keeper is gone and we will be, too
            self._ask_again_at = now + _SILENCE_S
            return b""


_questions: Questions | None = None


def ask_where_refused(questions: Questions | None) -> None:
    """Set where to ask for calls that this process may not read."""
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
