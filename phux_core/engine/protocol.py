"""The terminal engine interface: bytes in, screens and effects out.

An engine interprets terminal bytes and does nothing else: it opens no files, knows no panes and never blocks. The two
implementations (``ghostty`` and ``pyte``) are interchangeable; the contract tests in tests/contract run on both.

Positions: an engine counts every byte it is fed. ``Engine.position`` is that count, and effects whose place in the
stream matters carry absolute ``start`` and ``end`` positions. A restored engine continues from its checkpoint's
position.

Rows: the first row of the viewport is row 0; history rows are negative, -1 being the newest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, get_args

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.engine.tap import Tap
    from phux_core.keys import Key

MAX_SIZE = 1000
"""Maximum number of columns, and of rows."""

DEFAULT_HISTORY = 10_000
"""Default number of scrollback rows."""


def check_limits(cols: int, rows: int, history: int = 0) -> None:
    """Check the size of a terminal and its history limit.

    Raises:
        ValueError: The size or the limit is out of range.
    """
    if not (1 <= cols <= MAX_SIZE and 1 <= rows <= MAX_SIZE):
        raise ValueError(f"the size is {cols}x{rows}: columns and rows must be 1 to {MAX_SIZE}")
    if history < 0:
        raise ValueError(f"the history limit is {history} rows: it must not be negative")


class Reply(NamedTuple):
    """The terminal's reply to a query (DA, DSR, DECRQM, ...), to be written to the pty."""

    data: bytes


class TitleChanged(NamedTuple):
    """The terminal's title changed to ``title``."""

    title: str


class CwdChanged(NamedTuple):
    """OSC 7 reported ``cwd`` (a path, percent-decoded) as the working directory."""

    cwd: str


class Bell(NamedTuple):
    """BEL was received, once or more in this feed."""


class Notified(NamedTuple):
    """The program asks to notify the user (OSC 9 or 777); the title may be empty."""

    title: str
    text: str


class Copied(NamedTuple):
    """The program writes to the clipboard (OSC 52): ``data`` is the text in base64."""

    data: str


class Mark(NamedTuple):
    """An OSC 133 mark.

    Attributes:
        kind: ``A`` prompt starts, ``B`` input starts, ``C`` output starts, ``D`` command ended, others as sent.
        exit_code: The exit status in ``D``, if any.
        options: The remaining parameters, as sent.
        start: Position of the first byte of the sequence.
        end: Position after its last byte.
    """

    kind: str
    exit_code: int | None
    options: str
    start: int
    end: int


class PrivateOsc(NamedTuple):
    """One of phux's own marks: ``OSC 7748 ; data ST``. The screen never sees it.

    Attributes:
        data: The bytes after the number and its semicolon.
        start: Position of the first byte of the sequence.
        end: Position after its last byte.
    """

    data: bytes
    start: int
    end: int


Effect = Reply | TitleChanged | CwdChanged | Bell | Notified | Copied | Mark | PrivateOsc

BRACKETED_PASTE = 2004
"""The number of the DEC private mode for bracketed paste."""
PRIVATE_OSC = 7748
"""The OSC number of phux's own marks."""


class Cursor(NamedTuple):
    """The cursor in the viewport, 0-based.

    While a wrap is pending, ``x`` is the last column, not the one after it.
    """

    x: int
    y: int
    visible: bool
    shape: str = "block"  # block | underline | bar
    blinking: bool = False


class Modes(NamedTuple):
    """The modes that are visible outside the engine."""

    bracketed_paste: bool
    application_cursor: bool
    application_keypad: bool
    mouse: str  # off | x10 | normal | button | any
    mouse_format: str  # x10 | utf8 | sgr | urxvt | sgr_pixels
    focus_events: bool
    synchronized_output: bool
    alt_screen: bool
    kitty_flags: int

    @classmethod
    def read(cls, is_set: Callable[[int], bool], *, alt_screen: bool, kitty_flags: int) -> Modes:
        """Return the modes of a terminal.

        Args:
            is_set: Returns whether the DEC private mode with a number is set.
            alt_screen: Whether the alternate screen is shown.
            kitty_flags: The flags of the kitty keyboard protocol.
        """
        # Programs may set several of the modes for the mouse; the strongest counts.
        tracking = ((1003, "any"), (1002, "button"), (1000, "normal"), (9, "x10"))
        formats = ((1016, "sgr_pixels"), (1006, "sgr"), (1015, "urxvt"), (1005, "utf8"))
        return cls(
            bracketed_paste=is_set(BRACKETED_PASTE),
            application_cursor=is_set(1),
            application_keypad=is_set(66),
            mouse=next((name for number, name in tracking if is_set(number)), "off"),
            mouse_format=next((name for number, name in formats if is_set(number)), "x10"),
            focus_events=is_set(1004),
            synchronized_output=is_set(2026),
            alt_screen=alt_screen,
            kitty_flags=kitty_flags,
        )


Color = int | tuple[int, int, int] | None
"""A palette index, red-green-blue, or None for the terminal's default."""


Underline = Literal["single", "double", "curly", "dotted", "dashed"]
"""The style of an underline (SGR 4:1 to 4:5)."""
UNDERLINES: tuple[Underline, ...] = get_args(Underline)
"""The styles in the order of their numbers, which start at 1."""


class Style(NamedTuple):
    """The style of a cell; ``link`` is the URI of its hyperlink."""

    bold: bool = False
    faint: bool = False
    italic: bool = False
    underline: Underline | None = None
    blink: bool = False
    inverse: bool = False
    invisible: bool = False
    strikethrough: bool = False
    overline: bool = False
    fg: Color = None
    bg: Color = None
    underline_color: Color = None
    link: str | None = None


DEFAULT_STYLE = Style()


class Span(NamedTuple):
    """A run of cells on one row that share style, semantic and glyph width.

    Attributes:
        row: The row, 0 for the first of the viewport, negative for history.
        col: Grid column of the first cell.
        count: Number of glyphs; a wide glyph counts once.
        width: Columns each glyph takes, 1 or 2.
        text: The glyphs, combining marks included; a blank cell is a space.
        style: Their common style.
        semantic: ``"prompt"``, ``"input"`` or None (output).
        glyphs: The glyphs one by one if any has several code points; otherwise None, and each character of ``text`` is
            one.
    """

    row: int
    col: int
    count: int  # type: ignore[assignment]  # shadows tuple.count, which is not needed here
    width: int
    text: str
    style: Style
    semantic: str | None
    glyphs: tuple[str, ...] | None = None


class Lines(NamedTuple):
    """Rows as text.

    Attributes:
        text: One string per row, without trailing spaces; other trailing blank characters were written by the program.
        wrapped: For each row, whether it continues in the next one (soft wrap).
    """

    text: list[str]
    wrapped: list[bool]


class Mouse(NamedTuple):
    """A mouse event to encode; cell coordinates are 0-based."""

    kind: str  # press | release | move
    button: str | None  # left | middle | right | wheel_up | wheel_down | wheel_left | wheel_right | None (motion)
    x: int
    y: int
    ctrl: bool = False
    alt: bool = False
    shift: bool = False


class Engine(Protocol):
    """One terminal. Not thread-safe; no method blocks."""

    name: str
    """``"ghostty"`` or ``"pyte"``."""

    @property
    def cols(self) -> int:
        """The number of columns."""

    @property
    def rows(self) -> int:
        """The number of rows."""

    @property
    def position(self) -> int:
        """The position of the next byte: the number of bytes fed so far, including those before a checkpoint."""

    @property
    def history_rows(self) -> int:
        """The number of scrollback rows that can be read; never more than the history limit.

        The alternate screen has no history: while it is shown, this still counts the primary screen's.
        """

    @property
    def title(self) -> str | None:
        """The terminal's title, or None if none was set."""

    @property
    def cwd(self) -> str | None:
        """The last directory reported with OSC 7, or None."""

    @property
    def alt_screen(self) -> bool:
        """Whether the alternate screen is shown; cheaper than ``modes``."""

    @property
    def bracketed_paste(self) -> bool:
        """Whether bracketed paste is enabled; cheaper than ``modes``."""

    tap: Tap
    """The scanner through which its input passes."""

    def feed(self, data: bytes) -> list[Effect]:
        """Process output of the program: any bytes, split anywhere. Never raises because of their content."""

    def resize(self, cols: int, rows: int) -> list[Effect]:
        """Resize the grid to 1 to ``MAX_SIZE`` columns and rows, reflowing soft-wrapped lines of the primary screen.

        Returns:
            The size report for a program that enabled mode 2048. Write the report to the PTY at once: such programs may
            ignore SIGWINCH.

        Raises:
            ValueError: The size is out of range.
        """

    def set_history_limit(self, rows: int) -> None:
        """Limit the scrollback to ``rows`` rows; 0 keeps none."""

    def lines(self, first: int, count: int) -> Lines:
        """Return rows ``first`` to ``first + count - 1`` as text, omitting rows that do not exist."""

    def spans(self, first: int, count: int) -> list[Span]:
        """Return the same rows as runs of styled cells, row by row.

        Blank cells with default style and no semantic are omitted, except inside a run.
        """

    def changed(self) -> dict[int, list[Span]]:
        """Return the viewport rows that may have changed since the last call, as ``spans`` returns them.

        Return all rows on the first call, and whenever the changes are unknown. An engine supports only one such
        reader: each change is returned once.
        """

    def forget_changes(self) -> None:
        """Free the state that ``changed`` keeps; its next call returns all rows."""

    def cursor(self) -> Cursor:
        """Return the cursor."""

    def modes(self) -> Modes:
        """Return the current modes."""

    def encode_key(self, key: Key) -> bytes:
        """Return the bytes to send for a key press in the current modes."""

    def checkpoint(self) -> bytes:
        """Return the whole state as bytes: modes, scrollback, both screens, parser state, position."""

    def close(self) -> None:
        """Free the engine's resources. Closing twice is harmless; any other use afterwards is an error."""
