"""Properties of every engine for any output, and the common subset in which the two engines must agree."""

import itertools
import re

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from phux_core import engine as engines
from phux_core.engine import protocol
from phux_core.keys import KEY_NAMES, Key

# Use the same examples on every run, so that builds are reproducible. To search further, remove derandomize and raise
# max_examples.
EXAMPLES = settings(
    max_examples=100,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

every_engine = pytest.mark.parametrize("name", engines.ENGINES)


@pytest.fixture(autouse=True)
def _both_import():
    pytest.importorskip("pyghostty")


# Streams. The engines must agree on the common subset; docs/engines.md lists the exclusions and the reasons.

_NARROW = st.text(st.sampled_from("abcXYZ 0189.,-/~é─│"), min_size=1, max_size=14)
_WIDE = st.text(st.sampled_from("ab 0é─日本語한🚀"), min_size=1, max_size=14)
_TEXT = st.one_of(_NARROW, _WIDE)
_COMBINED = st.sampled_from(["e\u0301", "\u0301", "a\u0308\u0304", "❤\ufe0f", "👩\u200d👧", "日\u0301"])
_CONTROL = st.sampled_from(["\r\n", "\r\n", "\n", "\r", "\b", "\t", "\x0b", "\x0c", "\x07"])
_NUMBER = st.sampled_from(["", "1", "2", "3", "5", "8", "40", "999"])


def _csi(finals):
    return st.builds(lambda number, final: f"\x1b[{number}{final}", _NUMBER, st.sampled_from(finals))


_MOVE = _csi("ABCDEFGdaeI")
_PLACE = st.builds(lambda y, x, final: f"\x1b[{y};{x}{final}", _NUMBER, _NUMBER, st.sampled_from("Hf"))
_EDIT = _csi("@PXLMST")
_ERASE = st.sampled_from(
    [
        "\x1b[?K",
        "\x1b[?1K",
        "\x1b[?2J",
        "\x1b[?1J",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[2K",
        "\x1b[J\r",  # libghostty no longer wraps after an ED that erased rows below
        "\x1b[1J",
        "\x1b[2J",
        "\x1b[3J",
    ]
)
_LINE = st.builds(
    lambda text, erase: f"\r{text}{erase}\r\n", _TEXT, st.sampled_from(["\x1b[K", "\x1b[J", "\x1b[m\x1b[K\x1b[K"])
)
_SGR = st.lists(
    st.sampled_from(
        [
            "0",
            "1",
            "2",
            "3",
            "4",
            "5",
            "7",
            "8",
            "9",
            "21",
            "22",
            "23",
            "24",
            "25",
            "27",
            "28",
            "29",
            "31",
            "32",
            "39",
            "41",
            "44",
            "49",
            "53",
            "55",
            "91",
            "104",
            "4:3",
            "4:0",
            "38;5;9",
            "48;5;200",
            "38;2;1;2;3",
            "48:2::9:8:7",
            "38:5:77",
            "58;5;3",
            "59",
        ]
    ),
    max_size=3,
).map(lambda codes: f"\x1b[{';'.join(codes)}m")
_MARGINS = st.sampled_from(["\x1b[r", "\x1b[2;4r", "\x1b[1;3r", "\x1b[3r", "\x1b[4;2r"])
_MODE = st.sampled_from(
    [
        "4h",
        "4l",
        "?6h",
        "?6l",
        "?7l",
        "?7h",
        "?25l",
        "?25h",
        "?1h",
        "?1l",
        "?2004h",
        "?2004l",
        "?1000h",
        "?1002h",
        "?1003h",
        "?1000l",
        "?1002l",
        "?1003l",
        "?1006h",
        "?1006l",
        "?1004h",
        "?2026h",
        "?2026l",
        "20h",
        "20l",
        "?1049h",
        "?1049l",
        "?1048h",
        "?1048l",
        "?67h",
        "?2048h",
        "?2048l",
        ">4;2m",
        ">4m",
        "W",
        "5W",
        "?5W",
    ]
).map(lambda mode: f"\x1b[{mode}")
_ESCAPE = st.sampled_from(
    [
        "\x1b7",
        "\x1b8",
        "\x1bD",
        "\x1bE",
        "\x1bM",
        "\x1bH",
        "\x1b[3g",
        "\x1b(0lqqk\x1b(B.",
        "\x1b)0\x0ex\x0f.",
        "\x1b=",
        "\x1b>",
        "\x1b[!p",
        "\x1b[s",
        "\x1b[u",
        "\x1b[3b",
        "\x1b[b",
        "\x1b[6n",
        "\x1b[c",
        "\x1b[5n",
        "\x1b[?2026$p",
    ]
)
_STRING = st.sampled_from(
    [
        "\x1b]0;title\x07",
        "\x1b[22;0;0t",
        "\x1b[23;0;0t",
        "\x1b]2;other\x1b\\",
        "\x1b]7;file:///tmp/a\x07",
        "\x1b]8;;http://x\x1b\\",
        "\x1b]133;C\x07",
        "\x1b]7748;abc\x07",
        "\x1bPq#0\x1b\\",
        "\x1b_Gi=1\x1b\\",
        "\x1b^pm\x1b\\",
        "\x1bXsos\x1b\\",
        "\x1b]52;c;eA==\x07",
    ]
)
_CONTROLS = [_CONTROL, _CONTROL, _MOVE, _PLACE, _EDIT, _ERASE, _LINE, _MARGINS, _MODE, _ESCAPE, _STRING]
_COMMON = st.one_of(_TEXT, _TEXT, _TEXT, _SGR, _SGR, *_CONTROLS)


def _streams(*pieces):
    return st.lists(st.one_of(*pieces), max_size=30).map(lambda parts: "".join(parts).encode())


# If a wide glyph does not fit in the last column, libghostty applies the current style to that column and shows it once
# the glyph is erased. So wide glyphs and styles are compared separately.
common = st.one_of(
    _streams(_NARROW, _NARROW, _NARROW, _SGR, _SGR, *_CONTROLS),
    _streams(_WIDE, _WIDE, _NARROW, *_CONTROLS),
)

_ODD = st.one_of(
    st.binary(min_size=1, max_size=8),
    st.sampled_from([b"\x1b", b"\x1b[", b"\x1b]", b"\x1bP", b"\x18", b"\x1a", b"\x9b", b"\xc2\x9b", b"\x00", b"\x7f"]),
    st.sampled_from(
        [
            b"\x1b[0P",
            b"\x1b[`",
            b"\x1b[Z",
            b"\x1b(0",
            b"\x0e",
            b"\x1b#8",
            b"\x1b[3\nC",
            b"\x1b[?4m",
            b"\x1b[>4;1m",
            b"\x1b[1;2;3H",
            b"\x1b[99999999999999C",
            b"\x1b[22J",
        ]
    ),
    st.sampled_from(
        [b"\x1b[?1047h", b"\x1b[?1047l", b"\x1b[?47h", b"\x1b[?47l", b"\x1bc", b"\x1b[!p", b"\x1b]133;A\x07"]
    ),
    st.sampled_from(
        [b"\x1b]133;B\x07", b"\x1bktitle\x1b\\", b"\xe6\x97", b"\xf0\x9f\x98", b"\x1b[" + b"1;" * 99 + b"m"]
    ),
    _COMBINED.map(str.encode),
)
anything = st.lists(st.one_of(_COMMON.map(str.encode), _ODD), max_size=30).map(b"".join)

sizes = st.tuples(st.integers(1, 12), st.integers(1, 6))
_ANY_SIDE = st.one_of(st.integers(1, 20), st.sampled_from([80, 132, 500, 1000]))
any_sizes = st.tuples(_ANY_SIDE, _ANY_SIDE)


def state_of(engine):
    """Return the observable state of an engine."""
    history = engine.history_rows
    return {
        "lines": engine.lines(-history, history + engine.rows),
        "spans": engine.spans(-history, history + engine.rows),
        "cursor": engine.cursor(),
        "modes": engine.modes(),
        "title": engine.title,
        "cwd": engine.cwd,
        "position": engine.position,
        "size": (engine.cols, engine.rows),
    }


def check_grid(engine):
    """Fail if the cursor or a span is outside the grid."""
    cursor = engine.cursor()
    assert 0 <= cursor.x < engine.cols
    assert 0 <= cursor.y < engine.rows
    history = engine.history_rows
    lines = engine.lines(-history, history + engine.rows)
    assert len(lines.text) == len(lines.wrapped) == history + engine.rows
    free = {}
    for span in engine.spans(-history, history + engine.rows):
        assert -history <= span.row < engine.rows
        assert span.count > 0
        assert free.get(span.row, 0) <= span.col
        free[span.row] = span.col + span.count * span.width
        # libghostty does not reflow while autowrap is off, and may then leave the left half of a wide glyph in the
        # last column.
        assert free[span.row] <= engine.cols + (engine.name == "ghostty" and span.width == 2)


@every_engine
@EXAMPLES
@given(data=anything, size=sizes, history=st.sampled_from([0, 3, 10_000]))
def test_any_output_is_accepted_and_stays_in_the_grid(name, data, size, history):
    engine = engines.create(name, *size, history=history)
    engine.feed(data)
    assert engine.position == len(data)
    assert engine.history_rows <= history
    check_grid(engine)
    # CAN, ST and a reset of the modes end any unfinished sequence, so the next line of text must be shown.
    engine.feed(b"\x18\x1b\\\x1b[!p\x1b[?7h\x1b[4l\x1b[r\x1b(B\x0f\x1b[999;1H\x1b[2Kok")
    assert "ok"[: size[0]] in engine.lines(0, engine.rows).text[-1] or size[0] == 1
    engine.close()


@every_engine
@EXAMPLES
@given(data=anything, size=sizes, cuts=st.lists(st.integers(0, 200), max_size=6))
def test_splitting_the_stream_does_not_change_the_result(name, data, size, cuts):
    whole = engines.create(name, *size)
    whole_effects = whole.feed(data)
    bounds = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    split = engines.create(name, *size)
    bytewise = engines.create(name, *size)
    split_effects = [e for a, b in itertools.pairwise(bounds) for e in split.feed(data[a:b])]
    bytewise_effects = [e for at in range(len(data)) for e in bytewise.feed(data[at : at + 1])]
    states = [state_of(engine) for engine in (whole, split, bytewise)]
    assert states[1] == states[0]
    assert states[2] == states[0]
    for kind in (protocol.Reply, protocol.Mark, protocol.PrivateOsc, protocol.CwdChanged):
        wanted = [effect for effect in whole_effects if isinstance(effect, kind)]
        assert [effect for effect in split_effects if isinstance(effect, kind)] == wanted
        assert [effect for effect in bytewise_effects if isinstance(effect, kind)] == wanted
    for engine in (whole, split, bytewise):
        engine.close()


@every_engine
@settings(EXAMPLES, max_examples=120)
@given(steps=st.lists(st.tuples(anything, st.one_of(st.none(), st.none(), sizes)), max_size=8), size=sizes)
def test_accumulated_changes_equal_the_whole_screen(name, steps, size):
    # A limit of libghostty (docs/engines.md).
    assume(name != "ghostty" or not any(b"22J" in data for data, _size in steps))
    engine, other = engines.create(name, *size), engines.create(name, *size)
    known = engine.changed()
    for data, new_size in steps:
        if new_size is not None:
            engine.resize(*new_size)
            other.resize(*new_size)
        # Feed small pieces, so that glyphs and their combining marks arrive separately.
        for at in range(0, len(data), 3):
            engine.feed(data[at : at + 3])
            other.feed(data[at : at + 3])
            known |= engine.changed()
            spans = other.spans(0, other.rows)
            whole = {row: [span for span in spans if span.row == row] for row in range(other.rows)}
            assert {row: known[row] for row in range(other.rows)} == whole
    engine.close()
    other.close()


@every_engine
@EXAMPLES
@given(before=anything, after=anything, size=sizes, new_size=sizes)
def test_a_restored_engine_behaves_like_the_original(name, before, after, size, new_size):
    engine = engines.create(name, *size, history=50)
    engine.feed(before)
    other = engines.restore(engine.checkpoint())
    assert state_of(other) == state_of(engine)
    assert other.feed(after) == engine.feed(after)
    assert state_of(other) == state_of(engine)
    engine.resize(*new_size)
    other.resize(*new_size)
    assert state_of(other) == state_of(engine)
    engine.close()
    other.close()


@every_engine
@EXAMPLES
@given(steps=st.lists(st.tuples(anything, any_sizes), max_size=5), size=any_sizes)
def test_any_sequence_of_resizes_keeps_the_contents_in_the_grid(name, steps, size):
    engine = engines.create(name, *size, history=30)
    for data, new_size in steps:
        engine.feed(data)
        engine.resize(*new_size)
        assert (engine.cols, engine.rows) == new_size
        check_grid(engine)
    engine.close()


@EXAMPLES
@given(
    lines=st.lists(st.one_of(_TEXT, _SGR, _COMBINED, st.just("\t"), st.just("")), min_size=1, max_size=12),
    head=common,
    size=sizes,
    times=st.integers(1, 12),
    limit=st.sampled_from([0, 5, 40, 10_000]),
)
def test_a_flood_in_one_piece_has_the_same_result_as_line_by_line(lines, head, size, times, limit):
    """The pyte engine defers lines that scroll off the screen, which must not be observable."""
    flood = ("\r\n".join((*lines, "")) * times).encode()
    at_once = engines.create("pyte", *size, history=limit)
    at_once.feed(head + flood)
    by_line = engines.create("pyte", *size, history=limit)
    by_line.feed(head)
    for line in flood.splitlines(keepends=True):
        by_line.feed(line)
    assert state_of(at_once) == state_of(by_line)
    at_once.feed(b"\x1b[3b!")
    by_line.feed(b"\x1b[3b!")
    assert state_of(at_once) == state_of(by_line)


@pytest.mark.parametrize(
    "asked",
    ["", "\x1b[?1h\x1b=", "\x1b[?67h", "\x1b[>4;2m", "\x1b[>4;1m", *(f"\x1b[>{flags}u" for flags in (1, 8, 9, 24, 25))],
)
def test_both_engines_encode_every_key_alike(asked):
    pair = [engines.create(name, 10, 4) for name in engines.ENGINES]
    for engine in pair:
        engine.feed(asked.encode())
    held = itertools.product((False, True), repeat=3)
    for name, (ctrl, alt, shift) in itertools.product([*KEY_NAMES, *"azAZ19-=[;/ !@^_?~éÉß漢"], [*held]):
        key = Key(name, ctrl=ctrl, alt=alt, shift=shift)
        theirs, ours = (engine.encode_key(key) for engine in pair)
        assert ours == theirs, key
    for engine in pair:
        engine.close()


# After these sequences, libghostty keeps the wrap flag of a row whose continuation was moved or erased, and drops the
# flags of moved rows.
_SHIFTS = re.compile(rb"\x1b\[[0-9]*[LMST]|\x1bM|\x1b\[\?[0-9]*[JK]")


# In origin mode, libghostty adds the top margin to the row a second time for these sequences.
_COLUMN_IN_ORIGIN_MODE = re.compile(rb"\x1b\[\?6h.*\x1b\[[0-9]*[Gae]", re.DOTALL)


@settings(EXAMPLES, max_examples=200)
@given(data=common, size=st.tuples(st.integers(2, 12), st.integers(2, 6)))
def test_both_engines_agree_on_the_common_subset(data, size):
    """Compare lines, wrap flags, cursor, styles, modes, titles and replies."""
    assume(not _COLUMN_IN_ORIGIN_MODE.search(data))
    pair = [engines.create(name, *size) for name in engines.ENGINES]
    effects = [engine.feed(data) for engine in pair]
    theirs, ours = map(state_of, pair)
    if _SHIFTS.search(data):
        theirs["lines"], ours["lines"] = theirs["lines"].text, ours["lines"].text
    assert ours == theirs
    replies = [[effect for effect in each if isinstance(effect, protocol.Reply)] for each in effects]
    assert replies[1] == replies[0]
    for engine in pair:
        engine.close()


_PIECES = st.lists(
    st.sampled_from(
        [
            "x",
            "Hm",
            "12;3H",
            "[m",
            "é",
            "日",
            "\x1b[m",
            "\x1b[1;31m",
            "\x1b(B\x1b[m",
            "\x1b[K",
            "\t",
            "\b",
            "\n",
            "\x1b[2C",
        ]
    ),
    max_size=6,
)


@settings(EXAMPLES, max_examples=150)
@given(
    cols=st.sampled_from([2, 9, 20, 79, 80, 132]),
    place=st.sampled_from(
        ["", "\r", "\r\n", "\x1b[H", "\x1b[2H", "\r\x1b[2d", "\x1b[2;7H", "\x1b[3;39H", "\x1b[2;40H", "\x1b[;15f"]
    ),
    missing=st.integers(-1, 2),
    last=st.sampled_from(["", "", "\x1b[m", "\x1b(B\x1b[m", "\x1b[2;5H", "\x1b[3d", "\x1b[2A"]),
    pieces=_PIECES,
    erase=st.sampled_from(["\x1b[K", "\x1b[0K", "\x1b[J", "\x1b[?K", "\x1b[?J"]),
    after=st.sampled_from(["\r", "\r\n", "\x1b[H", "\x1b[1;2HX", "\b", "\x1b[2D", "\x1b7", "\x1b[m\x1b[K\r"]),
    cuts=st.lists(st.integers(0, 60), max_size=3),
)
@example(80, "\x1b[3;39H", 0, "", [], "\x1b[K", "\r", [])
@example(80, "\x1b[3;9H", 0, "", [], "\x1b[K", "\r", [])
@example(80, "\x1b[3;9H", 0, "", ["x" * 35 + "H"], "\x1b[J", "\r", [])
@example(79, "\x1b[3;9H", 0, "", ["x" * 35 + "H"], "\x1b[J", "\r", [])
@example(80, "\r\n", 0, "", [], "\x1b[K", "\r", [])
def test_both_engines_erase_alike_at_the_end_of_a_row(cols, place, missing, last, pieces, erase, after, cuts):
    """An erase with a pending wrap must have the same result for any start of the row and any following output."""
    pair = [engines.create(name, cols, 4) for name in engines.ENGINES]
    for engine in pair:
        engine.feed((place + "".join(pieces)).encode())
    fill = "f" * max(0, cols - pair[1].cursor().x - missing) + last
    tail = (fill + erase + after).encode()
    bounds = sorted({0, len(tail), *(len(tail) - cut for cut in cuts if cut < len(tail))})
    for engine in pair:
        for start, end in itertools.pairwise(bounds):
            engine.feed(tail[start:end])
    theirs, ours = pair
    assert ours.lines(0, 4).text == theirs.lines(0, 4).text
    assert ours.cursor() == theirs.cursor()
    # Repeat the stream in one piece, as a program writes it when it repaints.
    stream = (place + "".join(pieces) + fill + erase + after).encode() * 3
    for engine in pair:
        engine.feed(stream)
    assert ours.lines(0, 4).text == theirs.lines(0, 4).text
    for engine in pair:
        engine.close()


@settings(EXAMPLES, max_examples=200)
@given(
    data=_streams(_NARROW, _NARROW, _WIDE, st.just("\r\n"), st.just("\r\n"), _SGR),
    size=st.tuples(st.integers(2, 12), st.integers(2, 6)),
    new_sizes=st.lists(st.tuples(st.integers(2, 16), st.integers(2, 8)), min_size=1, max_size=3),
)
def test_both_engines_reflow_alike(data, size, new_sizes):
    """Lines of plain output, as a shell writes them, reflow the same way for any sequence of sizes."""
    pair = [engines.create(name, *size) for name in engines.ENGINES]
    for engine in pair:
        engine.feed(data)
        for new_size in new_sizes:
            engine.resize(*new_size)
    theirs, ours = pair
    history = theirs.history_rows
    assert ours.history_rows == history
    assert ours.lines(-history, history + ours.rows) == theirs.lines(-history, history + ours.rows)
    assert ours.cursor() == theirs.cursor()
    for engine in pair:
        engine.close()
