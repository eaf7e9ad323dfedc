"""The grammar of escape sequences: removal, cursor motion and unfinished sequences."""

import pytest

from phux_core import escapes

IN_PLACE = [b"\x1b[m", b"\x1b[1;38:5:7m", b"\x1b(B", b"\x1b]0;t\x07", b"\x1b]8;;u\x1b\\", b"\x1bPq\x1b\\"]
MOVING = [b"\x1b[2;5H", b"\x1b[?1049h", b"\x1b[2J", b"\x1b[0 q", b"\x1bM", b"\x1b7", b"\xc2\x9b3A"]
ERASE_REST = [b"\x1b[K", b"\x1b[0K"]
IN_PLACE += [*ERASE_REST, b"\x1b[?2004h", b"\x1b[?1;1006;1000l", b"\x1b[>4;1m", b"\x1b[<u", b"\x1b=", b"\x1b>"]
MOVING += [b"\x1b[1K", b"\x1b[2K", b"\x1b[?6h", b"\x1b[?7l", b"\x1b[?2004;1049h", b"\x1b[u"]

every_sequence = pytest.mark.parametrize("sequence", IN_PLACE + MOVING)


@every_sequence
def test_strip_removes_escape_sequences_and_nothing_else(sequence):
    assert escapes.strip(b"one" + sequence + b"two\r\n" + sequence) == b"onetwo\r\n"


@every_sequence
def test_only_sequences_that_move_the_cursor_separate_text(sequence):
    expected = b"one\ntwo" if sequence in MOVING else b"onetwo"
    assert escapes.break_at_motion(b"one" + sequence + b"two") == expected
    assert escapes.after_last_motion(b"one" + sequence + b"two", 0) == (3 + len(sequence)) * (sequence in MOVING)


@every_sequence
def test_strip_traceless_removes_only_traceless_sequences(sequence):
    assert (escapes.strip_traceless(b"a" + sequence + b"b") == b"ab") == (
        sequence in IN_PLACE and sequence not in ERASE_REST
    )


@pytest.mark.parametrize("sequence", [each for each in IN_PLACE + MOVING if each.startswith(b"\x1b")])
def test_cut_unfinished_removes_only_unfinished_sequences(sequence):
    for size in range(1, len(sequence)):
        assert escapes.cut_unfinished(b"text" + sequence[:size]) == b"text"
    assert escapes.cut_unfinished(b"text" + sequence) == b"text" + sequence


def test_an_unterminated_string_does_not_hide_the_next_line():
    assert escapes.strip(b"a\x1b]0;never ended\nb") == b"a\nb"
