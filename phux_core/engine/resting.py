"""An engine that can be suspended to save memory, and that is replaced when it fails.

Most panes are idle shells, and a checkpoint takes a twentieth of an engine's memory. An engine at rest wakes when it
is fed or read. Its size, title and other often-read properties are kept, so that reading them does not wake it. After a
restart of the service, engines rest until they are rebuilt.

An engine that raises when it is fed, read, resized or woken is in an unknown state. It is replaced by a blank engine,
and the marks in the output are still reported. Errors in encoding input are raised, because they depend on the client.
"""

from __future__ import annotations

import zlib
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from phux_core.engine import restore
from phux_core.engine.tap import Tap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from phux_core.engine.protocol import Cursor, Effect, Engine, Lines, Modes, Span
    from phux_core.keys import Key


_T = TypeVar("_T")


_KEPT = ("name", "cols", "rows", "position", "history_rows", "title", "cwd", "alt_screen", "tap")
_read_kept = attrgetter(*_KEPT)


class Rest(NamedTuple):
    """An engine at rest.

    Attributes:
        wake: Returns the engine.
        kept: The known properties by name, at least ``name`` and ``position``; reading another wakes the engine.
        size: The number of bytes of memory that it takes.
        checkpoint: Its compressed checkpoint, if it has one.
    """

    wake: Callable[[], Engine]
    kept: Mapping[str, Any]
    size: int
    checkpoint: bytes | None = None


def _kept(name: str) -> Any:
    """Return a property of the engine that can also be read while it rests."""
    read = attrgetter(name)
    return property(lambda self: self._rest.kept[name] if self._knows(name) else self._read(read))


class RestingEngine:
    """An engine, awake or at rest; ``phux_core.engine.protocol.Engine`` documents the methods.

    Args:
        engine: The engine, awake or at rest; the caller must no longer use it.
        on_wake: Called when the engine wakes.
        make_successor: Called with the engine's error and the stream position to start at; returns a blank engine.
    """

    name: str = _kept("name")
    cols: int = _kept("cols")
    rows: int = _kept("rows")
    position: int = _kept("position")
    history_rows: int = _kept("history_rows")
    title: str | None = _kept("title")
    cwd: str | None = _kept("cwd")
    alt_screen: bool = _kept("alt_screen")
    bracketed_paste: bool = _kept("bracketed_paste")
    tap: Tap = _kept("tap")

    def __init__(
        self, engine: Engine | Rest, on_wake: Callable[[], object], make_successor: Callable[[Exception, int], Engine]
    ) -> None:
        self._rest: Rest | None = engine if isinstance(engine, Rest) else None
        self._engine: Engine | None = None if isinstance(engine, Rest) else engine
        self._on_wake = on_wake
        self._make_successor = make_successor

    def _knows(self, name: str) -> bool:
        return self._rest is not None and name in self._rest.kept

    @property
    def at_rest(self) -> bool:
        """Whether the engine's memory is released."""
        return self._rest is not None

    @property
    def rest_size(self) -> int:
        """The number of bytes that the engine takes at rest; 0 while it is awake."""
        return 0 if self._rest is None else self._rest.size

    def rest(self, most: int) -> None:
        """Release the engine's memory if its checkpoint has at most ``most`` bytes."""
        engine = self._engine
        if engine is None:
            return
        checkpoint = engine.checkpoint()
        if len(checkpoint) > most:
            return
        packed = zlib.compress(checkpoint, 1)
        kept = dict(zip(_KEPT, _read_kept(engine), strict=True))
        self._rest = Rest(lambda: restore(zlib.decompress(packed)), kept, len(packed), packed)
        self._engine = None
        engine.close()

    def wake(self) -> None:
        """Make the engine ready for use."""
        self._awake()

    def _awake(self) -> Engine:
        if self._engine is None:
            if self._rest is None:
                raise ValueError("the engine is closed")
            rest, self._rest = self._rest, None
            try:
                self._engine = rest.wake()
            except Exception as error:  # noqa: BLE001
                return self._replace(None, error, rest.kept["position"])
            self._on_wake()
        return self._engine

    def _read(self, read: Callable[[Engine], _T]) -> _T:
        """Read from the engine, or from a blank successor if it fails."""
        engine = self._awake()
        try:
            return read(engine)
        except Exception as error:  # noqa: BLE001
            return read(self._replace(engine, error, engine.position))

    def _replace(self, failed: Engine | None, error: Exception, position: int) -> Engine:
        successor = self._engine = self._make_successor(error, position)
        if failed is not None:
            failed.close()
        self._on_wake()
        return successor

    def feed(self, data: bytes) -> list[Effect]:
        """Process output of the program."""
        engine = self._awake()
        start = engine.position
        try:
            return engine.feed(data)
        except Exception as error:  # noqa: BLE001  must not happen; only this pane's screen is lost
            self._replace(engine, error, start + len(data))
            return Tap(start).scan(data)[1]

    def resize(self, cols: int, rows: int) -> list[Effect]:
        """Resize the grid."""
        engine = self._awake()
        try:
            return engine.resize(cols, rows)
        except ValueError:  # a size out of range, not a failure
            raise
        except Exception as error:  # noqa: BLE001
            return self._replace(engine, error, engine.position).resize(cols, rows)

    def set_history_limit(self, rows: int) -> None:
        """Limit the scrollback to ``rows`` rows."""
        self._awake().set_history_limit(rows)

    def lines(self, first: int, count: int) -> Lines:
        """Return rows as text."""
        return self._read(lambda engine: engine.lines(first, count))

    def spans(self, first: int, count: int) -> list[Span]:
        """Return rows as runs of styled cells."""
        return self._read(lambda engine: engine.spans(first, count))

    def changed(self) -> dict[int, list[Span]]:
        """Return the rows that may have changed since the last call; all of them after a rest."""
        return self._read(lambda engine: engine.changed())

    def forget_changes(self) -> None:
        """Free the state that ``changed`` keeps."""
        if self._engine is not None:
            self._engine.forget_changes()

    def cursor(self) -> Cursor:
        """Return the cursor."""
        return self._read(lambda engine: engine.cursor())

    def modes(self) -> Modes:
        """Return the current modes."""
        return self._read(lambda engine: engine.modes())

    def encode_key(self, key: Key) -> bytes:
        """Return the bytes to send for a key press."""
        return self._awake().encode_key(key)

    def checkpoint(self) -> bytes:
        """Return the whole state as bytes."""
        if self._rest is not None and self._rest.checkpoint is not None:
            return zlib.decompress(self._rest.checkpoint)
        return self._awake().checkpoint()

    def close(self) -> None:
        """Free the engine's resources."""
        self._rest = None
        if self._engine is not None:
            self._engine.close()
            self._engine = None
