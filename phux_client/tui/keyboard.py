"""Parse input from the user's terminal: keys, text, pastes, mouse, focus, and replies to queries.

No I/O: bytes go in, split anywhere, and events come out. No input can break the parser or exceed its memory limits.
Keys have the names of ``phux_core.keys``. A lone Escape looks like the beginning of a sequence, so unfinished input
waits ``timeout_s`` for the rest; then ``flush`` returns it as it is.
"""

import re

from phux_core import escapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Event: TypeAlias = "Text | KeyPress | Paste | MouseEvent | Focus | Answer"
    Item: TypeAlias = tuple[int, Event | None]
    """The number of bytes of one piece of input, and its event, if any."""

ESCAPE_S = 0.02
"""How long to wait after a lone Escape for the rest of a sequence."""
_REST_S = 0.5
_PASTE_S = 2.0
_MAX_SEQUENCE = 128
_MAX_STRING = 64 * 1024
MAX_PASTE = 512 * 1024
"""A longer paste is split into pieces."""

_PASTE_START, _PASTE_END = b"\x1b[200~", b"\x1b[201~"
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
# The keypad in the kitty keyboard protocol.
_CODES |= dict(
    zip(
        range(57399, 57427),
        (
            *(f"KP{digit}" for digit in range(10)),
            *("KP.", "KP/", "KP*", "KP-", "KP+", "KPEnter", "=", ","),
            *("Left", "Right", "Up", "Down", "PageUp", "PageDown", "Home", "End", "Insert", "Delete"),
        ),
        strict=True,
    )
)
# Keys that are the same in terminals without extended keys.
_PLAIN = {"C-[": "Escape", "C-i": "Tab", "C-m": "Enter", "C-Enter": "Enter"} | {
    f"S-{name}": name for name in ("Enter", "BSpace", "Escape", "Space")
}
_CONTROLS = {0: "C-Space", 9: "Tab", 13: "Enter", 27: "Escape", 127: "BSpace"} | {
    code: f"C-{chr(code + 64)}" for code in range(28, 32)
}
_SUPER = 8 | 16
"""The modifiers Super and Hyper, which programs in terminals do not have."""
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
    """A mouse event, in cells from 0; ``kind`` and ``button`` as in the wire's mouse items.

    ``clicks`` is 2 or 3 in the press of a double or triple click, which ``mouse`` counts.
    """

    __slots__ = ("alt", "button", "clicks", "ctrl", "kind", "shift", "x", "y")

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
        clicks: int = 1,
    ) -> None:
        self.kind = kind
        self.button = button
        self.x = x
        self.y = y
        self.ctrl = ctrl
        self.alt = alt
        self.shift = shift
        self.clicks = clicks


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


def plain(event: "Event") -> "Event":
    """Return a key as terminals without extended keys report it, such as Escape for C-[."""
    return KeyPress(_PLAIN[event.name]) if isinstance(event, KeyPress) and event.name in _PLAIN else event


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
        return self._parse(final=False)

    def flush(self) -> "list[Event]":
        """Return the events of unfinished input, after the timeout."""
        events: list[Event] = []
        if self._paste is not None:
            self._end_paste(events, self._buffer)
            self._buffer = b""
        return events + self._parse(final=True)

    def _parse(self, *, final: bool) -> "list[Event]":
        events: list[Event] = []
        while self._buffer:
            if self._paste is not None:
                if not self._go_on_pasting(events):
                    break
            elif self._buffer.startswith(_PASTE_START):
                self._buffer = self._buffer[len(_PASTE_START) :]
                self._paste = bytearray()
            else:
                item = _next_item(self._buffer, final=final)
                if item is None:
                    break
                size, event = item
                self._buffer = self._buffer[size:]
                if event is not None:
                    events.append(event)
        return events

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


def _next_item(buffer: bytes, *, final: bool) -> "Item | None":
    """Return the first item of the input; None if the item is unfinished, unless the input is ``final``."""
    if buffer[0] == 0x1B:
        return _escape(buffer, final=final)
    found = _TEXT.match(buffer)
    if found is None:
        return 1, KeyPress(_control(buffer[0]))
    raw = found[0]
    if not final and found.end() == len(buffer):
        raw = raw[: len(raw) - _unfinished(raw)]
    return (len(raw), _text(raw)) if raw else None


def _escape(buffer: bytes, *, final: bool) -> "Item | None":
    if len(buffer) == 1:
        return (1, KeyPress("Escape")) if final else None
    second = buffer[1]
    if second == 0x1B:
        return 1, KeyPress("Escape")
    if second not in b"[O" and second not in escapes.STRING_OPENERS:
        return _alt(buffer, final=final)
    if len(buffer) == 2:
        return (2, KeyPress(f"M-{chr(second)}")) if final else None
    if second == 0x5B:  # [
        return _csi(buffer, final=final)
    if second == 0x4F:  # O
        letter = chr(buffer[2])
        name = _LETTERS.get(letter) or _FUNCTION.get(letter) or _KEYPAD.get(letter)
        return (2, KeyPress("M-O")) if name is None else (3, KeyPress(name))
    # An OSC, DCS, APC, PM or SOS string: the reply to a query.
    end = escapes.STRING_END.search(buffer, 2)
    if end is not None:
        return end.end(), Answer(buffer[: end.end()])
    return (len(buffer), None) if final or len(buffer) > _MAX_STRING else None


def _alt(buffer: bytes, *, final: bool) -> "Item | None":
    """Return Alt and a key: Escape followed by a character."""
    if buffer[1] < 0x20 or buffer[1] == 0x7F:
        name = _control(buffer[1])
        return 2, KeyPress(f"C-M-{name[2:]}" if name.startswith("C-") else f"M-{name}")
    size = _sequence_length(buffer[1])
    if len(buffer) < 1 + size and not final:
        return None
    try:
        character = buffer[1 : 1 + size].decode()
    except UnicodeDecodeError:
        return 1, KeyPress("Escape")  # not followed by a character
    name = "Space" if character == " " else character
    return 1 + size, KeyPress(f"M-{name}") if character.isprintable() else None


def _csi(buffer: bytes, *, final: bool) -> "Item | None":
    found = escapes.CSI.match(buffer)
    if found is None:
        if escapes.UNFINISHED.match(buffer) and not final and len(buffer) <= _MAX_SEQUENCE:
            return None
        begun = escapes.CSI_BEGUN.match(buffer, 0, _MAX_SEQUENCE)
        assert begun is not None
        return begun.end(), None  # a broken sequence, which must not be typed
    if found[0] == b"\x1b[M":  # a legacy mouse report, which we never enable: three more bytes
        return (6, None) if len(buffer) >= 6 or final else None
    return found.end(), _sequence(found)


def _control(code: int) -> str:
    return _CONTROLS.get(code) or f"C-{chr(code + 96)}"


def _text(raw: bytes) -> Text | None:
    text = raw.decode("utf-8", "surrogateescape")
    if not text.isprintable():
        # C1 controls are characters in UTF-8 but commands to a terminal; no key types them.
        text = "".join(character for character in text if not "\x80" <= character <= "\x9f")
    return Text(text) if text else None


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
        return _by_code([numbers[2]], numbers[1])
    if last == "~":
        name = _TILDE.get(numbers[0])
        return KeyPress(_modified(name, numbers[1] if len(numbers) > 1 else 1)) if name else None
    if last == "u":
        codes = [_number(code) for code in parameters.partition(";")[0].split(":")]
        return _by_code(codes, numbers[1] if len(numbers) > 1 else 1)
    return Answer(found[0])


def _number(text: str) -> int:
    """Return a parameter, without the subparameters after a colon."""
    digits = text.partition(":")[0]
    return int(digits) if digits.isdecimal() and len(digits) < 8 else 0


def _modified(name: str, modifiers: int) -> str:
    held = max(modifiers - 1, 0)
    return f"{'C-' * (held >> 2 & 1)}{'M-' * (held >> 1 & 1)}{'S-' * (held & 1)}{name}"


def _by_code(codes: list[int], modifiers: int) -> "Event | None":
    """Return the key that was reported by its character (kitty, modifyOtherKeys).

    Args:
        codes: The character of the key and, if known, the character with Shift, and the one of the same key on a US
            keyboard; 0 if unknown.
    """
    held = max(modifiers - 1, 0)
    if held & _SUPER:
        return None
    code, shifted, us = (*codes, 0, 0)[:3]
    name = _CODES.get(code)
    if name is None:
        if us and code > 0x7F and held & 6:
            code = us  # Control and Alt with a letter of another script mean the key in the same place
        elif shifted and held & 1:
            code = shifted
        if not 0x20 < code < 0xD800 or not chr(code).isprintable():
            return None
        name = chr(code)
        if name.isalpha():
            name, held = _letter(name, held)
        else:
            held &= ~1
        if not held & 6:
            return Text(name)
    elif len(name) == 1 or (name == "Space" and not held & 6):
        return Text(" " if name == "Space" else name)
    if name == "Tab" and held & 1:
        name, held = "BTab", held & ~1
    return KeyPress(_modified(name, held + 1))


def _letter(name: str, held: int) -> tuple[str, int]:
    """Return a letter and its modifiers: with Control the small letter, else a capital letter instead of Shift."""
    if held & 4:
        return (name.lower() if len(name.lower()) == 1 else name), held
    if held & 1 and len(name.upper()) == 1:
        return name.upper(), held & ~1
    return name, held


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
