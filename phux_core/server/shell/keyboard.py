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
    from phux_core.server.shell.tracker import ShellTracker

Items = list[dict[str, Any]]
_FIRST_ROW, _FIRST_ROW_S = b"\x1b[1;", 0.05


class Keyboard:
    """The input of one pane.

    Args:
        name: The pane's id in messages, such as ``@3``.
        typed: The memory in which the queue records how much was typed.
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
        typed: memoryview,
        tracker: ShellTracker,
        position: Callable[[], int],
    ) -> None:
        self._loop, self._fd, self._name = loop, fd, name
        self._engine, self._tracker = engine, tracker
        self._position = position
        self.queue = WriteQueue(loop, fd, name, typed)
        self.is_open = fd >= 0

    def type(self, items: Items, *, ours: bool = False, key: str | None = None) -> tuple[bytes, asyncio.Future[None]]:
        """Type the items of an ``input`` call, encoded for the current modes, as one piece.

        Mouse and focus events that the program has not requested are skipped.

        Args:
            ours: Whether it is the input of a run, not of a person or client.
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
        editor = self._tracker.marks.editor
        # Ask for the echo before the program can read the input and change it.
        echo = bool(editor) and is_echoed(self._fd, by_editor=editor != "none")
        written = self.queue.type(data, key)
        self._tracker.typed(data, self._position(), self._loop.time(), echo=echo, ours=ours)
        return data, written

    def type_ours(self, items: Items) -> asyncio.Future[None]:
        """Type input of a run."""
        return self.type(items, ours=True)[1]

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
        return encode_paste(value, bracketed=brackets and engine.bracketed_paste)
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
