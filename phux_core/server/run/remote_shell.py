"""Determine the kind of shell behind ssh, docker exec and similar programs, whose processes are not visible.

phux types a short line that every shell accepts and whose output is invisible. ``$?`` is a syntax error in fish, so a
command cannot be wrapped in marks before the kind is known.
"""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from phux_core.server.run import command_text
from phux_core.server.shell.edit_line import INTERRUPT, Problem

if TYPE_CHECKING:
    from phux_core.engine.protocol import PrivateOsc
    from phux_core.server.shell.pane_shell import PaneShell

# How long it may take to draw its prompt.
_PROMPT_S = 0.5
ANSWER_S = 10.0
"""How long a typed line may take to execute if no foreground process shows that a shell read it."""


class RemoteShell:
    """The remote shell of a pane, known while the same program leads to it."""

    __slots__ = ("_carrier", "_kind", "_marked", "_nonce", "_shell", "unknown")

    def __init__(self, shell: PaneShell) -> None:
        self._shell = shell
        self._kind: str | None = None
        self._carrier: tuple[int, str] | None = None
        self._nonce: str | None = None  # of the unanswered query
        self._marked = -1, 0.0  # where its last mark ends, and when it came
        self.unknown = Problem(
            f"no shell has replied through the program in the foreground of {shell.name}",
            ANSWER_S,
            "look at the screen to see what is running, or wait for its end with --queue",
            asks=True,
        )
        """The problem while the kind of shell is unknown."""

    @property
    def kind(self) -> str | None:
        """``fish`` or ``posix``; None if unknown."""
        return self._kind if self._carrier == self._shell.watch.front else None

    @property
    def draws_prompt(self) -> bool:
        """Whether it has just executed a line of ours, and written nothing since."""
        place, marked_at = self._marked
        return self._shell.position() <= place and time.monotonic() < marked_at + _PROMPT_S

    def marked(self, place: int) -> None:
        """Record where its mark after a line ends."""
        self._marked = place, time.monotonic()

    def forget(self) -> None:
        """Record that another shell may be there now."""
        self._kind = None

    def typed(self, data: bytes) -> None:
        """Record input typed by a person or client."""
        self.forget()
        if INTERRUPT in data:  # the terminal has discarded unread input
            self.drop_query()
            self._shell.changed.wake_all()

    def drop_query(self) -> None:
        """Expect no reply to an earlier query: another program may have read it."""
        self._nonce = None

    async def ask(self) -> None:
        """Query the kind of shell, unless a query is unanswered."""
        if self._nonce is None or self._carrier != self._shell.watch.front:
            self._carrier, self._nonce = self._shell.watch.front, secrets.token_hex(4)
            await self._shell.keyboard.type_ours([{"paste": command_text.kind_query(self._nonce)}, {"key": "Enter"}])

    def take_mark(self, mark: PrivateOsc) -> bool:
        """Process a mark; return whether it is the reply."""
        kind = None if self._nonce is None else command_text.parse_kind(mark.data, self._nonce)
        if kind is None:
            return False
        self._kind, self._nonce = kind, None
        self.marked(mark.end)
        self._shell.changed.wake_all()
        return True
