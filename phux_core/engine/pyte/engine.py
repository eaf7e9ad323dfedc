"""The pure-Python engine, based on pyte.

This engine runs on every platform with Python, and serves to cross-check the ghostty engine. This module joins the
parts: the tap finds phux's marks, bytes are decoded to text, ``Parser`` and ``Terminal`` process it, and rows are
returned as the protocol's values.
"""

from __future__ import annotations

import codecs
import re
from functools import partial
from typing import TYPE_CHECKING

from phux_core.engine import encoding
from phux_core.engine.protocol import BRACKETED_PASTE, Cursor, Effect, Lines, Modes, Span, check_limits
from phux_core.engine.pyte import bulk, keys
from phux_core.engine.pyte.history import Deferred, History
from phux_core.engine.pyte.read import spans_of
from phux_core.engine.pyte.reflow import resize as reflow
from phux_core.engine.pyte.state import dump, load
from phux_core.engine.pyte.stream import Parser
from phux_core.engine.pyte.styles import StyleTable
from phux_core.engine.pyte.terminal import Terminal
from phux_core.engine.tap import Tap

if TYPE_CHECKING:
    from phux_core.engine.pyte.rows import Row
    from phux_core.keys import Key

# NUL and DEL are fill characters; in UTF-8, C1 controls exist only as ESC and a letter. None has a width.
_MEANINGLESS = re.compile("[\x00\x7f-\x9f]+")


# Bytes processed at a time: styles are swept and the history is trimmed between two slices.
_SLICE = 262_144


class PyteEngine:
    """An engine in pure Python; ``phux_core.engine.protocol.Engine`` documents the methods."""

    name = "pyte"

    def __init__(self, terminal: Terminal, parser: Parser, tap: Tap, decoder: codecs.IncrementalDecoder) -> None:
        """Join the parts; use ``create`` or ``restore`` instead."""
        self._terminal = terminal
        self._parser = parser
        self.tap = tap
        self._decoder = decoder

    @property
    def cols(self) -> int:
        """The number of columns."""
        return self._terminal.columns

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._terminal.lines

    @property
    def position(self) -> int:
        """The position of the next byte."""
        return self.tap.position

    @property
    def history_rows(self) -> int:
        """The number of scrollback rows that can be read."""
        return len(self._terminal.history)

    @property
    def title(self) -> str | None:
        """The terminal's title, or None if none was set."""
        return self._terminal.window_title

    @property
    def cwd(self) -> str | None:
        """The last directory reported with OSC 7, or None."""
        return self.tap.cwd

    def feed(self, data: bytes) -> list[Effect]:
        """Process output of the program."""
        if len(data) > _SLICE:
            return [effect for at in range(0, len(data), _SLICE) for effect in self.feed(data[at : at + _SLICE])]
        data, effects = self.tap.scan(data)
        text = self._decoder.decode(data)
        if not text.isascii() or "\x00" in text or "\x7f" in text:
            text = _MEANINGLESS.sub("", text)
        terminal = self._terminal
        if bulk.is_worth_it(terminal, text):
            bulk.feed(terminal, self._parser, text)
        else:
            self._parser.feed(text)
        effects += terminal.take_effects()
        if terminal.styles.is_full():
            self._sweep_styles()
        return effects

    def _sweep_styles(self) -> None:
        terminal = self._terminal
        used = {terminal.style, *(saved.style for saved in terminal.saved)}
        for item in (*terminal.rows, *terminal.hidden_rows, *terminal.history.items()):
            used.update(item.style if isinstance(item, Deferred) else item.styles)
        terminal.styles.sweep(used)

    def resize(self, cols: int, rows: int) -> list[Effect]:
        """Resize the grid, reflowing soft-wrapped lines of the primary screen."""
        check_limits(cols, rows)
        reflow(self._terminal, cols, rows)
        self._terminal.report_size()
        return self._terminal.take_effects()

    def set_history_limit(self, rows: int) -> None:
        """Limit the scrollback to ``rows`` rows."""
        check_limits(self.cols, self.rows, rows)
        self._terminal.history.set_limit(rows)

    def _read(self, first: int, count: int) -> tuple[int, list[Row]]:
        """Return rows of history and viewport, and the number of the first one."""
        end = min(first + count, self._terminal.lines)
        if first >= end:
            return first, []
        if first >= 0:
            return first, self._terminal.rows[first:end]
        old = self._terminal.history.newest(-first)
        first = -len(old)
        rows = [*old, *self._terminal.rows[: max(end, 0)]]
        return first, rows[: max(end - first, 0)]

    def lines(self, first: int, count: int) -> Lines:
        """Return rows as text."""
        _, rows = self._read(first, count)
        return Lines([row.shown() for row in rows], [row.wrapped for row in rows])

    def spans(self, first: int, count: int) -> list[Span]:
        """Return rows as runs of styled cells."""
        return [span for spans in self._spans_by_row(first, count).values() for span in spans]

    def changed(self) -> dict[int, list[Span]]:
        """Return all rows of the viewport: changes are not tracked."""
        return self._spans_by_row(0, self.rows)

    def _spans_by_row(self, first: int, count: int) -> dict[int, list[Span]]:
        first, rows = self._read(first, count)
        entries, links = self._terminal.styles.entries, self.tap.links
        read = {number: spans_of(number, row, entries) for number, row in enumerate(rows, first)}
        if links.is_used:
            for number, spans in read.items():
                read[number] = [span._replace(style=links.resolve(span.style)) for span in spans]
        return read

    def forget_changes(self) -> None:
        """Do nothing: there is nothing to free."""

    def cursor(self) -> Cursor:
        """Return the cursor."""
        terminal = self._terminal
        return Cursor(
            min(terminal.cursor.x, terminal.columns - 1),
            terminal.cursor.y,
            visible=not terminal.cursor.hidden,
            shape=terminal.cursor_shape,
            blinking=terminal.cursor_blinks,
        )

    @property
    def alt_screen(self) -> bool:
        """Whether the alternate screen is shown."""
        return self._terminal.alternate

    @property
    def bracketed_paste(self) -> bool:
        """Whether bracketed paste is enabled."""
        return self._terminal.is_set(BRACKETED_PASTE)

    def modes(self) -> Modes:
        """Return the current modes."""
        return self._terminal.modes()

    def encode_key(self, key: Key) -> bytes:
        """Return the bytes to send for a key press."""
        terminal = self._terminal
        extended = keys.encode(key, terminal.kitty_flags)
        if extended is None and terminal.modifies_other_keys:
            extended = encoding.encode_other_key(key)
        if extended is not None:
            return extended
        arrows, keypad, backarrow = map(terminal.is_set, (1, 66, 67))
        return encoding.encode_key(key, cursor=arrows, keypad=keypad, backarrow=backarrow)

    def checkpoint(self) -> bytes:
        """Return the whole state as bytes."""
        return dump(self._terminal, self._parser, self.tap, self._decoder)

    def close(self) -> None:
        """Do nothing: Python frees everything."""


def create(cols: int, rows: int, *, history: int, position: int) -> PyteEngine:
    """Create an engine that starts at a stream position."""
    styles = StyleTable()
    terminal = Terminal(cols, rows, styles, History(history, cols, partial(bulk.expand, styles)))
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return PyteEngine(terminal, Parser(terminal), Tap(position), decoder)


def restore(checkpoint: bytes) -> PyteEngine:
    """Rebuild an engine from a checkpoint.

    Raises:
        ValueError: The bytes are not a checkpoint of this engine, or have an unsupported version.
    """
    return PyteEngine(*load(checkpoint))
