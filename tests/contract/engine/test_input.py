"""The bytes that encode keys, pastes, mouse events and focus changes in each mode."""

import pytest

from phux_core.engine.encoding import encode_focus, encode_mouse, encode_paste
from phux_core.engine.protocol import Mouse
from phux_core.keys import KEY_NAMES, Key, parse_key

PLAIN = {
    "Enter": b"\r",
    "Tab": b"\t",
    "BTab": b"\x1b[Z",
    "Escape": b"\x1b",
    "Space": b" ",
    "BSpace": b"\x7f",
    "Up": b"\x1b[A",
    "Down": b"\x1b[B",
    "Right": b"\x1b[C",
    "Left": b"\x1b[D",
    "Home": b"\x1b[H",
    "End": b"\x1b[F",
    "Insert": b"\x1b[2~",
    "Delete": b"\x1b[3~",
    "PageUp": b"\x1b[5~",
    "PageDown": b"\x1b[6~",
    "F1": b"\x1bOP",
    "F4": b"\x1bOS",
    "F5": b"\x1b[15~",
    "F6": b"\x1b[17~",
    "F10": b"\x1b[21~",
    "F11": b"\x1b[23~",
    "F12": b"\x1b[24~",
    "KP0": b"0",
    "KP9": b"9",
    "KP.": b".",
    "KP/": b"/",
    "KP*": b"*",
    "KP-": b"-",
    "KP+": b"+",
    "KPEnter": b"\r",
    "C-a": b"\x01",
    "C-z": b"\x1a",
    "C-A": b"\x01",
    "C-[": b"\x1b",
    "C-\\": b"\x1c",
    "C-]": b"\x1d",
    "C-^": b"\x1e",
    "C-_": b"\x1f",
    "C-@": b"\0",
    "C-/": b"\x1f",
    "C-?": b"\x7f",
    "C-i": b"\t",
    "C-m": b"\r",
    "C-Space": b"\0",
    "C-Enter": b"\r",
    "C-BSpace": b"\b",
    "M-a": b"\x1ba",
    "M-A": b"\x1bA",
    "M-Enter": b"\x1b\r",
    "M-BSpace": b"\x1b\x7f",
    "M-Escape": b"\x1b\x1b",
    "M-.": b"\x1b.",
    "C-M-a": b"\x1b\x01",
    "C-M-Space": b"\x1b\0",
    "S-a": b"A",
    "S-é": "É".encode(),
    "S-Tab": b"\x1b[Z",
    "S-Enter": b"\r",
    "M-é": "\x1bé".encode(),
    "S-Up": b"\x1b[1;2A",
    "M-Up": b"\x1b[1;3A",
    "C-Up": b"\x1b[1;5A",
    "C-S-Left": b"\x1b[1;6D",
    "C-M-Right": b"\x1b[1;7C",
    "C-M-S-Home": b"\x1b[1;8H",
    "C-End": b"\x1b[1;5F",
    "S-F1": b"\x1b[1;2P",
    "C-F4": b"\x1b[1;5S",
    "S-F5": b"\x1b[15;2~",
    "M-F12": b"\x1b[24;3~",
    "C-Delete": b"\x1b[3;5~",
    "S-Insert": b"\x1b[2;2~",
    "C-PageUp": b"\x1b[5;5~",
}


@pytest.mark.parametrize(("name", "expected"), PLAIN.items(), ids=PLAIN)
def test_a_key_is_encoded_as_in_xterm(engine, name, expected):
    assert engine().encode_key(parse_key(name)) == expected


@pytest.mark.parametrize("character", ["a", "Z", "0", "é", "漢", "🚀", "~"])
def test_a_character_is_encoded_as_utf8(engine, character):
    assert engine().encode_key(Key(character)) == character.encode()


def test_every_named_key_has_an_encoding_with_any_modifiers(engine):
    terminal = engine()
    for name in KEY_NAMES:
        for alt in (False, True):
            for ctrl in (False, True):
                for shift in (False, True):
                    assert terminal.encode_key(Key(name, ctrl=ctrl, alt=alt, shift=shift))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Up", b"\x1bOA"),
        ("Down", b"\x1bOB"),
        ("Right", b"\x1bOC"),
        ("Left", b"\x1bOD"),
        ("Home", b"\x1bOH"),
        ("End", b"\x1bOF"),
        ("C-Up", b"\x1b[1;5A"),
        ("F5", b"\x1b[15~"),
        ("PageUp", b"\x1b[5~"),
    ],
)
def test_application_cursor_mode_changes_the_plain_cursor_keys(term, name, expected):
    assert term(10, 2, "\x1b[?1h").engine.encode_key(parse_key(name)) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("KP0", b"\x1bOp"),
        ("KP5", b"\x1bOu"),
        ("KP9", b"\x1bOy"),
        ("KP.", b"\x1bOn"),
        ("KP/", b"\x1bOo"),
        ("KP*", b"\x1bOj"),
        ("KP-", b"\x1bOm"),
        ("KP+", b"\x1bOk"),
        ("KPEnter", b"\x1bOM"),
        ("M-KP5", b"\x1b\x1bOu"),
    ],
)
def test_application_keypad_mode_changes_the_keypad(term, name, expected):
    assert term(10, 2, "\x1b=").engine.encode_key(parse_key(name)) == expected


KITTY = {
    "C-a": b"\x1b[97;5u",
    "C-i": b"\x1b[105;5u",
    "Escape": b"\x1b[27u",
    "C-Enter": b"\x1b[13;5u",
    "M-a": b"\x1b[97;3u",
    "S-a": b"A",
    "Enter": b"\r",
    "Tab": b"\t",
    "BSpace": b"\x7f",
    "a": b"a",
    "Up": b"\x1b[A",
    "C-Up": b"\x1b[1;5A",
    "S-F5": b"\x1b[15;2~",
}


@pytest.mark.parametrize(("name", "expected"), KITTY.items(), ids=KITTY)
def test_the_kitty_protocol_encodes_ambiguous_keys_differently(term, name, expected):
    assert term(10, 2, "\x1b[>1u").engine.encode_key(parse_key(name) or Key(name)) == expected


@pytest.mark.parametrize(
    ("flags", "name", "expected"),
    [
        (5, "C-S-a", b"\x1b[97:65;6u"),
        (5, "S-a", b"A"),
        (5, "C-a", b"\x1b[97;5u"),
        (9, "a", b"\x1b[97u"),
        (9, "S-a", b"\x1b[97;2u"),
        (13, "S-a", b"\x1b[97:65;2u"),
        (25, "a", b"\x1b[97;;97u"),
        (25, "S-a", b"\x1b[97;2;65u"),
        (25, "C-a", b"\x1b[97;5u"),
        (25, "Enter", b"\x1b[13u"),
        (25, "KP5", b"\x1b[57404;;53u"),
        (29, "S-é", b"\x1b[233:201;2;201u"),
        (1, "S-ß", b"\x1b[223;2u"),
        (17, "S-Space", b"\x1b[32;2;32u"),
    ],
)
def test_each_flag_of_the_kitty_protocol_changes_the_encoding(term, flags, name, expected):
    assert term(10, 2, f"\x1b[>{flags}u").engine.encode_key(parse_key(name) or Key(name)) == expected


OTHER = {
    "C-i": b"\x1b[27;5;105~",
    "C-Enter": b"\x1b[27;5;13~",
    "S-Tab": b"\x1b[27;2;9~",
    "M-a": b"\x1b[27;3;97~",
    "C-S-a": b"\x1b[27;6;65~",
    "C-A": b"\x1b[27;5;97~",
    "S-a": b"\x1b[27;2;65~",
    "S-1": b"1",
    "C-;": b"\x1b[27;5;59~",
    "C-BSpace": b"\b",
    "Enter": b"\r",
    # The mode does not affect these: function, cursor and keypad keys are not "other" keys.
    "S-F3": b"\x1b[1;2R",
    "C-Up": b"\x1b[1;5A",
    "M-KP5": b"\x1b5",
}


@pytest.mark.parametrize(("name", "expected"), OTHER.items(), ids=OTHER)
def test_modify_other_keys_encodes_modifiers_of_ambiguous_keys(term, name, expected):
    assert term(10, 2, "\x1b[>4;2m").engine.encode_key(parse_key(name)) == expected


@pytest.mark.parametrize("end", ["\x1b[>4;0m", "\x1b[>4m", "\x1b[>4n", "\x1bc"])
def test_modify_other_keys_can_be_turned_off(term, end):
    assert term(10, 2, "\x1b[>4;2m", end).engine.encode_key(parse_key("C-i")) == b"\t"


def test_mode_67_selects_the_encoding_of_backspace(term):
    t = term(10, 2, "\x1b[?67h")
    keys = [parse_key(name) for name in ("BSpace", "M-BSpace", "C-BSpace")]
    assert [t.engine.encode_key(key) for key in keys] == [b"\b", b"\x1b\b", b"\x7f"]
    t.feed("\x1b[?67l")
    assert [t.engine.encode_key(key) for key in keys] == [b"\x7f", b"\x1b\x7f", b"\b"]


def test_keys_can_be_encoded_inside_an_unfinished_sequence(term):
    t = term(10, 2, "ab\x1b[?1")
    assert t.engine.encode_key(parse_key("Up")) == b"\x1b[A"
    t.feed("hc")
    assert t.engine.encode_key(parse_key("Up")) == b"\x1bOA"
    assert t.screen == ["abc"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("abc", b"abc"),
        ("a\nb", b"a\rb"),
        ("a\r\nb", b"a\rb"),
        ("a\tb", b"a\tb"),
        ("é漢", "é漢".encode()),
        ("a\x1b[31mb", b"a[31mb"),
        ("a\x03b\0\x7f", b"ab"),
        ("", b""),
    ],
)
def test_a_plain_paste_has_carriage_returns_and_no_other_control_characters(engine, text, expected):
    assert encode_paste(text, bracketed=engine().bracketed_paste) == expected


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("abc", b"abc"),
        ("a\nb\tc", b"a\nb\tc"),
        ("a\x1b[201~b", b"ab"),
        ("a\x1b[20\x1b[201~1~b", b"a[201~b"),
        ("a\x9b201~b", b"ab"),
        ("\x1b[200~x", b"[200~x"),
    ],
)
def test_a_bracketed_paste_cannot_contain_its_end_sequence(term, text, inside):
    t = term(10, 2, "\x1b[?2004h")
    assert encode_paste(text, bracketed=t.engine.bracketed_paste) == b"\x1b[200~" + inside + b"\x1b[201~"


def test_mouse_events_are_not_encoded_by_default(engine):
    assert encode_mouse(Mouse("press", "left", 1, 1), engine().modes()) == b""


SGR = "\x1b[?1003h\x1b[?1006h"


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Mouse("press", "left", 0, 0), b"\x1b[<0;1;1M"),
        (Mouse("press", "middle", 4, 2), b"\x1b[<1;5;3M"),
        (Mouse("press", "right", 4, 2), b"\x1b[<2;5;3M"),
        (Mouse("release", "left", 4, 2), b"\x1b[<0;5;3m"),
        (Mouse("release", "right", 4, 2), b"\x1b[<2;5;3m"),
        (Mouse("move", "left", 4, 2), b"\x1b[<32;5;3M"),
        (Mouse("move", None, 4, 2), b"\x1b[<35;5;3M"),
        (Mouse("press", "wheel_up", 4, 2), b"\x1b[<64;5;3M"),
        (Mouse("press", "wheel_down", 4, 2), b"\x1b[<65;5;3M"),
        (Mouse("press", "wheel_left", 4, 2), b"\x1b[<66;5;3M"),
        (Mouse("press", "wheel_right", 4, 2), b"\x1b[<67;5;3M"),
        (Mouse("press", "left", 4, 2, shift=True), b"\x1b[<4;5;3M"),
        (Mouse("press", "left", 4, 2, alt=True), b"\x1b[<8;5;3M"),
        (Mouse("press", "left", 4, 2, ctrl=True), b"\x1b[<16;5;3M"),
        (Mouse("press", "left", 500, 300), b"\x1b[<0;501;301M"),
    ],
)
def test_mouse_events_are_encoded_in_sgr_format(term, event, expected):
    assert encode_mouse(event, term(80, 24, SGR).engine.modes()) == expected


@pytest.mark.parametrize(
    ("format_mode", "event", "expected"),
    [
        ("", Mouse("press", "left", 0, 0), b"\x1b[M !!"),
        ("", Mouse("release", "right", 0, 0), b"\x1b[M#!!"),
        ("", Mouse("press", "left", 222, 0), b"\x1b[M \xff!"),
        ("", Mouse("press", "left", 223, 0), b""),
        ("\x1b[?1005h", Mouse("press", "left", 300, 0), b"\x1b[M " + chr(333).encode() + b"!"),
        ("\x1b[?1015h", Mouse("press", "left", 300, 1), b"\x1b[32;301;2M"),
        ("\x1b[?1015h", Mouse("release", "left", 300, 1), b"\x1b[35;301;2M"),
        ("\x1b[?1016h", Mouse("press", "left", 2, 1), b"\x1b[<0;17;17M"),
    ],
)
def test_mouse_events_are_encoded_in_the_other_formats(term, format_mode, event, expected):
    assert encode_mouse(event, term(80, 24, "\x1b[?1000h", format_mode).engine.modes()) == expected


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [(9, "P"), (1000, "PRW"), (1002, "PRWD"), (1003, "PRWDM")],
    ids=["x10", "normal", "button", "any"],
)
def test_each_tracking_mode_reports_only_its_events(term, mode, wanted):
    events = {
        "P": Mouse("press", "left", 1, 1),
        "R": Mouse("release", "left", 1, 1),
        "W": Mouse("press", "wheel_up", 1, 1),
        "D": Mouse("move", "left", 1, 1),
        "M": Mouse("move", None, 1, 1),
    }
    t = term(80, 24, f"\x1b[?{mode}h\x1b[?1006h")
    assert "".join(kind for kind, event in events.items() if encode_mouse(event, t.engine.modes())) == wanted


def test_focus_changes_are_encoded_only_if_enabled(term):
    t = term()
    assert encode_focus(True, t.engine.modes()) == b""
    t.feed("\x1b[?1004h")
    assert encode_focus(True, t.engine.modes()) == b"\x1b[I"
    assert encode_focus(False, t.engine.modes()) == b"\x1b[O"
