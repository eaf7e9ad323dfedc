"""Type into a pane: encode input for the terminal's modes, notify the tracker, and queue the bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.engine.encoding import encode_focus, encode_mouse, encode_paste
from phux_core.engine.protocol import Mouse
from phux_core.errors import BadRequestError, PaneClosedError
from phux_core.keys import parse_key
from phux_core.server.kernel.line_discipline import is_echoed
from phux_core.server.pty.write_queue import WriteQueue

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from phux_core.engine.protocol import Engine
    from phux_core.keeper.journal import Journal
    from phux_core.server.shell.tracker import ShellTracker

Items = list[dict[str, Any]]
_FIRST_ROW, _FIRST_ROW_S = b"\x1b[1;", 0.05


class Keyboard:
    """The input of one pane.

    Args:
        name: The pane's id in messages, such as ``@3``.
        journal: Receives the note of a run before it is typed.
        position: Returns the end of the pane's stream.

    Attributes:
        is_open: Whether the program can still read input.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        fd: int,
        name: str,
        engine: Engine,
        journal: Journal,
        tracker: ShellTracker,
        position: Callable[[], int],
    ) -> None:
        self._loop, self._fd, self._name = loop, fd, name
        self._engine, self._journal, self._tracker = engine, journal, tracker
        self._position = position
        self.queue = WriteQueue(loop, fd, name, journal.typed)
        self.is_open = fd >= 0

    def type(
        self, items: Items, *, note: bytes | None = None, key: str | None = None
    ) -> tuple[bytes, asyncio.Future[None]]:
        """Type the items of an ``input`` call, encoded for the current modes, as one piece.

        Mouse and focus events that the program has not requested are skipped.

        Args:
            note: The note to store in the journal first; only for input of a run.
            key: The request's key, under which the write queue records how much was typed.

        Returns:
            The bytes, and a future that is done when they are written.
        """
        if not self.is_open:
            raise PaneClosedError(f"the program in {self._name} has ended")
        foreground = self._tracker.foreground
        # POSIX shells do not know bracketed paste. A program that was killed may have left it on.
        brackets = foreground is None or foreground.shell != "posix"
        data = b"".join(_encode(item, self._engine, brackets=brackets) for item in items)
        if note is not None:
            self._journal.note = note
        editor = self._tracker.marks.editor
        # Read the column and the echo mode before the program can read the input and change them.
        column = self._engine.cursor().x if editor in {"wraps", "breaks"} else 0
        echo = editor != "none" or is_echoed(self._fd)
        written = self.queue.type(data, key)
        now, ours = self._loop.time(), note is not None
        self._tracker.typed(data, self._position(), now, column=column, cols=self._engine.cols, echo=echo, ours=ours)
        return data, written

    def type_ours(self, items: Items) -> asyncio.Future[None]:
        """Type input that belongs to the current run, whose note stays in the journal."""
        return self.type(items, note=self._journal.note)[1]

    def reply(self, data: bytes) -> None:
        self.queue.reply(data)
        # busybox mistakes a cursor report for the first row for the start of a key, and reads on for 50 ms.
        self._tracker.replied(self._loop.time() + (_FIRST_ROW_S if data.startswith(_FIRST_ROW) else 0.0))

    def close(self) -> None:
        """Fail all queued input: the program has ended."""
        self.is_open = False
        self.queue.close()


def _encode(item: dict[str, Any], engine: Engine, *, brackets: bool) -> bytes:
    """Encode an item; ``brackets`` allows bracketed paste if the terminal is in that mode."""
    ((kind, value),) = item.items()
    if kind == "paste" or (kind == "line" and value.isprintable() and not engine.alt_screen):
        # A line followed by Enter is sent as a paste, so that a program with its own editor inserts the line as one
        # piece and handles Enter as a key. On the alternate screen, the line is typed, because keys may be commands
        # there: vim would insert a pasted `:wq` into the text. A line with control characters is also typed, because a
        # paste must not contain them.
        modes = engine.modes()
        return encode_paste(value, modes if brackets else modes._replace(bracketed_paste=False))
    if kind == "key":
        key = parse_key(value)
        if key is None:
            raise BadRequestError(f"there is no key {value!r:.80}", remedy='send text as {"text": ...}')
        return engine.encode_key(key)
    if kind == "mouse":
        return encode_mouse(Mouse(**({"button": None} | value)), engine.modes())
    if kind == "focus":
        return encode_focus(value, engine.modes())
    data: bytes = value.encode("utf-8", "surrogateescape")
    return data
