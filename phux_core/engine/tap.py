r"""A scanner that finds phux's marks in the byte stream before an engine reads it.

Both engines run every chunk through ``Tap.scan``. The tap counts positions, and reports as effects OSC 133 and OSC 7748
marks, OSC 7 (working directory), OSC 9 and 777 (notifications) and OSC 52 (clipboard). It returns the bytes for the
engine without OSC 7748, OSC 8 and the clipboard sequences:

- OSC 8, because hyperlinks can crash libghostty when it resizes; ``links`` keeps them beside the engine;
- OSC 52 and 5522, because a program in a pane must not access the clipboard, whatever the engine supports.

It interprets nothing else and keeps no screen state. It holds back an unfinished OSC, so engines receive each in one
piece.

Two facts make such a simple scan correct. ``ESC ]`` starts an OSC in any state of a VT parser, because ESC cancels the
sequence in progress. And an OSC ends at the first BEL, ESC, CAN or SUB (not at an 8-bit ST: 0x9C is also a UTF-8
continuation byte). A removed sequence is replaced by ``ESC \``, which only cancels, so that the bytes before and after
it cannot combine into a sequence.
"""

from __future__ import annotations

import json
import re
from urllib.parse import unquote_to_bytes

from phux_core.engine.links import Links
from phux_core.engine.protocol import PRIVATE_OSC, Copied, CwdChanged, Effect, Mark, Notified, PrivateOsc
from phux_core.escapes import OSC_END

MAX_BODY = 64 * 1024
"""Maximum length of a reported OSC body."""

_LONGEST = MAX_BODY + 16  # longer OSCs, numbers included, are removed
_OSC = b"\x1b]"
_EXIT_CODE = re.compile(r"-?[0-9]{1,10}")
# OSC 9 with a number is another command of ConEmu, such as progress (9;4).
_CONEMU = re.compile(rb"[0-9]{1,2}(?:;|\Z)")
_BASE64 = re.compile(rb"[A-Za-z0-9+/]+={0,2}")
_MAX_NOTICE = 500

# OSC numbers are compared as spelled: no terminal accepts "08" as a hyperlink either.
_MARK, _CWD, _PRIVATE, _LINK, _COPY = b"133", b"7", str(PRIVATE_OSC).encode(), b"8", b"52"
_NOTIFY, _NOTIFY_TITLED = b"9", b"777"
_REPORTED = frozenset({_MARK, _CWD, _PRIVATE, _COPY, _NOTIFY, _NOTIFY_TITLED})
_WITHHELD = frozenset({_PRIVATE, _LINK, _COPY, b"5522"})
_REMOVED = b"\x1b]8;"  # held back in place of an OSC that is too long


class Tap:
    """An incremental scanner; sequences may be split anywhere between two calls of ``scan``.

    Attributes:
        position: Stream position of the next byte.
        cwd: The last directory reported with OSC 7, or None.
        links: The hyperlinks, by which readers of cells translate their styles.
    """

    __slots__ = ("_held", "cwd", "links", "position")

    def __init__(self, position: int = 0) -> None:
        self.position = position
        self.cwd: str | None = None
        self.links = Links()
        self._held = b""  # an unfinished OSC, an ESC that may start one, or an unfinished SGR in the text of a link

    def scan(self, data: bytes) -> tuple[bytes, list[Effect]]:
        """Return the bytes for the engine (``data`` itself if nothing was removed), and the effects found."""
        effects: list[Effect] = []
        start = self.position - len(self._held)
        searched = max(len(self._held) - 1, 0)  # an ESC at its end may be half of an ST
        self.position += len(data)
        if self._held:
            data = self._held + data
            self._held = b""
        # Hot path: most chunks contain no OSC. Searching for single bytes is ten times as fast as searching for two.
        if b"\x1b" in data:
            data = self._scan(data, start, searched, effects) if b"]" in data else self.links.mark(data)
            if not self._held and (count := 1 if data.endswith(b"\x1b") else self.links.unfinished(data)):
                self._held = data[-count:]
                data = data[:-count]
        return data, effects

    def _scan(self, data: bytes, start: int, searched: int, effects: list[Effect]) -> bytes:
        out: list[bytes] = []
        copied = 0  # data[:copied] was already passed on or removed
        at = data.find(_OSC)
        while at >= 0:
            match = OSC_END.search(data, max(at + 2, searched))
            if match is None:
                self._held = data[at:] if len(data) - at <= _LONGEST + 2 else _REMOVED
                out.append(self.links.mark(data[copied:at]))
                copied = len(data)
                break
            end = match.end()
            number, separator, body = data[at + 2 : match.start()].partition(b";")
            # CAN and SUB cancel: nothing is reported, and the character itself goes to the engine.
            cancelled = not match[0] and data[end] in b"\x18\x1a"
            if separator and not cancelled and number in _REPORTED and len(body) <= MAX_BODY:
                self._report(number, body, start + at, start + end, effects)
            if (separator and number in _WITHHELD) or match.start() - at > _LONGEST:
                out += (self.links.mark(data[copied:at]), b"\x1b" if cancelled else b"\x1b\\")
                copied = end
                if number == _LINK and not cancelled:
                    out.append(self.links.follow(body))
            at = data.find(_OSC, end)
        if not copied:
            return self.links.mark(data)
        out.append(self.links.mark(data[copied:]))
        return b"".join(out)

    def _report(self, number: bytes, body: bytes, start: int, end: int, effects: list[Effect]) -> None:
        if number == _PRIVATE:
            effects.append(PrivateOsc(body, start, end))
        elif number == _MARK:
            kind, _, options = body.decode("utf-8", "replace").partition(";")
            if kind:
                effects.append(_mark(kind, options, start, end))
        elif number == _COPY:
            data = body.partition(b";")[2]
            if _BASE64.fullmatch(data):
                effects.append(Copied(data.decode()))
        elif number in {_NOTIFY, _NOTIFY_TITLED}:
            notice = _notice(number, body)
            if notice is not None:
                effects.append(notice)
        else:
            cwd = _directory(body)
            if cwd is not None and cwd != self.cwd:
                self.cwd = cwd
                effects.append(CwdChanged(cwd))

    @property
    def is_inside_mark(self) -> bool:
        """Whether the output so far ends inside one of phux's own marks."""
        return self._held.startswith(_OSC + _PRIVATE)

    def dump(self) -> str:
        """Return the scanner's state as text, for checkpoints."""
        return json.dumps([self.position, self._held.decode("latin-1"), self.cwd, self.links.dump()])

    @classmethod
    def load(cls, state: str) -> Tap:
        """Restore a scanner from ``dump``.

        Raises:
            ValueError: The text is not a valid dump.
        """
        try:
            position, held, cwd, *links = json.loads(state)
            tap = cls(int(position))
            tap.cwd, tap._held = cwd, held.encode("latin-1")
            if links:  # checkpoints of earlier versions have none
                tap.links = Links.load(links[0])
        except (TypeError, AttributeError) as error:
            raise ValueError("the text is not the state of a tap") from error
        return tap


def _mark(kind: str, options: str, start: int, end: int) -> Mark:
    if kind == "D":
        first, _, rest = options.partition(";")
        if _EXIT_CODE.fullmatch(first):
            return Mark(kind, int(first), rest, start, end)
    return Mark(kind, None, options, start, end)


def _notice(number: bytes, body: bytes) -> Notified | None:
    """Return the notification of an OSC 9 (``text``) or 777 (``notify;title;text``); None for their other commands."""
    title = b""
    if number == _NOTIFY_TITLED:
        command, _, rest = body.partition(b";")
        title, _, body = rest.partition(b";")
        if command != b"notify":
            return None
    elif _CONEMU.match(body):
        return None
    shown = (part.decode("utf-8", "replace") for part in (title, body))
    title_text, text = ("".join(filter(str.isprintable, part))[:_MAX_NOTICE] for part in shown)
    return Notified(title_text, text) if title_text or text else None


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
