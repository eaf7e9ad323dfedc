import pytest

from phux_core.engine import create
from phux_core.engine.pyte.dispatch import action_for
from phux_core.engine.pyte.history import History
from phux_core.engine.pyte.stream import MAX_SEQUENCE, MAX_STRING, Parser
from phux_core.engine.pyte.styles import StyleTable
from phux_core.engine.pyte.terminal import Terminal


@pytest.fixture
def terminal():
    styles = StyleTable()
    return Terminal(20, 3, styles, History(10, 20, lambda *_: []))


@pytest.fixture
def parser(terminal):
    return Parser(terminal)


def test_nothing_is_held_back_after_a_complete_sequence(parser):
    for whole in (
        "text",
        "\x1b[1;2H",
        "\x1b[?25l",
        "\x1b(0",
        "\x1b]0;t\x07",
        "\x1b]0;t\x1b\\",
        "\x1bPq\x1b\\",
        "\x1b7",
    ):
        parser.feed(whole)
        assert parser.held == ""


@pytest.mark.parametrize(
    ("begun", "held"),
    [
        ("\x1b", "\x1b"),
        ("\x1b(", "\x1b("),
        ("\x1b[", "\x1b["),
        ("\x1b[1;2", "\x1b[1;2"),
        ("\x1b[1\n;é2", "\x1b[1;2"),
        ("\x1b]0;t", "\x1b]0;t"),
        ("\x1bP1", "\x1bP1"),
        ("\x1b_x", "\x1b_"),
        ("\x1bXx", "\x1bX"),
        ("\x1b^x", "\x1b^"),
        ("\x1bkx", "\x1bk"),
        ("\x1b]0;t\x1b", "\x1b"),
    ],
)
def test_an_unfinished_sequence_is_held_back(parser, begun, held):
    parser.feed(begun)
    assert parser.held == held


def test_controls_inside_a_sequence_are_executed_and_the_sequence_continues(parser, terminal):
    parser.feed("\x1b[3\rCx")
    assert terminal.rows[0].text == "   x"


@pytest.mark.parametrize("cancel", ["\x18", "\x1a"])
def test_the_controls_0x18_and_0x1a_cancel_a_sequence(parser, terminal, cancel):
    parser.feed(f"\x1b[3{cancel}C\x1b]0;t{cancel}x")
    assert terminal.rows[0].text == "Cx"
    assert terminal.window_title is None


def test_an_escape_cancels_an_unfinished_csi_and_ends_an_unfinished_osc(parser, terminal):
    parser.feed("\x1b[3\x1b[2Cx\x1b]0;t\x1b[2Cy")
    assert terminal.rows[0].text == "  x  y"
    assert terminal.window_title == "t"


def test_overlong_sequences_are_dropped_completely(parser, terminal):
    parser.feed("\x1b[" + "0" * MAX_SEQUENCE + "3Cx")
    parser.feed("\x1b]0;" + "t" * (MAX_STRING + 1) + "\x07y")
    assert terminal.rows[0].text == "xy"
    assert terminal.window_title is None


def test_the_buffer_of_an_endless_string_is_bounded(parser):
    parser.feed("\x1b]0;")
    for _ in range(10):
        parser.feed("x" * MAX_STRING)
    assert len(parser.held) <= MAX_STRING + 3
    parser.feed("\x1b\\\x1b_")
    parser.feed("x" * MAX_STRING)
    assert parser.held == "\x1b_"


@pytest.mark.parametrize(
    "sequence",
    ["\x1b[?4m", "\x1b[>4;1m", "\x1b[1:2H", "\x1b[1 H", "\x1b[5y", "\x1b#3", "\x1b%G", "\x1b[?1;2$x", "\x05"],
)
def test_unknown_sequences_are_ignored(terminal, parser, sequence):
    parser.feed("ab" + sequence + "c")
    assert terminal.rows[0].text == "abc"
    assert terminal.effects == []


def test_sequences_work_after_the_action_cache_has_overflowed():
    for number in range(40_000):
        action_for(f"\x1b[{number};{number}H")
    engine = create("pyte", 10, 2)
    engine.feed(b"a\r\n\x1b[1;3Hb")
    assert engine.lines(0, 1).text == ["a b"]


def test_every_csi_sequence_is_handled_or_ignored(terminal, parser):
    for final in map(chr, range(0x40, 0x7F)):
        for lead in ("", "?", ">", "=", "<"):
            for between in ("", "$", " ", "!", '"', "'", "*"):
                parser.feed(f"\x1b[{lead}1;2{between}{final}")
    assert parser.held == ""
