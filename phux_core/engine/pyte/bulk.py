"""Process floods: many lines at once, of which only the last screenful stays visible.

If a chunk has more lines than two screens, and only text, SGR, tabs and line ends, most rows would be drawn only to
scroll off. Such lines go into the history unparsed (``Deferred``), and only the last ones are drawn. The
skipped text still determines the style of the text after it: that style depends only on the last reset and the SGR
sequences after the reset.

The result must equal that of drawing line by line; property tests verify it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phux_core.engine.pyte.history import Deferred, History
from phux_core.engine.pyte.rows import DEFAULT, Row
from phux_core.engine.pyte.stream import Parser
from phux_core.engine.pyte.terminal import Terminal
from phux_core.engine.pyte.widths import ZERO, to_cells

if TYPE_CHECKING:
    from phux_core.engine.pyte.styles import StyleTable

_SGR = re.compile(r"\x1b\[[0-9:;]{0,64}m")
_SGR_BYTES = re.compile(rb"\x1b\[[0-9:;]{0,64}m")
_NO_CONTROLS = bytes({*range(0x20, 0x100), ord("\t")})
_RESETS = ("\x1b[0m", "\x1b[m")
_MARKED = re.compile(f"{ZERO}.", re.DOTALL)


def is_worth_it(terminal: Terminal, text: str) -> bool:
    """Return whether ``text`` has enough lines to skip some of them."""
    enough = 2 * terminal.lines + 2
    return len(text) > 2 * enough and text.count("\n") > enough


def feed(terminal: Terminal, parser: Parser, text: str) -> None:
    """Process text as ``Parser.feed`` does."""
    text = parser.finish(text)
    if text.startswith("\n"):  # its CR ended the previous chunk
        parser.feed("\n")
        text = text[1:]
    end = text.rfind("\n") + 1
    if _is_all_lines(text[:end]):
        _skip(terminal, parser, text[:end])
        text = text[end:]
    parser.feed(text)


def _is_all_lines(text: str) -> bool:
    """Return whether ``text`` contains only characters and sequences that can be deferred."""
    data = text.encode("utf-8", "replace")
    controls = data.translate(None, _NO_CONTROLS).replace(b"\r\n", b"")
    escapes = len(controls)
    return not escapes or (controls.count(b"\x1b") == escapes and len(_SGR_BYTES.findall(data)) == escapes)


def _is_plain(terminal: Terminal) -> bool:
    """Return whether drawing depends only on the style, as ``expand`` assumes, and new rows are blank."""
    return (
        terminal.margins is None
        and terminal.wraps
        and not terminal.inserts
        and terminal.charmap is None
        and terminal.styles.blank(terminal.style) == DEFAULT
        and terminal.tabstops == set(range(8, terminal.columns, 8))
    )


def _skip(terminal: Terminal, parser: Parser, text: str) -> None:
    """Draw the first and last lines, and defer those between."""
    lines = terminal.lines
    # Draw until the cursor is on the last row, and that row was scrolled in: from then on each line scrolls.
    parts = text.split("\r\n", lines - terminal.cursor.y + 1)
    rest = parts.pop()
    parser.feed("\r\n".join((*parts, "")))
    ending = rest.rsplit("\r\n", lines + 1)
    if len(ending) < lines + 2 or not _is_plain(terminal):
        parser.feed(rest)
        return
    skipped = ending[0] + "\r\n"
    history = terminal.history
    if terminal.scrolls_into_history:
        history.extend(terminal.rows[:-1])
        history.defer(Deferred(skipped, skipped.count("\n"), terminal.style))
    terminal.style = _style_after(terminal.styles, terminal.style, skipped)
    before, terminal.last = terminal.last, ""
    terminal.rows = [*(Row() for _ in range(lines - 1)), *terminal.new_rows(1)]
    # The rows above the cursor are not real: do not let them scroll into the history.
    collected = _Collector()
    terminal.history = collected
    try:
        parser.feed("\r\n".join(ending[1:]))
    finally:
        terminal.history = history
    if terminal.scrolls_into_history:
        history.extend(collected.rows[lines - 1 :])
    if not terminal.last:
        terminal.last = _last_cells(skipped) or before


class _Collector(History):
    """A history that only collects rows."""

    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def push(self, row: Row) -> None:
        self.rows.append(row)

    def clear(self) -> None:
        self.rows.clear()


def _style_after(styles: StyleTable, style: str, text: str) -> str:
    """Return the style after ``text``."""
    if "\x1b" not in text:
        return style
    last = max(text.rfind(reset) for reset in _RESETS)
    for token in _SGR.findall(text, max(last, 0)):
        style = styles.after(style, token)
    return style


def _last_cells(text: str) -> str:
    """Return the last cells that ``text`` draws, for REP."""
    for line in reversed(text.split("\r\n")):
        cells = _MARKED.sub("", to_cells(_SGR.sub("", line).replace("\t", "")))
        if cells:
            return cells
    return ""


def expand(styles: StyleTable, deferred: Deferred, columns: int) -> list[Row]:
    """Return the rows of deferred text."""
    text = deferred.text
    if "\x1b" in text or "\t" in text or not text.isascii():
        collected = _Collector()
        terminal = Terminal(columns, 1, styles, collected)
        terminal.style = deferred.style
        Parser(terminal).feed(text)
        return collected.rows
    rows: list[Row] = []
    style = "" if deferred.style == DEFAULT else deferred.style
    for line in text.split("\r\n")[:-1]:
        if len(line) <= columns:
            rows.append(Row(line, style * len(line)))
        else:
            for start in range(0, len(line), columns):
                part = line[start : start + columns]
                rows.append(Row(part, style * len(part), None, start + columns < len(line)))
    return rows
