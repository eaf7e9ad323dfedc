"""Which kind of shell is behind ssh, docker exec and their like, where no process of it can be seen.

It is asked: a short line is typed that all shells take and that prints nothing to be seen. What stands for an exit code
in most of them is a syntax error in fish, so a command's line cannot be written before that is known.
"""

from __future__ import annotations

import math
import secrets
import time
from typing import TYPE_CHECKING

from phux_core.errors import BusyError
from phux_core.server.run import command_text

if TYPE_CHECKING:
    from phux_core.engine.protocol import PrivateOsc
    from phux_core.server.pane import Pane
    from phux_core.server.sync.waker import Alarm

INTERRUPT = b"\x03"
ANSWER_S = 10.0
"""How long a line that was typed may take to be executed, where only that tells whether a shell got it."""


class FarShell:
    """The shell that a pane's terminal leads to; known as long as the same program leads there.

    Args:
        pane: The pane.
        changed: Rings when something happened in it.
    """

    __slots__ = ("_carrier", "_changed", "_kind", "_nonce", "_pane")

    def __init__(self, pane: Pane, changed: Alarm) -> None:
        self._pane = pane
        self._changed = changed
        self._kind: str | None = None
        self._carrier: tuple[int, str] | None = None
        self._nonce: str | None = None  # of the question that was typed and not answered

    @property
    def kind(self) -> str | None:
        """``fish`` or ``posix``; None if that is to be asked."""
        return self._kind if self._carrier == self._pane.watch.front else None

    def forget(self) -> None:
        """Take note that another shell may be there now."""
        self._kind = None

    def typed_by_others(self, data: bytes) -> None:
        """Take note that somebody typed."""
        self.forget()
        if INTERRUPT in data:  # the terminal has forgotten what was typed and not read
            self._nonce = None
            self._changed.ring()

    async def ask(self, deadline: float | None, *, patient: bool) -> bool:
        """Find out.

        Args:
            deadline: When the caller's time is over.
            patient: Whether something else may run there, and its end is to be waited for.

        Returns:
            False if the time was over; else ``kind`` tells, or nothing leads to a shell any more.

        Raises:
            BusyError: There was no answer for a while.
        """
        patience_ends = math.inf if patient else time.monotonic() + ANSWER_S
        time_ends = math.inf if deadline is None else deadline
        self._carrier = self._pane.watch.front
        self.forget()
        nonce = await self._type_question()
        while self.kind is None and self._carrier == self._pane.watch.front and self._pane.takes_input:
            now = time.monotonic()
            if now >= time_ends:
                return False
            if now >= patience_ends:
                raise BusyError(
                    f"what has the terminal of @{self._pane.id} leads to no shell that reads a line",
                    remedy="look at the screen for what runs there; with --queue its end is waited for",
                )
            if self._nonce != nonce:
                nonce = await self._type_question()
            else:
                remaining = min(time_ends, patience_ends) - now
                await self._changed.wait(None if remaining == math.inf else remaining)
        return True

    async def _type_question(self) -> str:
        nonce = self._nonce = secrets.token_hex(4)
        question = [{"paste": command_text.question(nonce)}, {"key": "Enter"}]
        _size, written = self._pane.type(question, note=self._pane.journal.note)
        await written
        return nonce

    def take_mark(self, mark: PrivateOsc) -> bool:
        """Take a mark that may be the answer.

        Returns:
            Whether it is.
        """
        kind = None if self._nonce is None else command_text.answer(mark.data, self._nonce)
        if kind is None:
            return False
        self._kind, self._nonce = kind, None
        self._changed.ring()
        return True
