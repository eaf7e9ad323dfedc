import pytest

from phux_core.engine import create
from phux_core.engine.pyte.keys import encode
from phux_core.keys import Key, parse_key


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("C-a", b"\x1b[97;5u"),
        ("C-i", b"\x1b[105;5u"),
        ("Escape", b"\x1b[27u"),
        ("C-Enter", b"\x1b[13;5u"),
        ("M-a", b"\x1b[97;3u"),
        ("S-a", b"A"),
        ("S-1", b"\x1b[49;2u"),
        ("Enter", b"\r"),
        ("Tab", b"\t"),
        ("BTab", b"\x1b[9;2u"),
        ("BSpace", b"\x7f"),
        ("Space", b" "),
        ("a", b"a"),
        ("Up", b"\x1b[A"),
        ("C-Up", b"\x1b[1;5A"),
        ("S-F5", b"\x1b[15;2~"),
        ("F1", b"\x1b[P"),
        ("F3", b"\x1b[13~"),
        ("KP5", b"5"),
        ("C-KP5", b"\x1b[57404;5u"),
        ("KPEnter", b"\x1b[57414u"),
    ],
)
def test_keys_are_disambiguated_after_a_program_enables_the_kitty_protocol(name, expected):
    engine = create("pyte", 10, 2)
    engine.feed(b"\x1b[>1u")
    assert engine.encode_key(parse_key(name) or Key(name)) == expected


def test_all_keys_are_encoded_as_sequences_if_the_flags_request_that():
    assert encode(Key("a"), 8) == b"\x1b[97u"
    assert encode(Key("Enter"), 9) == b"\x1b[13u"


def test_encode_returns_none_without_the_kitty_protocol():
    assert encode(Key("a"), 0) is None


def test_each_screen_has_its_own_bounded_stack_of_kitty_flags():
    engine = create("pyte", 10, 2)
    engine.feed(b"\x1b[>1u\x1b[?1049h")
    assert engine.modes().kitty_flags == 0
    engine.feed(b"\x1b[>31u" * 100 + b"\x1b[?1049l")
    assert engine.modes().kitty_flags == 1
    engine.feed(b"\x1b[=2;2u")
    assert engine.modes().kitty_flags == 3
    engine.feed(b"\x1b[<99u")
    assert engine.modes().kitty_flags == 0
