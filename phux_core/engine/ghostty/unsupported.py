"""Control functions that libghostty-vt does not execute as other terminals do.

``UnsupportedSequences`` finds them in the stream, even if split between chunks, and the engine executes them itself.
All other sequences go to the library unchanged.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any

from phux_core.engine.ghostty.native import write
from phux_core.engine.ghostty.state import ORIGIN, cursor, with_mode

# The state after a soft reset (DEC STD 070 and xterm): cursor shown, insert and origin mode off, no margins, autowrap
# on, cursor and keypad keys normal, style and character sets default, nothing protected, and home as the saved cursor.
_SOFT_RESET = b'\x1b[?25h\x1b[4l\x1b[?6l\x1b[r\x1b[?7h\x1b[?45l\x1b[?1l\x1b>\x1b[m\x1b[0"q\x0f\x1b(B\x1b)B\x1b[H\x1b7'

# The patterns read the stream backwards, from the final byte of a sequence to its ESC. That way the regular expression
# engine searches for a literal byte, which is many times faster than trying each ESC, and a look-ahead can check the
# text before an EL.
_DECSTR = re.compile(rb"p!\[\x1b")
_TITLE_STACK = re.compile(rb"t[0-9;]{0,20}+(?<=[t;][23]2)\[\x1b")
# EL and ED to the right, DECSEL and DECSED. A wrap cannot be pending directly after a cursor motion; nor after CR or a
# CUP to one of the first columns, followed only by SGR and text too short to fill the row: a byte prints at most one
# column. Querying the terminal before each of them instead would halve the speed of programs that repaint the screen.
# (ncurses resets with ESC ( B and SGR, and goes to the start of a row with CR and VPA.)
_ERASE = rb"""
    %b 0{0,9}+ \?? \[\x1b (?! \r | H [0-9]*+ ;?+ [0-9]*+ \[\x1b | [A-Gd] [0-9]*+ \[\x1b
      | (?= [^H]{0,%d}+ H [0-9][1-3]; [0-9]*+ \[\x1b               # columns 10 to 39
          | [^H]{0,%d}+ H (?: [0-9]; )? [0-9]*+ \[\x1b             # columns 1 to 9
          | (?: [^H]{0,%d}+ H ){2} (?: [0-9]; )? [0-9]*+ \[\x1b )  # the same, with an H in the text
        (?: [^\x1b]* m[0-9;:]*+ \[\x1b (?: B\(\x1b )?+ )*+ [^\x1b]* H [0-9;]*+ \[\x1b
      | (?= [^\r]{0,%d}+ \r )
        (?: [^\x00-\x1f]* m[0-9;:]*+ \[\x1b (?: B\(\x1b )?+ )*+
        (?: [^\x00-\x1f]*+ \n*\r | [^\x00-\x1f]* d[0-9]*+ \[\x1b\r )
    )
"""
_BEGUN = re.compile(rb"\x1b(?:\[[!?0-9;]{0,28})?\Z")
_LONGEST = 32  # maximum length of these sequences


class UnsupportedSequences:
    """Finds the sequences in a stream, and keeps the stack of titles."""

    def __init__(self) -> None:
        self.titles: list[str] = []
        self._begun = b""  # the end of the stream, if one of the sequences may start there

    def find(self, data: bytes, cols: int) -> list[tuple[int, int, bytes]]:
        """Find the sequences that end in the next bytes of the stream.

        EL and ED are found only if a wrap may be pending in a terminal of ``cols`` columns.

        Returns:
            For each: its start (negative if in an earlier chunk), its end, and the whole sequence.
        """
        if b"\x1b" not in data and not self._begun:
            return []
        stream = self._begun + data if self._begun else data
        backwards = stream[::-1]
        size = len(data)
        found = [
            (size - match.end(), size - match.start(), match[0][::-1])
            for needed, pattern in _patterns(cols, tabs=b"\t" in stream)
            if needed in stream
            for match in pattern.finditer(backwards)
        ]
        begun = _BEGUN.search(stream, max(0, len(stream) - _LONGEST))
        self._begun = begun[0] if begun is not None else b""
        return sorted(found)

    def dump(self) -> str:
        """Return the state as text, for a checkpoint."""
        return json.dumps([self._begun.decode("latin-1"), self.titles])

    @classmethod
    def load(cls, state: str) -> UnsupportedSequences:
        """Restore the object from ``dump``."""
        loaded = cls()
        begun, loaded.titles, *_ = json.loads(state)
        loaded._begun = begun.encode("latin-1")
        return loaded


@lru_cache(maxsize=64)
def _patterns(cols: int, *, tabs: bool) -> list[tuple[bytes, re.Pattern[bytes]]]:
    """Return the patterns for a terminal of ``cols`` columns, each with a byte that its sequences contain."""
    # Of the control characters, only a tab moves the cursor to the right.
    room, more_room = (0 if tabs else max(cols - column, 0) for column in (39, 9))
    rooms = (room, more_room, max(more_room - 1, 0) // 2, cols - 1)
    erases = [(final, re.compile(_ERASE % (final, *rooms), re.VERBOSE)) for final in (b"K", b"J")]
    return [*erases, (b"t", _TITLE_STACK), (b"!", _DECSTR)]


def soft_reset(terminal: Any) -> None:
    """Execute DECSTR, which does not move the cursor."""
    x, y = cursor(terminal)
    write(terminal, _SOFT_RESET + b"\x1b[%d;%dH" % (y + 1, x + 1))


def erase_below(terminal: Any) -> None:
    """Erase the rows below the cursor. A pending wrap is lost, because only printing sets it."""
    x, y = cursor(terminal)
    with with_mode(terminal, ORIGIN, on=False):
        write(terminal, b"\x1b[%d;1H\x1b[J\x1b[%d;%dH" % (y + 2, y + 1, x + 1))
