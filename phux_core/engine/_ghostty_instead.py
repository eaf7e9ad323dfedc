"""What is done to a terminal of libghostty-vt in place of control functions that the library lacks.

``_ghostty_lacking`` finds them in the stream. The functions here write to the terminal between two sequences, and leave
what a program saved with DECSC alone.
"""

from __future__ import annotations

import re
from typing import Any

from phux_core.engine._ghostty_native import Sink, check, lib
from phux_core.engine._ghostty_state import mode, number, origin_at_top, wrapping
from phux_core.engine.encoding import CELL_HEIGHT, CELL_WIDTH

# What a soft reset amounts to (DEC STD 070 and xterm): cursor shown, insert and origin mode off, margins gone, autowrap
# on, cursor and keypad keys normal, style and character sets default, nothing protected, and home as the saved cursor.
_SOFT_RESET = b'\x1b[?25h\x1b[4l\x1b[?6l\x1b[r\x1b[?7h\x1b[?45l\x1b[?1l\x1b>\x1b[m\x1b[0"q\x0f\x1b(B\x1b)B\x1b[H\x1b7'

_ORIGIN, _SIDE_MARGINS = 6, 69
_SETTING = re.compile(rb"\x1bP1\$r([0-9]+);([0-9]+)[rs]\x1b\\")
_LARGEST = 0xFFFF


def soft_reset(terminal: Any) -> None:
    """DECSTR: the cursor stays where it is."""
    x, y = _cursor(terminal)
    _write(terminal, _SOFT_RESET + b"\x1b[%d;%dH" % (y + 1, x + 1))


def keep_size(terminal: Any, cols: int, rows: int) -> None:
    """Undo what DECCOLM did to the grid, and to nothing else: a pane has the size that its clients gave it."""
    if number(terminal, lib.GHOSTTY_TERMINAL_DATA_COLS) != cols:
        with wrapping(terminal):
            check(lib.ghostty_terminal_resize(terminal, cols, rows, CELL_WIDTH, CELL_HEIGHT), "resize")


def report_place(terminal: Any, sink: Sink) -> None:
    """DECXCPR: as the library answers DSR 6, with DEC's mark of a private answer."""
    sink.replies += [answer.replace(b"\x1b[", b"\x1b[?") for answer in _ask(terminal, sink, b"\x1b[6n")]
    sink.stirred = True


def move(terminal: Any, text: bytes) -> None:
    """CHA, HPA, HPR and VPR: in origin mode the library would count the row from the margin once more."""
    count = min(int(text[2:-1].split(b";")[0] or 1) or 1, _LARGEST)
    final = text[-1:]
    if not mode(terminal, _ORIGIN):
        _write(terminal, b"\x1b[%d%b" % (count, final))
    elif final in b"G`":
        # CR goes to where columns are counted from.
        _write(terminal, b"\r\x1b[%dC" % (count - 1) if count > 1 else b"\r")
    else:
        _write(terminal, b"\x1b[%d%b" % (count, b"C" if final == b"a" else b"B"))


def erase_below(terminal: Any) -> None:
    """Erase the rows below, for ED with a wrap pending. It is not pending afterwards: only printing makes it so."""
    x, y = _cursor(terminal)
    with origin_at_top(terminal):
        _write(terminal, b"\x1b[%d;1H\x1b[J\x1b[%d;%dH" % (y + 2, y + 1, x + 1))


def shift_columns(terminal: Any, sink: Sink, cols: int, text: bytes) -> None:
    """SL, SR, DECIC and DECDC: ICH or DCH in every row between the margins, if the cursor is between them."""
    top, bottom = _margins(terminal, sink, b"r")
    left, right = _margins(terminal, sink, b"s") if mode(terminal, _SIDE_MARGINS) else (1, cols)
    x, y = _cursor(terminal)
    if not (top <= y + 1 <= bottom and left <= x + 1 <= right):
        return
    column = left if text[-2:-1] == b" " else x + 1
    count = min(int(text[2:-2] or 1) or 1, cols)
    edit = b"\x1b[%d%b" % (count, b"@" if text[-1:] in b"A}" else b"P")
    with origin_at_top(terminal):
        for row in range(top, bottom + 1):
            _write(terminal, b"\x1b[%d;%dH%b" % (row, column, edit))
        _write(terminal, b"\x1b[%d;%dH" % (y + 1, x + 1))


def _margins(terminal: Any, sink: Sink, which: bytes) -> tuple[int, int]:
    match = _SETTING.search(b"".join(_ask(terminal, sink, b"\x1bP$q%b\x1b\\" % which)))
    return (int(match[1]), int(match[2])) if match else (1, _LARGEST)


def _ask(terminal: Any, sink: Sink, question: bytes) -> list[bytes]:
    """Ask the terminal as a program would, and keep the answer from the program."""
    before, sink.replies = sink.replies, []
    _write(terminal, question)
    answers, sink.replies = sink.replies, before
    return answers


def _cursor(terminal: Any) -> tuple[int, int]:
    return (
        number(terminal, lib.GHOSTTY_TERMINAL_DATA_CURSOR_X),
        number(terminal, lib.GHOSTTY_TERMINAL_DATA_CURSOR_Y),
    )


def _write(terminal: Any, data: bytes) -> None:
    lib.ghostty_terminal_vt_write(terminal, data, len(data))
