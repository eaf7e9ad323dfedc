"""The state of a terminal around its grid: modes, charsets, saved cursors, the alternate screen, the title.

``Terminal`` extends ``Screen`` with the state that control functions act on. It collects effects and does not know how
sequences are spelled; ``replies`` answers queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyte.charsets as cs
import pyte.modes as mo
from pyte.screens import Cursor, Margins

from phux_core.engine.encoding import CELL_HEIGHT, CELL_WIDTH
from phux_core.engine.protocol import Bell, Effect, Modes, Reply, TitleChanged
from phux_core.engine.pyte.rows import DEFAULT, Row
from phux_core.engine.pyte.screen import REVERSE_WRAP, Screen

if TYPE_CHECKING:
    from phux_core.engine.pyte.history import History
    from phux_core.engine.pyte.styles import StyleTable

MAX_TITLE = 4096
"""Maximum length of a title; longer ones are truncated."""

_TITLES_KEPT = 10  # xterm's depth of the title stack
_KEYBOARDS_KEPT = 8
_KITTY_FLAGS = 0x1F

# Private modes as pyte numbers them: shifted, so that they share one set with the ANSI modes.
_APPLICATION_CURSOR = 1 << 5
_COLUMNS = 3 << 5
_COLUMNS_ALLOWED = 40 << 5
_CURSOR_BLINK = 12 << 5
_APPLICATION_KEYPAD = 66 << 5
_SIZE_REPORTS = 2048 << 5
_MODIFY_OTHER_KEYS = -1  # set by a control function of its own, but stored with the modes
# The modes that DECSTR turns off; xterm's own modes are not affected.
_SOFT_RESET = {mo.IRM, mo.DECOM, _APPLICATION_CURSOR, REVERSE_WRAP, _APPLICATION_KEYPAD}
_ALTERNATE = {47 << 5, 1047 << 5, 1049 << 5}
_SAVE_CURSOR = 1048 << 5
_PRIVATE_MODES = (
    *(1, 3, 5, 6, 7, 9, 12, 25, 40, 45, 66, 67, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1048),
    *(2004, 2026, 2048),
)
KNOWN_MODES = frozenset({mo.IRM, mo.LNM, *_ALTERNATE, *(number << 5 for number in _PRIVATE_MODES)})
"""Modes that DECRQM reports and that may be set; setting others does nothing, so that they cannot accumulate."""

_DEFAULT_MODES = frozenset({mo.DECAWM, mo.DECTCEM})

# Of pyte's table (the Linux console's), only the block that xterm maps: letters and a few signs. "h" is DEC's symbol
# for a new line; the console shows a board of squares instead.
_LINE_DRAWING = {code: cs.VT100_MAP[code] for code in range(0x60, 0x7F)} | {ord("h"): "\u2424"}
_CHARSETS: dict[str, dict[int, str] | None] = {
    "0": _LINE_DRAWING,
    "A": {ord("#"): "\u00a3"},
    "B": None,
}

_CURSOR_SHAPES = {0: "block", 1: "block", 2: "block", 3: "underline", 4: "underline", 5: "bar", 6: "bar"}


class Saved(NamedTuple):
    """The state that DECSC saves. ``x`` after the last column means a pending wrap."""

    x: int
    y: int
    style: str
    charsets: tuple[str, ...]
    charset: int
    origin: bool


_HOME = Saved(0, 0, DEFAULT, ("B", "B"), 0, False)


class Terminal(Screen):
    """A screen with its modes, charsets and title.

    Attributes:
        rang: Whether BEL was received since ``take_effects``.
        alternate: Whether the alternate screen is shown.
        saved: The state saved by DECSC, for the primary and the alternate screen.
        reported_title: The title last reported as an effect.
    """

    def __init__(self, columns: int, lines: int, styles: StyleTable, history: History) -> None:
        self.effects: list[Effect] = []
        self.rang = False
        self.window_title: str | None = None
        self.reported_title: str | None = None
        super().__init__(columns, lines, styles, history)

    def reset(self) -> None:
        """RIS. Clears the history as well, but not the title, as in xterm."""
        self.rows = [Row() for _ in range(self.lines)]
        self.hidden_rows: list[Row] = [Row() for _ in range(self.lines)]
        self.alternate = False
        self.scrolls_into_history = True
        self.history.clear()
        self.saved = [_HOME, _HOME]
        self.cursor = Cursor(0, 0)
        self.style = DEFAULT
        self.semantic: str | None = None
        self.last = ""
        self.tabstops = set(range(8, self.columns, 8))
        self.cursor_shape = "block"
        self.cursor_blinks = False
        self.keyboards: list[list[int]] = [[0], [0]]
        self.titles: list[str] = []
        self._reset_modes()

    def _reset_modes(self) -> None:
        self.mode = set(_DEFAULT_MODES)
        self.margins = None
        self.wraps = True
        self.inserts = False
        self.charset_names = list(_HOME.charsets)
        self.charset = 0
        self.choose_charmap()

    def soft_reset(self) -> None:
        """DECSTR: reset modes, margins, charsets and style, but not text or cursor position."""
        keep = self.mode - _SOFT_RESET
        self._reset_modes()
        self.mode |= keep
        self._settle_column()
        self.cursor.hidden = False
        self.style = self.styles.with_semantic(DEFAULT, self.semantic)
        self.saved[self.alternate] = _HOME

    # Modes.

    def set_mode(self, *modes: int, **options: bool) -> None:
        """SM, or DECSET if ``private`` is given."""
        for mode in modes:
            self._switch_mode(mode << 5 if options.get("private") else mode, True)

    def reset_mode(self, *modes: int, **options: bool) -> None:
        """RM and DECRST."""
        for mode in modes:
            self._switch_mode(mode << 5 if options.get("private") else mode, False)

    def _switch_mode(self, mode: int, on: bool) -> None:
        if mode not in KNOWN_MODES:
            return
        if mode in _ALTERNATE:
            self._switch_screen(mode, on)
            return
        if mode == _COLUMNS and _COLUMNS_ALLOWED not in self.mode:
            return
        if on:
            self.mode.add(mode)
        else:
            self.mode.discard(mode)
        if mode == _COLUMNS:
            self._start_page()
        elif mode == mo.DECAWM:
            self.wraps = on
        elif mode == mo.IRM:
            self.inserts = on
        elif mode == mo.DECOM:
            self.cursor_position()
        elif mode == mo.DECTCEM:
            self.cursor.hidden = not on
        elif mode == _CURSOR_BLINK:
            self.cursor_blinks = on
        elif mode == _SAVE_CURSOR:
            if on:
                self.save_cursor()
            else:
                self.restore_cursor()
        elif mode == _SIZE_REPORTS:
            self.report_size()

    def report_size(self) -> None:
        """Report the size to a program that enabled in-band size reports (mode 2048)."""
        if _SIZE_REPORTS in self.mode:
            height, width = self.lines * CELL_HEIGHT, self.columns * CELL_WIDTH
            self.effects.append(Reply(b"\x1b[48;%d;%d;%d;%dt" % (self.lines, self.columns, height, width)))

    def _start_page(self) -> None:
        """Apply the side effects of DECCOLM; programs cannot change the width itself."""
        self.margins = None
        self.erase_in_display(2)
        self.cursor_position()

    def _switch_screen(self, mode: int, on: bool) -> None:
        """Switch screens. 1047 clears the alternate screen on leaving, 1049 on entering; 1049 also saves the cursor."""
        with_cursor = mode == 1049 << 5
        if on and with_cursor:
            self.save_cursor()
            if self.alternate:
                self._settle_column()
        if not on and self.alternate and mode == 1047 << 5:
            self.rows = [Row() for _ in range(self.lines)]
            self._settle_column()
        if on != self.alternate:
            self.rows, self.hidden_rows = self.hidden_rows, self.rows
            self.alternate = on
            self.scrolls_into_history = not on
        if on and with_cursor:
            self.rows = [Row() for _ in range(self.lines)]
        if not on and with_cursor:
            self.restore_cursor()
        self.mode -= _ALTERNATE
        if on:
            self.mode.add(mode)

    def is_set(self, private_mode: int) -> bool:
        """Return whether a DEC private mode is set."""
        return private_mode << 5 in self.mode

    def modes(self) -> Modes:
        """Return the modes as the protocol defines them."""
        return Modes.read(self.is_set, alt_screen=self.alternate, kitty_flags=self.kitty_flags)

    @property
    def kitty_flags(self) -> int:
        """The kitty keyboard protocol's flags of the screen shown."""
        return self.keyboards[self.alternate][-1]

    @property
    def modifies_other_keys(self) -> bool:
        """Whether modifiers of text keys are reported (xterm's modifyOtherKeys 2)."""
        return _MODIFY_OTHER_KEYS in self.mode

    def modify_keys(self, which: int = 0, how: int = 0) -> None:
        """XTMODKEYS: only the fourth resource ("other" keys), at its second level, is supported."""
        if which == 4 and how == 2:
            self.mode.add(_MODIFY_OTHER_KEYS)
        elif which in {0, 4}:
            self.mode.discard(_MODIFY_OTHER_KEYS)

    def push_keyboard(self, flags: int = 0) -> None:
        """CSI > flags u."""
        stack = self.keyboards[self.alternate]
        stack.append(flags & _KITTY_FLAGS)
        del stack[:-_KEYBOARDS_KEPT]

    def pop_keyboard(self, count: int = 1) -> None:
        """CSI < count u."""
        stack = self.keyboards[self.alternate]
        del stack[-min(count or 1, len(stack)) :]
        if not stack:
            stack.append(0)

    def set_keyboard(self, flags: int = 0, how: int = 1) -> None:
        """CSI = flags ; how u: set, add or remove."""
        stack = self.keyboards[self.alternate]
        flags &= _KITTY_FLAGS
        if how in {0, 1}:
            stack[-1] = flags
        elif how == 2:
            stack[-1] |= flags
        elif how == 3:
            stack[-1] &= ~flags

    def set_margins(self, top: int | None = None, bottom: int | None = None) -> None:
        """DECSTBM: set a region of at least two rows, else do nothing."""
        top = max(top or 1, 1)
        bottom = min(bottom or self.lines, self.lines)
        if top == 1 and bottom == self.lines:
            self.margins = None
        elif top < bottom:
            self.margins = Margins(top - 1, bottom - 1)
        else:
            return
        self.cursor_position()

    def set_cursor_style(self, style: int = 0) -> None:
        """DECSCUSR."""
        if style in _CURSOR_SHAPES:
            self.cursor_shape = _CURSOR_SHAPES[style]
            self.cursor_blinks = style % 2 == 1

    # Cursor, style and charsets.

    def save_cursor(self) -> None:
        """DECSC."""
        self.saved[self.alternate] = Saved(
            self.cursor.x,
            self.cursor.y,
            self.style,
            tuple(self.charset_names),
            self.charset,
            mo.DECOM in self.mode,
        )

    def restore_cursor(self) -> None:
        """DECRC. The saved state is kept."""
        saved = self.saved[self.alternate]
        self.cursor.x = min(saved.x, self.columns)
        self.cursor.y = min(saved.y, self.lines - 1)
        self.style = self.styles.with_semantic(saved.style, self.semantic)
        self.charset_names = list(saved.charsets)
        self.charset = saved.charset
        self.choose_charmap()
        if saved.origin:
            self.mode.add(mo.DECOM)
        else:
            self.mode.discard(mo.DECOM)

    def select_style(self, token: str) -> None:
        """SGR, given the whole sequence."""
        self.style = self.styles.after(self.style, token)

    def mark_semantic(self, semantic: str | None) -> None:
        """Set the semantic of the text that follows."""
        self.semantic = semantic
        self.style = self.styles.with_semantic(self.style, semantic)

    def fresh_line(self) -> None:
        """Go to the start of a line unless the cursor is there: OSC 133 requires it before a prompt."""
        if self.cursor.x:
            self.newline()
        elif self.cursor.y:
            # zsh and fish wrap the row above to get there if the output does not end with a newline.
            self.rows[self.cursor.y - 1].wrapped = False

    def designate(self, slot: int, name: str) -> None:
        """SCS: assign a charset to G0 or G1."""
        self.charset_names[slot] = name if name in _CHARSETS else "B"
        self.choose_charmap()

    def use_charset(self, slot: int) -> None:
        """SI and SO: use G0 or G1."""
        self.charset = slot
        self.choose_charmap()

    def choose_charmap(self) -> None:
        """Set the translation table for the charset in use."""
        self.charmap = _CHARSETS[self.charset_names[self.charset]]

    # Effects.

    def bell(self) -> None:
        """BEL."""
        self.rang = True

    def take_effects(self) -> list[Effect]:
        """Return the effects since the last call: replies, a new title, and at most one bell."""
        effects, self.effects = self.effects, []
        if self.window_title is not None and self.window_title != self.reported_title:
            effects.append(TitleChanged(self.window_title))
            self.reported_title = self.window_title
        if self.rang:
            self.rang = False
            effects.append(Bell())
        return effects

    def set_title(self, title: str) -> None:
        """OSC 0 and 2."""
        self.window_title = title[:MAX_TITLE]

    def push_title(self) -> None:
        """XTWINOPS 22."""
        self.titles = [*self.titles, self.window_title or ""][-_TITLES_KEPT:]

    def pop_title(self) -> None:
        """XTWINOPS 23."""
        if self.titles:
            title = self.titles.pop()
            # Programs push and pop around the alternate screen; popping must not create a title where there was none.
            if title or self.window_title is not None:
                self.set_title(title)
