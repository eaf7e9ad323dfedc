"""What a terminal engine is: bytes in, screens and effects out.

An engine owns the meaning of terminal bytes and nothing else: it opens no files, knows no panes and never
blocks. The two implementations (``ghostty`` and ``pyte``) are interchangeable behind ``Engine``; one
contract suite, tests/contract, holds them to it.

Positions: an engine counts every byte it was ever fed. ``Engine.position`` is that count, and effects that
matter to somebody's place in the stream carry absolute ``start`` and ``end`` positions. A restored engine
goes on counting where its checkpoint stood.

Rows: the first row of the viewport is row 0; history rows are negative, -1 being the newest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from phux_core.keys import Key

MAX_SIZE = 1000
"""Columns and rows a terminal may have, each."""

DEFAULT_HISTORY = 10_000
"""Rows of scrollback an engine keeps unless told otherwise."""


class Reply(NamedTuple):
    """Bytes the terminal answers to the program (DA, DSR, DECRQM, ...): write them to the PTY."""

    data: bytes


class TitleChanged(NamedTuple):
    """The window title is now ``title``."""

    title: str


class CwdChanged(NamedTuple):
    """OSC 7 said that the working directory is now ``cwd`` (a path, percent-decoded)."""

    cwd: str


class Bell(NamedTuple):
    """BEL rang, once or more in this feed."""


class Mark(NamedTuple):
    """An OSC 133 mark.

    Attributes:
        kind: ``A`` prompt starts, ``B`` input starts, ``C`` output starts, ``D`` command ended, others as sent.
        exit_code: What ``D`` carried, if it did.
        options: The rest of the parameters, as sent.
        start: Position of the first byte of the sequence.
        end: Position after its last byte.
    """

    kind: str
    exit_code: int | None
    options: str
    start: int
    end: int


class PrivateOsc(NamedTuple):
    """One of our own markers: ``OSC 7748 ; data ST``. The screen never sees it.

    Attributes:
        data: The bytes after the number and its semicolon.
        start: Position of the first byte of the sequence.
        end: Position after its last byte.
    """

    data: bytes
    start: int
    end: int


Effect = Reply | TitleChanged | CwdChanged | Bell | Mark | PrivateOsc

PRIVATE_OSC = 7748
"""The OSC number of phux's own markers."""


class Cursor(NamedTuple):
    """The cursor in the viewport, 0-based.

    ``x`` may equal the last column with a wrap pending; it never exceeds it.
    """

    x: int
    y: int
    visible: bool
    shape: str = "block"  # block | underline | bar
    blinking: bool = False


class Modes(NamedTuple):
    """The modes that somebody outside the engine needs to know."""

    bracketed_paste: bool
    application_cursor: bool
    application_keypad: bool
    mouse: str  # off | x10 | normal | button | any
    mouse_format: str  # x10 | utf8 | sgr | urxvt | sgr_pixels
    focus_events: bool
    synchronized_output: bool
    alt_screen: bool
    kitty_flags: int


Color = int | tuple[int, int, int] | None
"""A palette index, red-green-blue, or None for the terminal's default."""


class Style(NamedTuple):
    """How a cell is drawn. Underline kinds collapse into one flag."""

    bold: bool = False
    faint: bool = False
    italic: bool = False
    underline: bool = False
    blink: bool = False
    inverse: bool = False
    invisible: bool = False
    strikethrough: bool = False
    overline: bool = False
    fg: Color = None
    bg: Color = None


DEFAULT_STYLE = Style()


class Span(NamedTuple):
    """A run of cells on one row that share style, semantic and glyph width.

    Attributes:
        row: The row, 0 for the first of the viewport, negative for history.
        col: Grid column of the first cell.
        count: How many glyphs (cells; the right half of a wide glyph is not counted).
        width: Columns each glyph takes, 1 or 2.
        text: The glyphs, combining marks included; a blank cell is a space.
        style: The style of all of them.
        semantic: ``"prompt"``, ``"input"`` or None (output).
        glyphs: The glyphs one by one, if some of them have several code points; else None, and ``text`` has one each.
    """

    row: int
    col: int
    count: int  # type: ignore[assignment]  # tuple's method of that name is of no use here
    width: int
    text: str
    style: Style
    semantic: str | None
    glyphs: tuple[str, ...] | None = None


class Lines(NamedTuple):
    """Rows as text.

    Attributes:
        text: One string a row, spaces at its end removed; other blank characters there were written by somebody.
        wrapped: For each row, whether it goes on in the next one (soft wrap).
    """

    text: list[str]
    wrapped: list[bool]


class Mouse(NamedTuple):
    """A mouse event to be encoded, cell coordinates 0-based."""

    kind: str  # press | release | move
    button: str | None  # left | middle | right | wheel_up | wheel_down | wheel_left | wheel_right | None (motion)
    x: int
    y: int
    ctrl: bool = False
    alt: bool = False
    shift: bool = False


class Engine(Protocol):
    """One terminal. Not thread-safe; every method returns at once."""

    name: str
    """``"ghostty"`` or ``"pyte"``."""

    @property
    def cols(self) -> int:
        """Columns of the grid."""

    @property
    def rows(self) -> int:
        """Rows of the grid."""

    @property
    def position(self) -> int:
        """Where in the stream the next byte stands: how many bytes were ever fed, to this terminal or one before."""

    @property
    def history_rows(self) -> int:
        """How many rows of scrollback can be read now; never more than the history limit.

        The alternate screen has no history: while it is shown, this is still the primary screen's.
        """

    @property
    def title(self) -> str | None:
        """The window title, None until one was set."""

    @property
    def cwd(self) -> str | None:
        """The directory OSC 7 named last, None until then."""

    @property
    def alt_screen(self) -> bool:
        """Whether the alternate screen is shown; the one mode that is asked for often."""

    def feed(self, data: bytes) -> list[Effect]:
        """Take bytes from the program; any bytes, cut anywhere. Never raises on what is in them.

        Bytes a caller had to leave out are not fed; bytes of any kind that were read are.
        """

    def resize(self, cols: int, rows: int) -> list[Effect]:
        """Change the grid, 1 to ``MAX_SIZE`` each way, reflowing soft-wrapped lines of the primary screen.

        Returns:
            The report of the new size for a program that asked for it (mode 2048). Some that did no longer look at
            SIGWINCH, so it has to be written at once.

        Raises:
            ValueError: A size out of range.
        """

    def set_history_limit(self, rows: int) -> None:
        """Keep at most ``rows`` rows of scrollback from now on; 0 keeps none."""

    def lines(self, first: int, count: int) -> Lines:
        """Read rows ``first`` to ``first + count - 1``; rows that do not exist are left out."""

    def spans(self, first: int, count: int) -> list[Span]:
        """Read the same rows as runs of styled cells, row-major.

        Cells that are blank with default style and no semantic are left out, except inside a run.
        """

    def changed(self) -> dict[int, list[Span]]:
        """Read the rows of the viewport that may look different since this was last asked, as ``spans`` reads them.

        All of them the first time, and whenever that is not known. There is one reader for an engine: what was told is
        not told again.
        """

    def forget_changes(self) -> None:
        """Free what ``changed`` keeps to know what changed; it begins anew with the next call."""

    def cursor(self) -> Cursor:
        """Where the cursor is."""

    def modes(self) -> Modes:
        """The modes now."""

    def encode_key(self, key: Key) -> bytes:
        """What this key types, in the modes of now."""

    def encode_paste(self, text: str) -> bytes:
        """What pasting this text types: bracketed when the program asked for it.

        An end-of-paste sequence inside the text is taken out, so that pasted text cannot leave the brackets.
        Newlines become carriage returns when not bracketed.
        """

    def encode_mouse(self, event: Mouse) -> bytes:
        """What this mouse event types; empty when the program did not ask for it."""

    def encode_focus(self, focused: bool) -> bytes:
        """What gaining or losing the focus types; empty when the program did not ask for it."""

    def checkpoint(self) -> bytes:
        """The whole state as bytes: modes, scrollback, both screens, parser state, position."""

    def close(self) -> None:
        """Free what the engine holds. Closing twice is harmless; any other use afterwards is an error."""
