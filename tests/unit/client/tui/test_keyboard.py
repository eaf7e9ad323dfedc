"""Terminal input is parsed into key, mouse, paste and other events, whatever the bytes and however they are split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_client.tui.keyboard import ESCAPE_S, MAX_PASTE, Answer, Focus, Keyboard, KeyPress, MouseEvent, Paste, Text
from phux_core.keys import parse_key

KEYS = {
    b"\x01": "C-a",
    b"\x1a": "C-z",
    b"\x00": "C-Space",
    b"\r": "Enter",
    b"\n": "C-j",
    b"\t": "Tab",
    b"\x7f": "BSpace",
    b"\x08": "C-h",
    b"\x1c": "C-\\",
    b"\x1f": "C-_",
    b"\x1b[A": "Up",
    b"\x1bOA": "Up",
    b"\x1b[1;5C": "C-Right",
    b"\x1b[1;2D": "S-Left",
    b"\x1b[1;8H": "C-M-S-Home",
    b"\x1b[4~": "End",
    b"\x1b[5~": "PageUp",
    b"\x1b[6;3~": "M-PageDown",
    b"\x1b[2~": "Insert",
    b"\x1b[3;5~": "C-Delete",
    b"\x1bOP": "F1",
    b"\x1b[1;2S": "S-F4",
    b"\x1b[15~": "F5",
    b"\x1b[24~": "F12",
    b"\x1b[Z": "BTab",
    b"\x1bx": "M-x",
    b"\x1b ": "M-Space",
    b"\x1b\r": "M-Enter",
    b"\x1b\x01": "C-M-a",
    b"\x1b\xc3\xa9": "M-é",
    b"\x1bOM": "KPEnter",
    b"\x1bOs": "KP3",
    b"\x1b[27;5;13~": "C-Enter",
    b"\x1b[97;5u": "C-a",
    b"\x1b[9;2u": "BTab",
    b"\x1b[13;3u": "M-Enter",
    b"\x1b[127;5u": "C-BSpace",
}


@pytest.mark.parametrize(("data", "name"), KEYS.items())
def test_a_key_sequence_is_parsed_as_a_key_with_a_valid_name(data, name):
    assert Keyboard().feed(data) == [KeyPress(name)]
    assert str(parse_key(name)) == name


@pytest.mark.parametrize(
    "data", [*KEYS, b"\x1b[<0;3;4M", b"\x1b[I", b"\x1b[?2026;2$y", b"\x1b[200~a\x1b[201~", "語é".encode()]
)
def test_a_sequence_fed_byte_by_byte_yields_the_same_events(data):
    whole = Keyboard().feed(data)
    keyboard = Keyboard()
    pieces = [event for byte in data for event in keyboard.feed(bytes([byte]))]
    if all(isinstance(event, Text) for event in whole):
        assert "".join(event.text for event in pieces) == "".join(event.text for event in whole)
    else:
        assert pieces == whole
    assert keyboard.timeout_s is None


def test_a_lone_escape_is_reported_as_a_key_on_flush():
    keyboard = Keyboard()
    assert keyboard.feed(b"\x1b") == []
    assert keyboard.timeout_s == ESCAPE_S
    assert keyboard.flush() == [KeyPress("Escape")]
    assert keyboard.timeout_s is None


def test_two_escapes_are_two_keys():
    keyboard = Keyboard()
    assert keyboard.feed(b"\x1b\x1b") + keyboard.flush() == [KeyPress("Escape")] * 2


@pytest.mark.parametrize(("data", "name"), [(b"\x1b[", "M-["), (b"\x1bO", "M-O"), (b"\x1b]", "M-]"), (b"\x1bP", "M-P")])
def test_an_incomplete_sequence_introducer_is_reported_as_an_alt_key_on_flush(data, name):
    keyboard = Keyboard()
    assert keyboard.feed(data) == []
    assert keyboard.flush() == [KeyPress(name)]


def test_consecutive_characters_form_one_text_event():
    assert Keyboard().feed("ab語\rc".encode()) == [Text("ab語"), KeyPress("Enter"), Text("c")]


def test_invalid_utf8_is_preserved_in_text_events():
    keyboard = Keyboard()
    events = keyboard.feed(b"a\xff\xe9") + keyboard.flush()
    assert "".join(event.text for event in events).encode("utf-8", "surrogateescape") == b"a\xff\xe9"


@pytest.mark.parametrize(
    ("data", "event"),
    [
        (b"\x1b[<0;3;4M", MouseEvent("press", "left", 2, 3)),
        (b"\x1b[<2;1;1m", MouseEvent("release", "right", 0, 0)),
        (b"\x1b[<32;10;5M", MouseEvent("move", "left", 9, 4)),
        (b"\x1b[<35;10;5M", MouseEvent("move", None, 9, 4)),
        (b"\x1b[<64;500;300M", MouseEvent("press", "wheel_up", 499, 299)),
        (b"\x1b[<20;1;2M", MouseEvent("press", "left", 0, 1, ctrl=True, shift=True)),
        (b"\x1b[<65;1;2M", MouseEvent("press", "wheel_down", 0, 1)),
    ],
)
def test_mouse_reports_are_parsed(data, event):
    assert Keyboard().feed(data) == [event]


@pytest.mark.parametrize(
    "data", [b"\x1b[<0;3M", b"\x1b[<0;0;4M", b"\x1b[<131;1;1M", b"\x1b[<;;M", b"\x1b[M !!", b"\x1b[99~"]
)
def test_invalid_sequences_produce_no_events(data):
    keyboard = Keyboard()
    assert keyboard.feed(data) + keyboard.flush() == []


def test_focus_reports_and_terminal_answers_are_not_keys():
    assert Keyboard().feed(b"\x1b[I\x1b[O\x1b[?2026;2$y\x1b[?62;c") == [
        Focus(True),
        Focus(False),
        Answer(b"\x1b[?2026;2$y"),
        Answer(b"\x1b[?62;c"),
    ]


def test_an_osc_answer_is_not_reported_as_text():
    assert Keyboard().feed(b"\x1b]11;rgb:0000/0000/0000\x1b\\x") == [
        Answer(b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
        Text("x"),
    ]


def test_a_paste_with_any_content_is_one_event():
    data = b"\x1b[200~rm -rf\n\x1b[A\x01\xe8\xaa\x9e\x1b[201~x"
    assert Keyboard().feed(data) == [Paste("rm -rf\n\x1b[A\x01語"), Text("x")]


def test_an_unterminated_paste_is_reported_on_flush():
    keyboard = Keyboard()
    assert keyboard.feed(b"\x1b[200~abc\x1b[20") == []
    assert keyboard.timeout_s is not None
    assert keyboard.flush() == [Paste("abc\x1b[20")]
    assert keyboard.feed(b"x") == [Text("x")]


def test_a_huge_paste_is_split_between_characters():
    keyboard = Keyboard()
    text = "語" * MAX_PASTE
    data = b"\x1b[200~" + text.encode() + b"\x1b[201~"
    events = [event for at in range(0, len(data), 65537) for event in keyboard.feed(data[at : at + 65537])]
    assert len(events) > 1
    assert "".join(event.text for event in events) == text


def test_an_aborted_sequence_is_not_reported_as_text():
    keyboard = Keyboard()
    assert keyboard.feed(b"\x1b[1;\x01") == [KeyPress("C-a")]
    assert keyboard.feed(b"\x1b[" + b"1" * 500) + keyboard.flush() in ([], [Text("1" * 374)], [Text("1" * 372)])


@given(st.lists(st.binary(max_size=40), max_size=20))
def test_flush_leaves_nothing_pending_after_any_bytes(pieces):
    keyboard = Keyboard()
    for piece in pieces:
        keyboard.feed(piece)
    keyboard.flush()
    assert keyboard.timeout_s is None
    assert keyboard.feed(b"x") == [Text("x")]


@given(
    st.lists(st.sampled_from([*KEYS, b"abc", "é語".encode(), b"\x1b[<0;3;4M", b"\x1b[200~\x1b\x1b[201~"]), max_size=12),
    st.data(),
)
def test_input_split_anywhere_yields_the_same_events(parts, data):
    stream = b"".join(parts)
    whole = Keyboard().feed(stream)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    keyboard = Keyboard()
    events = []
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        events += keyboard.feed(stream[start:end])

    def joined(parsed):
        return "".join(f"<{event!r}>" if not isinstance(event, Text) else event.text for event in parsed)

    assert joined(events) == joined(whole)
