"""A checkpoint restores the whole terminal, wherever in the stream it is taken."""

import random

import pytest

from phux_core import engine as engines

SESSION = (
    "\x1b]2;title é\x07\x1b]7;file://h/tmp\x07one\r\ntwo \x1b[1;31mred\x1b[m\r\n"
    + "".join(f"line {number} \x1b[3{number % 8}mcolor\x1b[m 漢字e\u0301\r\n" for number in range(40))
    + "\x1b]133;A\x07$ \x1b]133;B\x07ls\x1b]133;C\x07\r\n"
    + "a long line that wraps around the edge of this narrow screen\r\n"
    + "\x1b[3g\x1b[5G\x1bH\x1b[2;8r\x1b[?6h\x1b[?7l\x1b[4h\x1b[?2004h\x1b[?1002h\x1b[?1006h\x1b[?1h\x1b="
    + "\x1b[>5u\x1b)0\x0eqqq\x0f\x1b7\x1b[5 q\x1b[?25l\x1b[44m\x1b[3;3H"
    + "\x1b[?1049h\x1b[2Jon the alternate screen\x1b[4;4Hhere"
).encode()

FOLLOW = b"x\tq\x0eq\x0f\x1b[6n\r\nmore\x1b8y\x1b[?1049lback\n\n\n\n\x1b[<u\tz\x1b[?7h\x1b[4lwrap around the edge, do\r\n\x1b]133;D;7\x07"


@pytest.mark.parametrize("part", [0.1, 0.3, 0.5, 0.7, 0.9, 1.0])
def test_a_restored_terminal_continues_exactly_like_the_original(term, restored, part):
    t = term(24, 10)
    cut = int(len(SESSION) * part)
    t.feed(SESSION[:cut])
    copy = restored(t.engine.checkpoint())
    assert copy.state() == t.state()
    assert copy.feed(SESSION[cut:] + FOLLOW) == t.feed(SESSION[cut:] + FOLLOW)
    assert copy.state() == t.state()


UNFINISHED = [
    b"\x1b",
    b"\x1b[",
    b"\x1b[1;3",
    b"\x1b[?104",
    b"\x1b[!",
    b"\x1b]",
    b"\x1b]13",
    b"\x1b]133;D;",
    b"\x1b]7748;some da",
    b"\x1b]7748;some data\x1b",
    b"\x1b]8;;http://",
    b"\x1b]2;tit",
    b"\x1b]2;tit\x1b",
    b"\x1bP$q",
    b"\x1bP$qm\x1b",
    b"\x1b_G",
    b"\x1b(",
    "漢".encode()[:1],
    "漢".encode()[:2],
    b"\x1b[38;5",
    b"abc",
]
ENDS = [b"1m\x1b\\xyz\x07\r\n\x1b[c", b"p\x07abc", b"\\abc", "漢".encode()[1:] + b"abc", "漢".encode()[2:] + b"abc"]


@pytest.mark.parametrize("head", UNFINISHED, ids=repr)
def test_a_restored_terminal_completes_a_sequence_cut_by_the_checkpoint(term, restored, head):
    for end in ENDS:
        t = term(20, 4, "ab\x1b[?25l\x1b[2;3r\x1b[?6h", head)
        copy = restored(t.engine.checkpoint())
        again = restored(copy.engine.checkpoint())
        expected = t.feed(end)
        assert copy.feed(end) == expected
        assert again.feed(end) == expected
        assert copy.state() == t.state()
        assert again.state() == t.state()


@pytest.mark.parametrize("opening", [b"\x1b]0;", b"\x1b]7748;", b"\x1b]8;;", b"\x1bP", b"\x1b_", b"\x1b^"], ids=repr)
def test_a_checkpoint_can_be_taken_inside_a_very_long_control_string(term, restored, opening):
    t = term(20, 4, "ab", opening, b"x" * 300_000)
    copy = restored(t.engine.checkpoint())
    assert t.screen == ["ab"]
    for each in (t, copy):
        each.feed(b"still\x1b\\cd")
        assert each.screen == ["abcd"]


@pytest.mark.parametrize(
    "mode", ["\x1b[?2026h", "\x1b[?2048h", "\x1b[?69h\x1b[3;8s", "\x1b[?45h", "\x1b[?1049h\x1b[?7l"]
)
def test_restoring_sends_no_reply_and_changes_no_mode(term, restored, mode):
    t = term(20, 4, "ab", mode)
    copy = restored(t.engine.checkpoint())
    assert copy.feed(b"") == []
    assert copy.engine.modes() == t.engine.modes()


def test_wide_characters_cut_by_a_narrower_alternate_screen_do_not_prevent_a_checkpoint(term, restored):
    for leave in ("", "\x1b[?1049l"):
        t = term(20, 4, "primary text\x1b[?1049h\x1b[2;1Hab漢字漢字\x1b[3;1Habc漢字漢字", leave)
        for cols in (9, 8, 5, 4, 2, 1):
            t.engine.resize(cols, 4)
            copy = restored(t.engine.checkpoint())
            assert copy.state() == t.state()


def test_wide_characters_on_the_primary_screen_do_not_prevent_a_checkpoint_while_autowrap_is_off(term, restored):
    # htop and mc turn autowrap off on the alternate screen, and a resize then changes the primary screen, too.
    for stream in ("漢字漢字\x1b[?7l", "漢字漢字\x1b[?1049h\x1b[?7l"):
        t = term(8, 3, stream)
        t.engine.resize(3, 3)
        copy = restored(t.engine.checkpoint())
        copy.feed("\x1b[?1049l")
        assert "".join(copy.history + copy.screen) == "漢字漢字"


@pytest.mark.parametrize("unfinished", [b"\x1b[3", b"\x1b]2;tit", "漢".encode()[:2], b"\x1b_a\x9b"], ids=repr)
def test_an_unfinished_sequence_does_not_prevent_a_checkpoint_after_wide_characters_were_cut(
    term, restored, unfinished
):
    for leave in ("", "\x1b[?1049l"):
        t = term(20, 4, "\x1b[?1049h\x1b[2;1Hab漢字漢字\x1b[1;1H", leave, unfinished)
        t.engine.resize(5, 4)
        copy = restored(t.engine.checkpoint())
        for each in (t, copy):
            each.feed("漢".encode()[2:], b"\x18\x07\x1b\\\x1b[4;1Hend")
            assert each.screen[3] == "end"
        assert copy.state() == t.state()


def test_a_restored_terminal_continues_the_stream_position(term, restored):
    t = term(20, 4, "abc")
    copy = restored(t.engine.checkpoint())
    assert copy.engine.position == 3
    assert copy.feed("\x1b]133;A\x07")[0].start == 3


def test_taking_a_checkpoint_does_not_change_the_terminal(term):
    t = term(24, 10, SESSION)
    before = t.state()
    first = t.engine.checkpoint()
    assert t.state() == before
    assert t.engine.checkpoint() == first


def test_history_and_its_limit_are_restored(term, restored):
    t = term(20, 4, history=50)
    t.feed("".join(f"{number}\r\n" for number in range(200)))
    copy = restored(t.engine.checkpoint())
    assert copy.history == t.history
    copy.feed("".join(f"{number}\r\n" for number in range(200, 300)))
    assert copy.history == [str(number) for number in range(300 - 3 - 50, 300 - 3)]


def test_a_checkpoint_is_restored_by_the_engine_that_made_it(term, restored, engine_name):
    assert restored(term().engine.checkpoint()).engine.name == engine_name


@pytest.mark.parametrize("damage", ["empty", "cut", "foreign", "version"])
def test_restoring_an_invalid_checkpoint_raises_value_error(term, engine_name, damage):
    good = term(20, 4, "abc").engine.checkpoint()
    head = good.index(b"\n") + 1
    bad = {
        "empty": b"",
        "cut": good[:-5],
        "foreign": b"something else\n" + good,
        "version": good[:head] + b"\xff\xff" + good[head + 2 :],
    }[damage]
    with pytest.raises(ValueError):
        engines.restore(bad)


@pytest.mark.parametrize("seed", range(5))
def test_restoring_at_random_positions_does_not_change_the_result(term, restored, seed):
    rng = random.Random(seed)
    t = term(24, 10)
    copy = term(24, 10)
    data = SESSION + FOLLOW
    at = 0
    while at < len(data):
        size = rng.randrange(1, 200)
        chunk = data[at : at + size]
        assert copy.feed(chunk) == t.feed(chunk)
        copy = restored(copy.engine.checkpoint())
        at += size
    assert copy.state() == t.state()


@pytest.mark.parametrize("size", [1, 3, 17])
def test_feeding_in_pieces_gives_the_same_result_as_feeding_at_once(term, size):
    whole, pieces = term(24, 10), term(24, 10)
    data = SESSION + FOLLOW
    whole.feed(data)
    pieces.feed(*(data[at : at + size] for at in range(0, len(data), size)))
    assert pieces.state() == whole.state()
    kinds = {type(effect).__name__ for effect in whole.effects}
    for kind in kinds - {"Bell"}:
        assert [e for e in pieces.effects if type(e).__name__ == kind] == [
            e for e in whole.effects if type(e).__name__ == kind
        ]


def test_an_engine_can_be_closed_twice(engine):
    terminal = engine()
    terminal.close()
    terminal.close()
