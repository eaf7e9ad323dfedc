"""Parse input from the user's terminal: keys, text, pastes, mouse, focus, and replies to queries.

No I/O: bytes in, events out, split anywhere. No input can break it or exceed its memory limits. Keys have the names of
``phux_core.keys``. A lone Escape looks like the beginning of a sequence, so unfinished input waits ``timeout_s`` for
the rest; then ``flush`` returns it as it is.
"""

import re

from phux_core import escapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Event: TypeAlias = "Text | KeyPress | Paste | MouseEvent | Focus | Answer"

ESCAPE_S = 0.02
"""How long to wait after a lone Escape for the rest of a sequence."""
_REST_S = 0.5
_PASTE_S = 2.0
_MAX_SEQUENCE = 128
_MAX_STRING = 64 * 1024
MAX_PASTE = 512 * 1024
"""A longer paste is split into pieces."""

_PASTE_END = b"\x1b[201~"
_TEXT = re.compile(rb"[ -~\x80-\xff]+")

_LETTERS = {"A": "Up", "B": "Down", "C": "Right", "D": "Left", "H": "Home", "F": "End"}
_FUNCTION = {"P": "F1", "Q": "F2", "R": "F3", "S": "F4"}
_HOME = ("Home", "Insert", "Delete", "End", "PageUp", "PageDown", "Home", "End")
_TILDE = dict(zip(range(1, 9), _HOME, strict=True)) | dict(
    zip((11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24), (f"F{number}" for number in range(1, 13)), strict=True)
)
_KEYPAD = dict(zip("pqrstuvwxy", (f"KP{digit}" for digit in range(10)), strict=True)) | dict(
    zip("nojmkM", ("KP.", "KP/", "KP*", "KP-", "KP+", "KPEnter"), strict=True)
)
_CODES = {8: "BSpace", 9: "Tab", 13: "Enter", 27: "Escape", 32: "Space", 127: "BSpace"}
_CONTROLS = {0: "C-Space", 9: "Tab", 13: "Enter", 27: "Escape", 127: "BSpace"} | {
    code: f"C-{chr(code + 64)}" for code in range(28, 32)
}
_BUTTONS = {0: "left", 1: "middle", 2: "right", 64: "wheel_up", 65: "wheel_down", 66: "wheel_left", 67: "wheel_right"}


class _Event:
    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, name) for name in self.__slots__))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(repr(getattr(self, name)) for name in self.__slots__)})"


class Text(_Event):
    """Typed characters; bytes that are not UTF-8 become surrogates."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class KeyPress(_Event):
    """A key other than a plain character, with its name in ``phux_core.keys``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Paste(_Event):
    """A pasted text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class MouseEvent(_Event):
    """The mouse, in cells from 0; ``kind`` and ``button`` as in the wire's mouse items."""

    __slots__ = ("alt", "button", "ctrl", "kind", "shift", "x", "y")

    def __init__(
        self,
        kind: str,
        button: str | None,
        x: int,
        y: int,
        *,
        ctrl: bool = False,
        alt: bool = False,
        shift: bool = False,
    ) -> None:
        self.kind = kind
        self.button = button
        self.x = x
        self.y = y
        self.ctrl = ctrl
        self.alt = alt
        self.shift = shift


class Focus(_Event):
    """The terminal gained or lost the focus."""

    __slots__ = ("focused",)

    def __init__(self, focused: bool) -> None:
        self.focused = focused


class Answer(_Event):
    """The terminal's reply to a query, or a sequence that is not a key."""

    __slots__ = ("data",)

    def __init__(self, data: bytes) -> None:
        self.data = data


def key_of(event: "Event") -> str:
    """Return the name of a pressed key or the typed text; an empty string for other events."""
    if isinstance(event, KeyPress):
        return event.name
    return event.text if isinstance(event, Text) else ""


class Keyboard:
    """The parser of a terminal's input."""

    def __init__(self) -> None:
        self._buffer = b""
        self._paste: bytearray | None = None

    @property
    def timeout_s(self) -> float | None:
        """How long to wait for more input before ``flush``; None if nothing is unfinished."""
        if self._paste is not None:
            return _PASTE_S
        if not self._buffer:
            return None
        return ESCAPE_S if len(self._buffer) <= 2 or self._buffer[0] != 0x1B else _REST_S

    def feed(self, data: bytes) -> "list[Event]":
        """Process bytes and return their events."""
        self._buffer += data
        events: list[Event] = []
        while self._buffer and self._step(events, final=False):
            pass
        return events

    def flush(self) -> "list[Event]":
        """Return the events of unfinished input, after the timeout."""
        events: list[Event] = []
        if self._paste is not None:
            self._end_paste(events, self._buffer)
            self._buffer = b""
        while self._buffer:
            self._step(events, final=True)
        return events

    def _step(self, events: "list[Event]", *, final: bool) -> bool:
        """Consume one item from the buffer; return whether there was one."""
        buffer = self._buffer
        if self._paste is not None:
            return self._go_on_pasting(events)
        if buffer[0] == 0x1B:
            return self._escape(events, final=final)
        text = _TEXT.match(buffer)
        if text is None:
            events.append(KeyPress(_control(buffer[0])))
            self._buffer = buffer[1:]
            return True
        raw = text[0]
        if not final and text.end() == len(buffer):
            raw = raw[: len(raw) - _unfinished(raw)]
        if not raw:
            return False
        self._buffer = buffer[len(raw) :]
        _add_text(events, raw)
        return True

    def _escape(self, events: "list[Event]", *, final: bool) -> bool:
        buffer = self._buffer
        if len(buffer) == 1:
            if final:
                self._take(1, events, KeyPress("Escape"))
            return final
        second = buffer[1]
        if second == 0x1B:
            self._take(1, events, KeyPress("Escape"))
        elif second == 0x5B:  # [
            return self._csi(events, final=final)
        elif second == 0x4F:  # O
            return self._ss3(events, final=final)
        elif second in escapes.STRING_OPENERS:
            return self._string(events, final=final)
        else:
            return self._alt(events, final=final)
        return True

    def _take(self, size: int, events: "list[Event]", event: "Event | None") -> None:
        self._buffer = self._buffer[size:]
        if event is not None:
            events.append(event)

    def _alt(self, events: "list[Event]", *, final: bool) -> bool:
        """Consume Alt and a key: Escape followed by a character."""
        buffer = self._buffer
        if buffer[1] < 0x20 or buffer[1] == 0x7F:
            name = _control(buffer[1])
            self._take(2, events, KeyPress(f"C-M-{name[2:]}" if name.startswith("C-") else f"M-{name}"))
            return True
        size = _sequence_length(buffer[1])
        if len(buffer) < 1 + size and not final:
            return False
        try:
            character = buffer[1 : 1 + size].decode()
        except UnicodeDecodeError:
            self._take(1, events, KeyPress("Escape"))  # not followed by a character
            return True
        name = "Space" if character == " " else character
        self._take(1 + size, events, KeyPress(f"M-{name}") if character.isprintable() else None)
        return True

    def _csi(self, events: "list[Event]", *, final: bool) -> bool:
        buffer = self._buffer
        found = escapes.CSI.match(buffer)
        if found is None:
            if escapes.UNFINISHED.match(buffer) and not final and len(buffer) <= _MAX_SEQUENCE:
                return False
            # Alt-[ if nothing follows; otherwise a broken sequence, which must not be typed.
            cut = escapes.UNFINISHED.match(buffer[:_MAX_SEQUENCE])
            size = 2 if len(buffer) == 2 else len(cut[0]) if cut else _broken(buffer)
            self._take(size, events, KeyPress("M-[") if len(buffer) == 2 else None)
            return True
        if found[0] == b"\x1b[M":  # a legacy mouse report, which we never enable: three more bytes
            if len(buffer) < 6 and not final:
                return False
            self._take(6, events, None)
        elif found[0] == b"\x1b[200~":
            self._take(found.end(), events, None)
            self._paste = bytearray()
        else:
            self._take(found.end(), events, _sequence(found))
        return True

    def _ss3(self, events: "list[Event]", *, final: bool) -> bool:
        buffer = self._buffer
        if len(buffer) == 2:
            if final:
                self._take(2, events, KeyPress("M-O"))
            return final
        letter = chr(buffer[2])
        name = _LETTERS.get(letter) or _FUNCTION.get(letter) or _KEYPAD.get(letter)
        if name is None:
            self._take(2, events, KeyPress("M-O"))
        else:
            self._take(3, events, KeyPress(name))
        return True

    def _string(self, events: "list[Event]", *, final: bool) -> bool:
        """Consume an OSC, DCS, APC, PM or SOS string: the reply to a query."""
        buffer = self._buffer
        end = escapes.STRING_END.search(buffer, 2)
        if end is not None:
            self._take(end.end(), events, Answer(buffer[: end.end()]))
        elif len(buffer) == 2:
            if final:
                self._take(2, events, KeyPress(f"M-{chr(buffer[1])}"))
            return final
        elif final or len(buffer) > _MAX_STRING:
            self._take(len(buffer), events, None)
        else:
            return False
        return True

    def _go_on_pasting(self, events: "list[Event]") -> bool:
        buffer = self._buffer
        end = buffer.find(_PASTE_END)
        if end >= 0:
            self._end_paste(events, buffer[:end])
            self._buffer = buffer[end + len(_PASTE_END) :]
            return True
        assert self._paste is not None
        keep = _overlap(buffer, _PASTE_END)
        self._paste += buffer[: len(buffer) - keep]
        self._buffer = buffer[len(buffer) - keep :]
        if len(self._paste) > MAX_PASTE:
            cut = len(self._paste) - _unfinished(bytes(self._paste[-4:]))
            events.append(Paste(self._paste[:cut].decode("utf-8", "replace")))
            del self._paste[:cut]
        return False

    def _end_paste(self, events: "list[Event]", rest: bytes) -> None:
        assert self._paste is not None
        text = bytes(self._paste + rest).decode("utf-8", "replace")
        self._paste = None
        if text:
            events.append(Paste(text))


def _control(code: int) -> str:
    return _CONTROLS.get(code) or f"C-{chr(code + 96)}"


def _add_text(events: "list[Event]", raw: bytes) -> None:
    text = raw.decode("utf-8", "surrogateescape")
    if not text.isprintable():
        # C1 controls are characters in UTF-8 but commands to a terminal; no key types them.
        text = "".join(character for character in text if not "\x80" <= character <= "\x9f")
    if text:
        events.append(Text(text))


def _sequence_length(lead: int) -> int:
    """Return the length of a character from its first byte."""
    if lead < 0xC2 or lead > 0xF4:
        return 1
    return 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4


def _unfinished(raw: bytes) -> int:
    """Return the number of bytes at the end that begin an incomplete character."""
    for back in range(1, min(3, len(raw)) + 1):
        byte = raw[-back]
        if byte >= 0xC0:
            return back if _sequence_length(byte) > back else 0
        if byte < 0x80:
            return 0
    return 0


def _overlap(data: bytes, end: bytes) -> int:
    """Return the number of bytes at the end of the data that may begin ``end``."""
    for size in range(min(len(end) - 1, len(data)), 0, -1):
        if data.endswith(end[:size]):
            return size
    return 0


def _broken(buffer: bytes) -> int:
    """Return the length of a control sequence that was interrupted."""
    at = 2
    while at < len(buffer) and 0x20 <= buffer[at] <= 0x3F:
        at += 1
    return at


def _sequence(found: re.Match[bytes]) -> "Event | None":
    """Return the event of a complete control sequence."""
    parameters, middle, last = found[1].decode(), found[2], found[3].decode()
    if parameters.startswith("<") and last in "Mm" and not middle:
        return _mouse(parameters[1:], last)
    if middle or parameters[:1] in {"?", ">", "=", "<"}:
        return Answer(found[0])
    if not parameters and last in "IO":
        return Focus(last == "I")
    if last == "Z":
        return KeyPress("BTab")
    numbers = [_number(part) for part in parameters.split(";")]
    name = _LETTERS.get(last) or _FUNCTION.get(last)
    if name is not None and numbers[0] <= 1:
        return KeyPress(_modified(name, numbers[1] if len(numbers) > 1 else 1))
    if last == "~" and numbers[0] == 27 and len(numbers) == 3:
        return _by_code(numbers[2], numbers[1])
    if last == "~":
        name = _TILDE.get(numbers[0])
        return KeyPress(_modified(name, numbers[1] if len(numbers) > 1 else 1)) if name else None
    if last == "u":
        return _by_code(numbers[0], numbers[1] if len(numbers) > 1 else 1)
    return Answer(found[0])


def _number(text: str) -> int:
    """Return a parameter, without the subparameters after a colon."""
    digits = text.partition(":")[0]
    return int(digits) if digits.isdecimal() and len(digits) < 8 else 0


def _modified(name: str, modifiers: int) -> str:
    held = max(modifiers - 1, 0)
    return f"{'C-' * (held >> 2 & 1)}{'M-' * (held >> 1 & 1)}{'S-' * (held & 1)}{name}"


def _by_code(code: int, modifiers: int) -> "Event | None":
    """Return the key that was reported by its character (kitty, modifyOtherKeys)."""
    held = max(modifiers - 1, 0)
    name = _CODES.get(code)
    if name is None:
        if not 0x20 < code < 0xD800 or not chr(code).isprintable():
            return None
        name = chr(code)
        if held & 1 and name.upper() != name and len(name.upper()) == 1:
            name, held = name.upper(), held & ~1
        elif held & 1 and not name.isalpha():
            held &= ~1
        if not held & 6:
            return Text(name)
    elif name == "Space" and not held & 6:
        return Text(" ")
    if name == "Tab" and held & 1:
        name, held = "BTab", held & ~1
    return KeyPress(_modified(name, held + 1))


def _mouse(parameters: str, last: str) -> "Event | None":
    numbers = [_number(part) for part in parameters.split(";")]
    if len(numbers) != 3 or not (numbers[1] and numbers[2]):
        return None
    code, x, y = numbers
    moved = code & 32
    button = _BUTTONS.get(code & 0b11000011)
    if button is None and not moved:
        return None
    kind = "move" if moved else "release" if last == "m" else "press"
    return MouseEvent(kind, button, x - 1, y - 1, ctrl=bool(code & 16), alt=bool(code & 8), shift=bool(code & 4))
