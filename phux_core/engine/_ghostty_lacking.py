"""Control functions that libghostty-vt reads past, or reads in a way of its own.

Finds them in the stream, also when they are cut in two, and says what to do instead: something else is written in
their place, or ``_ghostty_instead`` acts on the terminal. Every other sequence goes to the library untouched, and
without Python having looked at more than its first bytes.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

# What an ordinary stream is full of has to fail fast here: the parts before a choice never give back what they took,
# every choice begins with a byte that decides it, and there are few of them. Counts are bounded, because a sequence
# that was cut in two is recognised by its beginning.
_ODD = rb"""
\[ [0-9!?]{0,9}+ (?:
    ; [0-9]{0,9}+ (?:
        ; [0-9;]{0,50}+ [@A-MPSTXZ`abdefghj-lnrt]     # more numbers than two
      | [@A-GI-MPSTXZ`abdeghj-lnt]                    # more than one
    )
  | [gnpt '@ILMPSTXZabehlr] (?<=
        ..[gnpt ']                                    # TBC, DECXCPR, DECSTR, XTWINOPS, and what goes on below
      | \[0.                                          # a count of nought
      | \?[36].                                       # DECCOLM, DECOM, and XTRESTORE of them
    ) (?: (?<=[ ']) [@A}~] | (?<![ ']) )              # SL, SR, DECIC, DECDC
  | [JK] (?<!\r\x1b..)                               # EL and ED: a wrap may be pending
    (?! (?: \x1b\[ [0-9;:]{0,20}+ [JKm] ){0,4}+      # unless the cursor is moved next
        \x1b\[ [0-9;:?]{0,20}+ [^0-9;:?JKm] )
  %b
)
"""
_ANYWHERE = re.compile(rb"\x1b" + _ODD % b"", re.VERBOSE)
# Once origin mode was used, CHA, HPA, HPR and VPR have to be looked at as well, until a full reset.
_WITH_ORIGIN = re.compile(rb"\x1b (?: %b | c )" % (_ODD % b"| [G`ae]"), re.VERBOSE)
_BEGUN = re.compile(rb"\x1b(?:\[[0-9!?;]{0,72}[ ']?)?\Z")
_LONGEST = 80  # bytes of the longest of them
_NUMBERS = b"0123456789; '"
_HIGHLIGHT = 4  # semicolons that make SD xterm's highlight tracking
_MOST_TITLES = 10  # as many as xterm keeps


class Found(NamedTuple):
    """One of these sequences.

    Attributes:
        start: Where it begins; negative when that was in an earlier chunk.
        end: Where it ends.
        what: ``reset``, ``push``, ``pop``, ``modes``, ``place``, ``shift``, ``motion``, ``erase`` or ``rewrite``.
        text: All of it, or for ``rewrite`` what to write in its place.
    """

    start: int
    end: int
    what: str
    text: bytes


class Lacking:
    """What of these functions has to be remembered.

    Attributes:
        titles: The titles that were pushed, the latest last.
    """

    def __init__(self) -> None:
        self.titles: list[str] = []
        self._begun = b""  # the end of the stream, if one of the sequences may have begun there
        self._origin = False  # whether origin mode was used since the last full reset

    def find(self, data: bytes) -> list[Found]:
        """Find the sequences that end in the next bytes of the stream."""
        if b"\x1b" not in data and not self._begun:
            return []
        before = len(self._begun)
        joined = self._begun + data if before else data
        found: list[Found] = []
        at = 0
        while match := (_WITH_ORIGIN if self._origin else _ANYWHERE).search(joined, at):
            at = match.end()
            what, text = self._understand(match[0])
            if what:
                found.append(Found(match.start() - before, at - before, what, text))
        begun = _BEGUN.search(joined, max(at, len(joined) - _LONGEST))
        self._begun = begun[0] if begun is not None else b""
        return found

    def _understand(self, text: bytes) -> tuple[str, bytes]:
        """What a sequence is, and what to write; nothing for one that the library reads as everybody does."""
        body, final = text[2:-1], text[-1:]
        what = ""
        if final in b"JK" and body in {b"", b"0"}:
            what = "erase"
        elif not body and final == b"c":
            self._origin = False
        elif body.startswith(b"?"):
            modes = {*body[1:].split(b";")}
            if final in b"hlr" and modes & {b"3", b"6"}:
                self._origin = self._origin or b"6" in modes
                what = "modes"
            elif body == b"?6" and final == b"n":
                what = "place"
        elif body == b"!" and final == b"p":
            what = "reset"
        elif final == b"p" or body.strip(_NUMBERS):
            what = ""  # "?" and "!" mean nothing elsewhere
        elif final == b"t":
            operation, _, details = body.partition(b";")
            if details.split(b";")[0].lstrip(b"0") != b"1":  # the icon's name is no title
                what = {b"22": "push", b"23": "pop"}.get(operation, "")
        elif body[-1:] in {b" ", b"'"}:
            what = "shift"
        elif self._origin and final in b"G`ae":
            what = "motion"
        elif final not in b"hl" and not (final == b"T" and body.count(b";") == _HIGHLIGHT):
            rewritten = _first_numbers(body, final)
            return ("rewrite", rewritten) if rewritten != text else ("", text)
        return what, text

    def push(self, title: str) -> None:
        """Remember a title."""
        self.titles.append(title)
        del self.titles[:-_MOST_TITLES]

    def dump(self) -> bytes:
        """Write it down for a checkpoint."""
        return json.dumps([self._begun.decode("latin-1"), self.titles, self._origin]).encode()

    @classmethod
    def load(cls, state: bytes) -> Lacking:
        """Read what ``dump`` wrote."""
        lacking = cls()
        begun, lacking.titles, lacking._origin = json.loads(state)
        lacking._begun = begun.encode("latin-1")
        return lacking


def _first_numbers(body: bytes, final: bytes) -> bytes:
    """Leave out the numbers that a function does not take; an empty number is a default that the library knows."""
    taken = body.split(b";")[: 2 if final in b"Hfr" else 1]
    numbers = b";".join(number.lstrip(b"0") for number in taken)
    return b"\x1b[%b%b" % (b"0" if final == b"g" and not numbers else numbers, final)
