"""Terminal engines: one protocol, two implementations, chosen by name.

``create`` returns a new engine, ``restore`` rebuilds one from a checkpoint. An implementation is imported on first use.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

from phux_core.engine.protocol import DEFAULT_HISTORY, Engine, check_limits
from phux_core.kinds import ENGINE_PACKAGES

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["ENGINES", "Engine", "choose", "create", "restore"]

ENGINES = tuple(ENGINE_PACKAGES)
"""The names of the engines, best first."""

CHECKPOINT_MAGIC = b"phux-engine "
"""The prefix of every checkpoint, followed by the engine's name, a newline and data private to that engine."""


def create(name: str, cols: int, rows: int, *, history: int = DEFAULT_HISTORY, position: int = 0) -> Engine:
    """Create an engine with a maximum number of scrollback rows.

    Args:
        position: Stream position at which the engine starts, if earlier output is lost.

    Raises:
        ValueError: The engine is unknown, or the size or the history limit is out of range.
        ImportError: The engine is not installed.
    """
    check_limits(cols, rows, history)
    engine: Engine = _module(name).create(cols, rows, history=history, position=position)
    return engine


def restore(checkpoint: bytes) -> Engine:
    """Rebuild an engine from its checkpoint.

    Raises:
        ValueError: The bytes are not a checkpoint, or have an unsupported version.
        ImportError: The engine that made the checkpoint is not installed.
    """
    head, newline, _ = checkpoint[:64].partition(b"\n")
    if not newline or not head.startswith(CHECKPOINT_MAGIC):
        raise ValueError("the data is not a checkpoint of an engine")
    name = head[len(CHECKPOINT_MAGIC) :].decode("ascii", "replace")
    engine: Engine = _module(name).restore(checkpoint)
    return engine


def choose(requested: str | None) -> str:
    """Return the engine to use: the requested one, else ghostty if it can be imported, else pyte.

    If ghostty cannot be used, the reason is logged.

    Raises:
        ValueError: The requested engine is unknown.
    """
    if requested:
        _check(requested)
        return requested
    try:
        _module("ghostty")
    except (ImportError, OSError) as error:  # OSError: installed, but its shared library does not load
        logging.getLogger("phux.engine").warning("using pyte, because the ghostty engine cannot be used: %s", error)
        return "pyte"
    return "ghostty"


def _check(name: str) -> None:
    if name not in ENGINES:
        raise ValueError(f"unknown engine {name!r}: choose one of {', '.join(ENGINES)}")


def _module(name: str) -> ModuleType:
    """Return the module of an engine, which has functions ``create`` and ``restore``."""
    _check(name)
    return importlib.import_module(f"phux_core.engine.{name}.engine")
