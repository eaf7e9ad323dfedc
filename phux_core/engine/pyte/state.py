"""Checkpoints of the pyte engine: convert the whole terminal to bytes and back.

The format is compressed JSON after the common checkpoint header, because reading JSON executes no code. Deferred text
in the history is stored as it is.
"""

from __future__ import annotations

import codecs
import json
import zlib
from functools import partial
from typing import Any

from pyte.screens import Cursor, Margins

from phux_core.engine import CHECKPOINT_MAGIC
from phux_core.engine.protocol import check_limits
from phux_core.engine.pyte import bulk
from phux_core.engine.pyte.history import Deferred, History
from phux_core.engine.pyte.rows import Row
from phux_core.engine.pyte.stream import Parser
from phux_core.engine.pyte.styles import StyleTable
from phux_core.engine.pyte.terminal import Saved, Terminal
from phux_core.engine.tap import Tap

_VERSION = 4
_MAGIC = CHECKPOINT_MAGIC + b"pyte\n"

# Attributes of the terminal that JSON supports directly.
_PLAIN = (
    "alternate",
    "charset",
    "charset_names",
    "cursor_blinks",
    "cursor_shape",
    "inserts",
    "keyboards",
    "scrolls_into_history",
    "semantic",
    "style",
    "titles",
    "reported_title",
    "window_title",
    "wraps",
)


def dump(terminal: Terminal, parser: Parser, tap: Tap, decoder: codecs.IncrementalDecoder) -> bytes:
    """Return the whole state as bytes."""
    undecoded, flag = decoder.getstate()
    cursor = terminal.cursor
    state = {
        "version": _VERSION,
        "size": [terminal.columns, terminal.lines],
        "plain": {name: getattr(terminal, name) for name in _PLAIN},
        "cursor": [cursor.x, cursor.y, cursor.hidden],
        "last": terminal.last[-2:],
        "margins": terminal.margins,
        "modes": sorted(terminal.mode),
        "tabstops": sorted(terminal.tabstops),
        "saved": terminal.saved,
        "styles": terminal.styles.dump(),
        "rows": [_dump_row(row) for row in terminal.rows],
        "hidden_rows": [_dump_row(row) for row in terminal.hidden_rows],
        "limit": terminal.history.limit,
        "history": [item if isinstance(item, Deferred) else _dump_row(item) for item in terminal.history.items()],
        "parser": parser.held,
        "tap": tap.dump(),
        "decoder": [undecoded.decode("latin-1"), flag],
    }
    return _MAGIC + zlib.compress(json.dumps(state, separators=(",", ":")).encode(), 1)


def load(checkpoint: bytes) -> tuple[Terminal, Parser, Tap, codecs.IncrementalDecoder]:
    """Restore the state from ``dump``.

    Raises:
        ValueError: The bytes are not a valid dump, or have an unsupported version.
    """
    if not checkpoint.startswith(_MAGIC):
        raise ValueError("the data is not a checkpoint of the pyte engine")
    try:
        state = json.loads(zlib.decompress(checkpoint[len(_MAGIC) :]))
        if state["version"] != _VERSION:
            raise ValueError(f"the checkpoint has version {state['version']}, not {_VERSION}")
        return _load(state)
    except (zlib.error, KeyError, TypeError, IndexError, AttributeError, AssertionError) as error:
        raise ValueError("the checkpoint of the pyte engine is damaged") from error


def _load(state: dict[str, Any]) -> tuple[Terminal, Parser, Tap, codecs.IncrementalDecoder]:
    columns, lines = state["size"]
    check_limits(columns, lines)
    styles = StyleTable.load(state["styles"])
    history = History(state["limit"], columns, partial(bulk.expand, styles))
    terminal = Terminal(columns, lines, styles, history)
    history.load([_load_item(item) for item in state["history"]])
    x, y, hidden = state["cursor"]
    terminal.cursor = Cursor(x, y)
    terminal.cursor.hidden = hidden
    for name in _PLAIN:
        setattr(terminal, name, state["plain"][name])
    terminal.last = state["last"]
    terminal.margins = None if state["margins"] is None else Margins(*state["margins"])
    terminal.mode = set(state["modes"])
    terminal.tabstops = set(state["tabstops"])
    terminal.saved = [
        Saved(x, y, style, tuple(charsets), charset, origin)
        for x, y, style, charsets, charset, origin in state["saved"]
    ]
    terminal.rows = [_load_row(item) for item in state["rows"]]
    terminal.hidden_rows = [_load_row(item) for item in state["hidden_rows"]]
    terminal.choose_charmap()
    parser = Parser(terminal)
    parser.held = state["parser"]
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    undecoded, flag = state["decoder"]
    decoder.setstate((undecoded.encode("latin-1"), flag))
    return terminal, parser, Tap.load(state["tap"]), decoder


def _dump_row(row: Row) -> list[Any]:
    """Return a row as four values; deferred text has three."""
    return [row.text, row.styles, list(row.marks.items()) if row.marks else 0, int(row.wrapped)]


def _load_item(item: list[Any]) -> Row | Deferred:
    return Deferred(*item) if len(item) == len(Deferred._fields) else _load_row(item)


def _load_row(item: list[Any]) -> Row:
    text, styles, marks, wrapped = item
    return Row(text, styles, dict(marks) if marks else None, bool(wrapped))
