"""The call that a process waits in, as the kernel tells it: to us, or where it does not, to the keeper."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from phux_core import procfs
from phux_core.keeper import witness

if TYPE_CHECKING:
    import socket

# The keeper has nothing else to do; one that does not answer is stopped, and is not asked again for a while.
_ANSWER_S = 0.05
_SILENCE_S = 5.0


class Questions:
    """Asks the keeper.

    Args:
        end: Our end of the socket for it.
    """

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._number = 0
        self._ask_again_at = 0.0

    def ask(self, pid: int, tid: int) -> bytes:
        """Ask for the call of a thread; empty if there is no answer."""
        now = time.monotonic()
        if now < self._ask_again_at:
            return b""
        self._number = (self._number + 1) & 0xFFFFFFFF
        try:
            self._end.settimeout(_ANSWER_S)
            self._end.send(witness.QUESTION.pack(self._number, pid, tid))
            while True:
                answer = self._end.recv(witness.LONGEST_ANSWER)
                if witness.NUMBER.unpack_from(answer)[0] == self._number:  # else to a question that was given up
                    return answer[witness.NUMBER.size :]
        except OSError:  # it does not answer, or is gone, as we are in a moment
            self._ask_again_at = now + _SILENCE_S
            return b""


_questions: Questions | None = None


def ask_where_refused(questions: Questions | None) -> None:
    """Say whom to ask for what this process may not know."""
    global _questions
    _questions = questions


def read_call(pid: int, tid: int) -> list[bytes]:
    """Read the call that a thread is in: its number, its arguments, and where its stack and its code are.

    Returns:
        The words; none if it cannot be told.
    """
    if not procfs.is_usable():
        return []
    try:
        return witness.read_call(pid, tid).split()
    except PermissionError:
        return _questions.ask(pid, tid).split() if _questions is not None else []
    except OSError:
        return []
