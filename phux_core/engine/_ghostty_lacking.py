"""Control functions that libghostty-vt reads past: soft reset (DECSTR) and the stack of titles (XTWINOPS 22 and 23).

Finds them in the stream, also when they are cut in two, and says what to do instead. The library itself ignores them,
so they may go to it as they are.
"""

from __future__ import annotations

import json
import re

# What a soft reset amounts to (DEC STD 070 and xterm): cursor shown, insert and origin mode off, margins gone, cursor
# and keypad keys normal, style and character sets default, and home as the saved cursor.
SOFT_RESET_ACTIONS = b"\x1b[?25h\x1b[4l\x1b[?6l\x1b[r\x1b[?1l\x1b>\x1b[m\x0f\x1b(B\x1b)B\x1b[H\x1b7"

_WHOLE = re.compile(rb"\x1b\[(?:(!p)|2([23])(?:;([0-9]{0,2})(?:;[0-9]{0,2})?)?t)")
_BEGUN = re.compile(rb"\x1b(?:\[(?:!|2(?:[23](?:;[0-9]{0,2}){0,2})?)?)?\Z")
_LONGEST = len(b"\x1b[22;00;00t")
_MOST_TITLES = 10  # as many as xterm keeps


class Lacking:
    """What of these functions has to be remembered.

    Attributes:
        titles: The titles that were pushed, the latest last.
    """

    def __init__(self) -> None:
        self.titles: list[str] = []
        self._begun = b""  # the end of the stream, if one of the sequences may have begun there

    def find(self, data: bytes) -> list[tuple[int, str]]:
        """Find the sequences that end in the next bytes of the stream.

        Returns:
            For each, where it ends and what it is: ``reset``, ``push`` or ``pop``.
        """
        if b"\x1b" not in data and not self._begun:
            return []
        before = len(self._begun)
        joined = self._begun + data if before else data
        found = []
        for match in _WHOLE.finditer(joined):
            if match[1]:
                found.append((match.end() - before, "reset"))
            elif match[3] not in {b"1", b"01"}:  # the icon's name is no title
                found.append((match.end() - before, "push" if match[2] == b"2" else "pop"))
        begun = _BEGUN.search(joined, max(0, len(joined) - _LONGEST))
        self._begun = begun[0] if begun is not None else b""
        return found

    def push(self, title: str) -> None:
        """Remember a title."""
        self.titles.append(title)
        del self.titles[:-_MOST_TITLES]

    def dump(self) -> bytes:
        """Write it down for a checkpoint."""
        return json.dumps([self._begun.decode("latin-1"), self.titles]).encode()

    @classmethod
    def load(cls, state: bytes) -> Lacking:
        """Read what ``dump`` wrote."""
        lacking = cls()
        begun, lacking.titles = json.loads(state)
        lacking._begun = begun.encode("latin-1")
        return lacking
