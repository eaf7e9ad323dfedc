"""Determine the kind of shell behind ssh, docker exec and similar programs, whose processes are not visible.

phux types a short line that every shell accepts and whose output is invisible. ``$?`` is a syntax error in fish, so a
command cannot be wrapped in marks before the kind is known.
"""

from __future__ import annotations

import math
import secrets
import time
from typing import TYPE_CHECKING

from phux_core.errors import BusyError
from phux_core.server.run import command_text
from phux_core.server.shell.edit_line import INTERRUPT

if TYPE_CHECKING:
    from phux_core.engine.protocol import PrivateOsc
    from phux_core.server.shell.keyboard import Keyboard
    from phux_core.server.shell.state_watch import StateWatch
    from phux_core.server.sync.waker import Waker

ANSWER_S = 10.0
"""How long a typed line may take to execute if no foreground process shows that a shell read it."""


class RemoteShell:
    """The remote shell of a pane, known while the same program leads to it.

    Args:
        name: The pane's id in messages, such as ``@3``.
        keyboard: The pane's input.
        watch: The pane's state.
        changed: Wakes up when something happened in the pane.
    """

    __slots__ = ("_carrier", "_changed", "_keyboard", "_kind", "_name", "_nonce", "_watch")

    def __init__(self, name: str, keyboard: Keyboard, watch: StateWatch, changed: Waker) -> None:
        self._name, self._keyboard, self._watch, self._changed = name, keyboard, watch, changed
        self._kind: str | None = None
        self._carrier: tuple[int, str] | None = None
        self._nonce: str | None = None  # of the unanswered query

    @property
    def kind(self) -> str | None:
        """``fish`` or ``posix``; None if unknown."""
        return self._kind if self._carrier == self._watch.front else None

    def forget(self) -> None:
        """Record that another shell may be there now."""
        self._kind = None

    def typed(self, data: bytes) -> None:
        """Record input typed by a person or client."""
        self.forget()
        if INTERRUPT in data:  # the terminal has discarded unread input
            self._nonce = None
            self._changed.wake_all()

    async def ask(self, deadline: float | None, *, patient: bool) -> bool:
        """Determine the kind of shell.

        Args:
            deadline: When the caller's timeout expires.
            patient: Whether to wait for the end of another program that may be running there.

        Returns:
            False if the timeout expired; else ``kind`` is known, or no program leads to a shell any more.

        Raises:
            BusyError: There was no reply for a while.
        """
        patience_ends = math.inf if patient else time.monotonic() + ANSWER_S
        time_ends = math.inf if deadline is None else deadline
        self._carrier = self._watch.front
        self.forget()
        nonce = await self._type_question()
        while self.kind is None and self._carrier == self._watch.front and self._keyboard.is_open:
            now = time.monotonic()
            if now >= time_ends:
                return False
            if now >= patience_ends:
                raise BusyError(
                    f"the program in the foreground of {self._name} leads to no shell that reads a line",
                    remedy="look at the screen to see what is running; with --queue phux waits for its end",
                )
            if self._nonce != nonce:
                nonce = await self._type_question()
            else:
                remaining = min(time_ends, patience_ends) - now
                await self._changed.wait(None if remaining == math.inf else remaining)
        return True

    async def _type_question(self) -> str:
        nonce = self._nonce = secrets.token_hex(4)
        await self._keyboard.type_ours([{"paste": command_text.question(nonce)}, {"key": "Enter"}])
        return nonce

    def take_mark(self, mark: PrivateOsc) -> bool:
        """Process a mark; return whether it is the reply."""
        kind = None if self._nonce is None else command_text.answer(mark.data, self._nonce)
        if kind is None:
            return False
        self._kind, self._nonce = kind, None
        self._changed.wake_all()
        return True
