"""The xterm encodings of keys, pastes, mouse events and focus events in different modes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_core.engine import encoding
from phux_core.engine.protocol import Modes, Mouse
from phux_core.keys import KEY_NAMES, Key, parse_key

PLAIN = Modes(
    bracketed_paste=False,
    application_cursor=False,
    application_keypad=False,
    mouse="off",
    mouse_format="x10",
    focus_events=False,
    synchronized_output=False,
    alt_screen=False,
    kitty_flags=0,
)


def encode_key(key, *, cursor=False, keypad=False, backarrow=False):
    return encoding.encode_key(key, cursor=cursor, keypad=keypad, backarrow=backarrow)


@pytest.mark.parametrize("number", range(32))
def test_every_control_character_can_be_encoded(number):
    name = chr(number | 0x60) if 0 < number < 27 else chr(number | 0x40)
    assert encode_key(Key(name, ctrl=True)) == bytes([number])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2", b"\0"),
        ("3", b"\x1b"),
        ("4", b"\x1c"),
        ("5", b"\x1d"),
        ("6", b"\x1e"),
        ("7", b"\x1f"),
        ("8", b"\x7f"),
        ("/", b"\x1f"),
        ("-", b"\x1f"),
        ("?", b"\x7f"),
        ("`", b"\0"),
        ("~", b"\x1e"),
        ("1", b"1"),
        ("9", b"9"),
        ("é", "é".encode()),
    ],
)
def test_control_with_other_characters_is_encoded_as_on_a_vt220(name, expected):
    assert encode_key(Key(name, ctrl=True)) == expected


@pytest.mark.parametrize("name", ["Up", "Down", "Left", "Right", "Home", "End", "F1", "F2", "F3", "F4"])
@pytest.mark.parametrize("modifiers", range(1, 8))
def test_modified_cursor_keys_are_encoded_with_their_modifiers(name, modifiers):
    key = Key(name, shift=bool(modifiers & 1), alt=bool(modifiers & 2), ctrl=bool(modifiers & 4))
    data = encode_key(key)
    assert data.startswith(b"\x1b[1;%d" % (modifiers + 1))
    assert data == encode_key(key, cursor=True)


@pytest.mark.parametrize("name", ["Insert", "Delete", "PageUp", "PageDown", *(f"F{number}" for number in range(5, 13))])
@pytest.mark.parametrize("modifiers", range(1, 8))
def test_modified_editing_keys_are_encoded_with_their_modifiers(name, modifiers):
    key = Key(name, shift=bool(modifiers & 1), alt=bool(modifiers & 2), ctrl=bool(modifiers & 4))
    plain = encode_key(Key(name))
    assert encode_key(key) == plain[:-1] + b";%d~" % (modifiers + 1)


def test_keys_without_modifiers_have_distinct_encodings():
    typed = [encode_key(Key(name), cursor=True, keypad=True) for name in KEY_NAMES]
    assert len(set(typed)) == len(typed)


@pytest.mark.parametrize("name", KEY_NAMES)
def test_only_the_encoding_of_modal_keys_depends_on_the_modes(name):
    one, other = encode_key(Key(name)), encode_key(Key(name), cursor=True, keypad=True, backarrow=True)
    assert (one != other) == (name in encoding.MODAL_KEYS)


@pytest.mark.parametrize(("word", "expected"), [("S-ß", "ß"), ("S-ǆ", "Ǆ"), ("S-1", "1"), ("S-é", "É")])
def test_shift_produces_exactly_one_character(word, expected):
    assert encode_key(parse_key(word)) == expected.encode()


@given(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), st.booleans(), st.booleans(), st.booleans())
def test_every_character_with_any_modifiers_has_an_encoding(character, ctrl, alt, shift):
    data = encode_key(Key(character, ctrl=ctrl, alt=alt, shift=shift))
    assert data
    assert data.startswith(b"\x1b") or not alt


@given(st.text())
def test_the_text_in_a_bracketed_paste_contains_no_escape_character(text):
    data = encoding.encode_paste(text, bracketed=True)
    if data:
        assert data.startswith(b"\x1b[200~")
        assert data.endswith(b"\x1b[201~")
        assert b"\x1b" not in data[6:-6]
        assert b"\xc2\x9b" not in data[6:-6]


@given(st.text(alphabet="\x1b[201~\x9b\n\r\tx\x03"))
def test_an_unbracketed_paste_contains_no_controls_except_tab_and_carriage_return(text):
    data = encoding.encode_paste(text, bracketed=False)
    assert not set(data) & (set(range(32)) - {9, 13})


def test_newlines_are_kept_in_a_bracketed_paste_and_become_carriage_returns_otherwise():
    assert encoding.encode_paste("a\tb\r\nc\n", bracketed=True) == b"\x1b[200~a\tb\r\nc\n\x1b[201~"
    assert encoding.encode_paste("a\tb\r\nc\n", bracketed=False) == b"a\tb\rc\r"


@pytest.mark.parametrize("mouse_format", ["x10", "utf8", "sgr", "urxvt", "sgr_pixels"])
@pytest.mark.parametrize("kind", ["press", "release", "move"])
def test_mouse_events_outside_the_grid_or_without_mouse_mode_are_not_reported(mouse_format, kind):
    modes = PLAIN._replace(mouse="any", mouse_format=mouse_format)
    assert encoding.encode_mouse(Mouse(kind, "left", -1, 0), modes) == b""
    assert encoding.encode_mouse(Mouse(kind, "left", 0, -1), modes) == b""
    assert encoding.encode_mouse(Mouse(kind, "left", 0, 0), modes._replace(mouse="off")) == b""


@pytest.mark.parametrize(
    ("mouse_format", "expected"),
    [
        ("x10", b"\x1b[M2\x25\x23"),
        ("utf8", b"\x1b[M2\x25\x23"),
        ("sgr", b"\x1b[<18;5;3M"),
        ("urxvt", b"\x1b[50;5;3M"),
        ("sgr_pixels", b"\x1b[<18;33;33M"),
    ],
)
def test_a_mouse_event_is_encoded_in_every_format(mouse_format, expected):
    modes = PLAIN._replace(mouse="normal", mouse_format=mouse_format)
    assert encoding.encode_mouse(Mouse("press", "right", 4, 2, ctrl=True), modes) == expected


@pytest.mark.parametrize(("mouse_format", "x"), [("x10", 223), ("utf8", 2015)])
def test_mouse_events_with_coordinates_beyond_the_format_are_not_reported(mouse_format, x):
    modes = PLAIN._replace(mouse="normal", mouse_format=mouse_format)
    assert encoding.encode_mouse(Mouse("press", "left", x - 1, 0), modes)
    assert encoding.encode_mouse(Mouse("press", "left", x, 0), modes) == b""


def test_x10_mouse_mode_reports_only_button_presses_without_modifiers():
    modes = PLAIN._replace(mouse="x10")
    assert encoding.encode_mouse(Mouse("press", "left", 0, 0, ctrl=True), modes) == b"\x1b[M !!"
    assert encoding.encode_mouse(Mouse("press", "wheel_up", 0, 0), modes) == b""
    assert encoding.encode_mouse(Mouse("release", "left", 0, 0), modes) == b""


def test_the_release_of_a_wheel_button_is_not_reported():
    modes = PLAIN._replace(mouse="any", mouse_format="sgr")
    assert encoding.encode_mouse(Mouse("release", "wheel_up", 0, 0), modes) == b""


def test_focus_changes_are_encoded_only_if_focus_events_are_enabled():
    assert encoding.encode_focus(True, PLAIN) == b""
    modes = PLAIN._replace(focus_events=True)
    assert (encoding.encode_focus(True, modes), encoding.encode_focus(False, modes)) == (b"\x1b[I", b"\x1b[O")
