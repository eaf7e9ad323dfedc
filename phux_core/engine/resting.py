"""An engine that can be put to rest, and that is replaced when it fails.

Most panes are shells that nobody looks at: a checkpoint of a kilobyte stands for a terminal of twenty. A terminal at
rest wakes by itself when it is fed or read; what is asked of every pane again and again (its size, title and screen) it
remembers, so that asking does not wake it.

An engine that raises when it is fed, read, resized or woken is in an unknown state. A blank one takes its place, and
the marks in what it was fed are still reported. Only encoding input may raise, because it depends on the client.
"""

from __future__ import annotations

import zlib
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from phux_core.engine import restore
from phux_core.engine.tap import Tap

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.engine.protocol import Cursor, Effect, Engine, Lines, Modes, Mouse, Span
    from phux_core.keys import Key


_T = TypeVar("_T")
_history_rows: Callable[[Engine], int] = attrgetter("history_rows")
_title: Callable[[Engine], str | None] = attrgetter("title")
_alt_screen: Callable[[Engine], bool] = attrgetter("alt_screen")


class _Rest(NamedTuple):
    checkpoint: bytes
    cols: int
    rows: int
    position: int
    history_rows: int
    title: str | None
    cwd: str | None
    alt_screen: bool


class RestingEngine:
    """An engine, awake or at rest; see ``phux_core.engine.protocol.Engine`` for what its methods promise.

    Args:
        engine: The engine, which nobody else uses from now on.
        on_wake: Called when it was at rest and was needed.
        make_successor: Called with the error when the engine failed, and the place in the stream to start at; returns a
            blank engine.
    """

    def __init__(
        self, engine: Engine, on_wake: Callable[[], object], make_successor: Callable[[Exception, int], Engine]
    ) -> None:
        self.name = engine.name
        self._engine: Engine | None = engine
        self._on_wake = on_wake
        self._make_successor = make_successor
        self._rest: _Rest | None = None

    @property
    def at_rest(self) -> bool:
        """Whether it takes next to no memory now."""
        return self._rest is not None

    def rest(self, most: int) -> None:
        """Give the terminal's memory back, if the checkpoint that stands for it is not larger than ``most`` bytes."""
        engine = self._engine
        if engine is None:
            return
        checkpoint = engine.checkpoint()
        if len(checkpoint) > most:
            return
        self._rest = _Rest(
            zlib.compress(checkpoint, 1),
            engine.cols,
            engine.rows,
            engine.position,
            engine.history_rows,
            engine.title,
            engine.cwd,
            engine.alt_screen,
        )
        self._engine = None
        engine.close()

    def _awake(self) -> Engine:
        if self._engine is None:
            if self._rest is None:
                raise ValueError("the engine is closed")
            rest, self._rest = self._rest, None
            try:
                self._engine = restore(zlib.decompress(rest.checkpoint))
            except Exception as error:  # noqa: BLE001
                return self._replace(None, error, rest.position)
            self._on_wake()
        return self._engine

    def _read(self, read: Callable[[Engine], _T]) -> _T:
        """Read something; of a blank successor if the engine fails."""
        engine = self._awake()
        try:
            return read(engine)
        except Exception as error:  # noqa: BLE001
            return read(self._replace(engine, error, engine.position))

    def _replace(self, failed: Engine | None, error: Exception, position: int) -> Engine:
        successor = self._engine = self._make_successor(error, position)
        self.name = successor.name
        if failed is not None:
            failed.close()
        self._on_wake()
        return successor

    @property
    def cols(self) -> int:
        """Columns of the grid."""
        return (self._rest or self._awake()).cols

    @property
    def rows(self) -> int:
        """Rows of the grid."""
        return (self._rest or self._awake()).rows

    @property
    def position(self) -> int:
        """How many bytes were ever fed."""
        return (self._rest or self._awake()).position

    @property
    def history_rows(self) -> int:
        """How many rows of scrollback can be read now."""
        return self._rest.history_rows if self._rest is not None else self._read(_history_rows)

    @property
    def title(self) -> str | None:
        """The window title, None until one was set."""
        return self._rest.title if self._rest is not None else self._read(_title)

    @property
    def cwd(self) -> str | None:
        """The directory OSC 7 named last, None until then."""
        return (self._rest or self._awake()).cwd

    @property
    def alt_screen(self) -> bool:
        """Whether the alternate screen is shown."""
        return self._rest.alt_screen if self._rest is not None else self._read(_alt_screen)

    def feed(self, data: bytes) -> list[Effect]:
        """Take bytes from the program."""
        engine = self._awake()
        start = engine.position
        try:
            return engine.feed(data)
        except Exception as error:  # noqa: BLE001  the contract says that it cannot be; one pane's screen is lost
            self._replace(engine, error, start + len(data))
            return Tap(start).scan(data)[1]

    def resize(self, cols: int, rows: int) -> list[Effect]:
        """Change the grid."""
        engine = self._awake()
        try:
            return engine.resize(cols, rows)
        except ValueError:  # a size that no terminal can have
            raise
        except Exception as error:  # noqa: BLE001
            return self._replace(engine, error, engine.position).resize(cols, rows)

    def set_history_limit(self, rows: int) -> None:
        """Keep at most ``rows`` rows of scrollback from now on."""
        self._awake().set_history_limit(rows)

    def lines(self, first: int, count: int) -> Lines:
        """Read rows as text."""
        return self._read(lambda engine: engine.lines(first, count))

    def spans(self, first: int, count: int) -> list[Span]:
        """Read rows as runs of styled cells."""
        return self._read(lambda engine: engine.spans(first, count))

    def changed(self) -> dict[int, list[Span]]:
        """Read the rows that may look different since this was last asked; all of them after a rest."""
        return self._read(lambda engine: engine.changed())

    def forget_changes(self) -> None:
        """Free what ``changed`` keeps."""
        if self._engine is not None:
            self._engine.forget_changes()

    def cursor(self) -> Cursor:
        """Where the cursor is."""
        return self._read(lambda engine: engine.cursor())

    def modes(self) -> Modes:
        """The modes now."""
        return self._read(lambda engine: engine.modes())

    def encode_key(self, key: Key) -> bytes:
        """What this key types."""
        return self._awake().encode_key(key)

    def encode_paste(self, text: str) -> bytes:
        """What pasting this text types."""
        return self._awake().encode_paste(text)

    def encode_mouse(self, event: Mouse) -> bytes:
        """What this mouse event types."""
        return self._awake().encode_mouse(event)

    def encode_focus(self, focused: bool) -> bytes:
        """What gaining or losing the focus types."""
        return self._awake().encode_focus(focused)

    def checkpoint(self) -> bytes:
        """The whole state as bytes."""
        return zlib.decompress(self._rest.checkpoint) if self._rest is not None else self._awake().checkpoint()

    def close(self) -> None:
        """Free what the engine holds."""
        self._rest = None
        if self._engine is not None:
            self._engine.close()
            self._engine = None
