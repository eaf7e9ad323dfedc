r"""A scanner that finds phux's marks in the byte stream before an engine reads it.

Both engines run every chunk through ``Tap.scan``. It counts positions, reports OSC 133 and OSC 7748 marks and OSC 7
(working directory) as effects, and returns the bytes for the engine without OSC 7748, OSC 8 and the clipboard
sequences:

- OSC 8, because phux does not report hyperlinks and they can crash libghostty when it resizes;
- OSC 52 and 5522, because a program in a pane must not access the clipboard, whatever the engine supports.

It interprets nothing else and keeps no screen state.

Two facts make such a simple scan correct. ``ESC ]`` starts an OSC in any state of a VT parser, because ESC cancels the
sequence in progress. And an OSC ends at the first BEL, ESC, CAN or SUB (not at an 8-bit ST: 0x9C is also a UTF-8
continuation byte). A removed sequence is replaced by ``ESC \``, which only cancels, so that the bytes before and after
it cannot combine into a sequence.
"""

from __future__ import annotations

import json
import re
from urllib.parse import unquote_to_bytes

from phux_core.engine.protocol import PRIVATE_OSC, CwdChanged, Effect, Mark, PrivateOsc

MAX_BODY = 64 * 1024
"""Maximum length of a collected OSC body; a longer one is skipped and not reported."""

_OSC = b"\x1b]"
_ESC = 0x1B
_BEL = 0x07
_BACKSLASH = 0x5C
_BRACKET = 0x5D
_SEMICOLON = 0x3B

_TERMINATOR = re.compile(rb"[\x07\x18\x1a\x1b]")
# A complete OSC with a short number, from its bracket on: the common case.
_WHOLE = re.compile(rb"\]([0-9]{1,4});([^\x07\x18\x1a\x1b]*)(?:\x07|\x1b\\)")
_EXIT_CODE = re.compile(r"-?[0-9]{1,10}")

# OSC numbers are compared as spelled: no terminal accepts "08" as a hyperlink either.
_MARK, _CWD, _PRIVATE = b"133", b"7", str(PRIVATE_OSC).encode()
_COLLECTED = frozenset({_MARK, _CWD, _PRIVATE})
_WITHHELD = frozenset({_PRIVATE, b"8", b"52", b"5522"})
_LONGEST_NUMBER = max(map(len, _COLLECTED | _WITHHELD))

# Scanner states.
_TEXT = 0  # outside any OSC
_NUMBER = 1  # after "ESC ]", number incomplete; these bytes are held back
_BODY = 2  # inside an OSC
_ENDING = 3  # after the ESC that ended an OSC; a backslash here belongs to it


class Tap:
    """An incremental scanner; sequences may be split anywhere between two calls of ``scan``.

    Args:
        position: Stream position at which the scanner starts.

    Attributes:
        position: Stream position of the next byte.
        cwd: The last directory reported with OSC 7, or None.
    """

    __slots__ = ("_begin", "_body", "_esc", "_held", "_number", "_state", "_withheld", "cwd", "position")

    def __init__(self, position: int = 0) -> None:
        self.position = position
        self.cwd: str | None = None
        self._state = _TEXT
        self._esc = False  # in _TEXT: the last byte was ESC
        self._held = b""  # in _NUMBER: "]" and digits of an earlier chunk, not yet passed to the engine
        self._number = b""
        self._withheld = False
        self._body: bytearray | None = None  # None: not collected, or longer than MAX_BODY
        self._begin = 0

    @property
    def in_osc(self) -> bool:
        """Whether the stream is inside an OSC."""
        return self._state in {_NUMBER, _BODY}

    def scan(self, data: bytes) -> tuple[bytes, list[Effect]]:
        """Scan the next bytes of the stream.

        Args:
            data: Bytes as the program wrote them.

        Returns:
            The bytes for the engine (``data`` itself if nothing was removed), and the effects found.
        """
        effects: list[Effect] = []
        # Hot path: most chunks contain no OSC. Searching for single bytes is ten times as fast as searching for two.
        if self._state == _TEXT and not self._esc and (b"\x1b" not in data or b"]" not in data or data.find(_OSC) < 0):
            self.position += len(data)
            self._esc = data.endswith(b"\x1b")
            return data, effects
        return self._scan_slowly(data, effects), effects

    def _scan_slowly(self, data: bytes, effects: list[Effect]) -> bytes:
        base = self.position
        size = len(data)
        self.position = base + size
        out: list[bytes] = []
        copied = 0  # data[:copied] was already passed on or removed
        bracket = 0  # index of the current OSC in this chunk, if it starts here
        at = 0
        while at < size:
            if self._state == _TEXT:
                if self._esc and data[at] == _BRACKET:
                    bracket = at
                else:
                    found = data.find(_OSC, at)
                    if found < 0:
                        self._esc = data.endswith(b"\x1b")
                        break
                    bracket = found + 1
                # The ESC always goes to the engine, because it cancels a sequence in progress either way.
                self._begin = base + bracket - 1
                self._esc = False
                whole = _WHOLE.match(data, bracket)
                if whole is not None:
                    self._number, body = whole.groups()
                    at = whole.end()
                    self._withheld = self._number in _WITHHELD
                    if self._number in _COLLECTED and len(body) <= MAX_BODY:
                        self._report(body, base + at, effects)
                    if self._withheld:
                        out += (data[copied:bracket], b"\\")
                        copied = at
                    continue
                self._held = self._number = b""
                self._state = _NUMBER
                at = bracket + 1
            elif self._state == _NUMBER:
                first = at
                limit = _LONGEST_NUMBER + 1 - len(self._number)
                while at < size and at - first < limit and 0x30 <= data[at] <= 0x39:
                    at += 1
                self._number += data[first:at]
                if at == size and len(self._number) <= _LONGEST_NUMBER:
                    break
                known = at < size and data[at] == _SEMICOLON
                self._withheld = known and self._number in _WITHHELD
                self._body = bytearray() if known and self._number in _COLLECTED else None
                if self._withheld:
                    out.append(data[copied:bracket])
                    copied = bracket
                elif self._held:
                    out.append(self._held)
                self._held = b""
                self._state = _BODY
                at += known
            elif self._state == _BODY:
                match = _TERMINATOR.search(data, at)
                end = match.start() if match else size
                self._collect(data, at, end)
                if self._withheld:
                    copied = end
                at = end
                if match is None:
                    break
                terminator = data[end]
                at = end + 1
                if terminator == _ESC:
                    self._state = _ENDING
                    if self._withheld:
                        copied = at
                    continue
                self._state = _TEXT
                if terminator == _BEL:
                    self._finish(base + at, effects)
                    if self._withheld:
                        out.append(b"\\")
                        copied = at
                # CAN and SUB cancel: nothing is reported, and the byte itself goes to the engine.
                self._body = None
            else:  # _ENDING
                self._state = _TEXT
                if data[at] == _BACKSLASH:
                    at += 1
                    self._finish(base + at, effects)
                    # If withheld, this backslash completes the "ESC \\" that replaces the sequence.
                else:
                    self._finish(base + at - 1, effects)
                    self._esc = True
                    if self._withheld:
                        out.append(b"\\\x1b")
                self._body = None
        if self._state == _NUMBER:
            out.append(data[copied:bracket])
            self._held += data[bracket:]
        elif not (self._withheld and self._state in {_BODY, _ENDING}):
            if not out and copied == 0:
                return data
            out.append(data[copied:])
        return b"".join(out)

    def _collect(self, data: bytes, start: int, end: int) -> None:
        body = self._body
        if body is not None:
            if len(body) + end - start > MAX_BODY:
                self._body = None
            else:
                body += data[start:end]

    def _finish(self, end: int, effects: list[Effect]) -> None:
        """Report the OSC that ended before position ``end``, if its body was collected."""
        if self._body is not None:
            self._report(bytes(self._body), end, effects)

    def _report(self, body: bytes, end: int, effects: list[Effect]) -> None:
        if self._number == _PRIVATE:
            effects.append(PrivateOsc(body, self._begin, end))
        elif self._number == _MARK:
            kind, _, options = body.decode("utf-8", "replace").partition(";")
            if kind:
                effects.append(_mark(kind, options, self._begin, end))
        else:
            cwd = _directory(body)
            if cwd is not None and cwd != self.cwd:
                self.cwd = cwd
                effects.append(CwdChanged(cwd))

    def dump(self) -> bytes:
        """Return the scanner's state as bytes, for checkpoints."""
        held, number = self._held.decode("latin-1"), self._number.decode("latin-1")
        body = None if self._body is None else self._body.decode("latin-1")
        state = [self.position, self._begin, self._state, self._esc, self._withheld, held, number, body, self.cwd]
        return json.dumps(state).encode()

    @classmethod
    def load(cls, state: bytes) -> Tap:
        """Restore a scanner from the bytes of ``dump``.

        Raises:
            ValueError: The bytes are not a valid dump.
        """
        try:
            position, begin, mode, esc, withheld, held, number, body, cwd = json.loads(state)
            tap = cls(int(position))
            tap.cwd = cwd
            tap._begin, tap._state, tap._esc, tap._withheld = int(begin), int(mode), bool(esc), bool(withheld)
            tap._held, tap._number = held.encode("latin-1"), number.encode("latin-1")
            tap._body = None if body is None else bytearray(body, "latin-1")
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError("not the state of a tap") from error
        return tap


def _mark(kind: str, options: str, start: int, end: int) -> Mark:
    if kind == "D":
        first, _, rest = options.partition(";")
        if _EXIT_CODE.fullmatch(first):
            return Mark(kind, int(first), rest, start, end)
    return Mark(kind, None, options, start, end)


def _directory(body: bytes) -> str | None:
    """Return the path in the body of an OSC 7, or None if it has no usable one."""
    scheme, separator, rest = body.partition(b"://")
    if not separator:
        path = body  # some shells' integrations send the bare path
    else:
        _, slash, after = rest.partition(b"/")
        path = slash + after
        if scheme.lower() == b"file":
            path = unquote_to_bytes(path)
        elif scheme != b"kitty-shell-cwd":  # kitty's form does not encode the path
            return None
    if not path.startswith(b"/") or b"\0" in path:
        return None
    return path.decode("utf-8", "replace")
