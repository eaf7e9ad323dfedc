"""Terminal engines: one protocol, two implementations, chosen by name.

``create`` makes a terminal, ``restore`` rebuilds one from a checkpoint. A backend is imported when it is first used.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING, Protocol, cast

from phux_core.engine.protocol import (
    DEFAULT_HISTORY,
    DEFAULT_STYLE,
    MAX_SIZE,
    PRIVATE_OSC,
    Bell,
    Color,
    Cursor,
    CwdChanged,
    Effect,
    Engine,
    Lines,
    Mark,
    Modes,
    Mouse,
    PrivateOsc,
    Reply,
    Span,
    Style,
    TitleChanged,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "DEFAULT_HISTORY",
    "DEFAULT_STYLE",
    "ENGINES",
    "MAX_SIZE",
    "PRIVATE_OSC",
    "Bell",
    "Color",
    "Cursor",
    "CwdChanged",
    "Effect",
    "Engine",
    "Lines",
    "Mark",
    "Modes",
    "Mouse",
    "PrivateOsc",
    "Reply",
    "Span",
    "Style",
    "TitleChanged",
    "choose",
    "create",
    "restore",
]

ENGINES = ("ghostty", "pyte")
"""The names of the engines, best first."""

CHECKPOINT_MAGIC = b"phux-engine "
"""What every checkpoint begins with; the engine's name and a newline follow, the rest is that engine's."""


class _Backend(Protocol):
    """What a backend's module holds."""

    create: Callable[..., Engine]
    restore: Callable[[bytes], Engine]


def create(name: str, cols: int, rows: int, *, history: int = DEFAULT_HISTORY, position: int = 0) -> Engine:
    """Make a terminal.

    Args:
        name: ``"ghostty"`` or ``"pyte"``.
        cols: Columns, 1 to ``MAX_SIZE``.
        rows: Rows, 1 to ``MAX_SIZE``.
        history: Rows of scrollback to keep.
        position: Where in the stream it starts, if what came before is lost.

    Raises:
        ValueError: No such engine, or a size out of range.
        ImportError: The engine is not installed here.
    """
    return _backend(name).create(cols, rows, history=history, position=position)


def restore(checkpoint: bytes) -> Engine:
    """Rebuild the terminal that ``Engine.checkpoint`` described, with the engine that made it.

    Raises:
        ValueError: These bytes are no checkpoint, or one of another version.
        ImportError: The engine that made it is not installed here.
    """
    head, newline, _ = checkpoint[:64].partition(b"\n")
    if not newline or not head.startswith(CHECKPOINT_MAGIC):
        raise ValueError("not a terminal checkpoint")
    name = head[len(CHECKPOINT_MAGIC) :].decode("ascii", "replace")
    return _backend(name).restore(checkpoint)


def choose(requested: str | None) -> str:
    """Return the engine to use: the requested one, else ghostty where it imports, else pyte.

    The log says why ghostty cannot be used.

    Args:
        requested: A name out of ``ENGINES``, or None (or empty) for the best one there is.

    Raises:
        ValueError: An unknown name.
    """
    if requested:
        _check(requested)
        return requested
    try:
        _backend("ghostty")
    except (ImportError, OSError) as error:  # OSError: the wheel is there, its shared library does not load
        logging.getLogger("phux.engine").warning("the ghostty engine cannot be used, pyte is: %s", error)
        return "pyte"
    return "ghostty"


def _check(name: str) -> None:
    if name not in ENGINES:
        raise ValueError(f"unknown engine {name!r}: choose one of {', '.join(ENGINES)}")


def _backend(name: str) -> _Backend:
    _check(name)
    return cast("_Backend", importlib.import_module(f"phux_core.engine.{name}.engine"))
