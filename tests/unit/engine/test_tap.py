"""The tap: the OSC sequences that it reports and removes, however the stream is split."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_core.engine.protocol import Copied, CwdChanged, Mark, Notified, PrivateOsc
from phux_core.engine.tap import MAX_BODY, Tap


def scan(*chunks):
    """Scan chunks, and return all bytes for the engine and all effects."""
    tap = Tap()
    out, effects = b"", []
    for chunk in chunks:
        data, found = tap.scan(chunk)
        out += data
        effects += found
    return out, effects


def test_a_chunk_without_osc_sequences_is_passed_through_without_a_copy():
    tap = Tap()
    data = b"plain \x1b[31mtext\x1b[m\r\n"
    out, effects = tap.scan(data)
    assert out is data
    assert effects == []
    assert tap.position == len(data)


def test_a_chunk_without_sequences_to_remove_is_passed_through_without_a_copy():
    data = b"a\x1b]0;title\x07b\x1b]133;A\x07c"
    out, effects = Tap().scan(data)
    assert out is data
    assert effects == [Mark("A", None, "", 12, 20)]


@pytest.mark.parametrize("end", [b"\x07", b"\x1b\\"])
@pytest.mark.parametrize("body", [b"8;;", b"8;x", b"7748;x", b"52;c;aGk=", b"5522;x"])
def test_clipboard_and_private_sequences_are_replaced_by_a_string_terminator(body, end):
    out, _ = scan(b"a\x1b]" + body + end + b"b")
    assert out == b"a\x1b\\b"


def test_the_text_of_a_link_keeps_its_color_until_the_link_ends():
    pen = b"\x1b[58;2;1;0;0m"
    out, _ = scan(b"a\x1b]8;id=1;http://x\x07b\x1b[1", b";31mc\x1b", b"[0md\x1b]8;;\x1b\\e\x1b[mf")
    assert out == b"a\x1b\\%bb\x1b[1;31m%bc\x1b[0m%bd\x1b\\\x1b[59me\x1b[mf" % (pen, pen, pen)


@pytest.mark.parametrize("reset", [b"\x1bc", b"\x1b[!p"])
def test_a_reset_ends_a_link(reset):
    out, _ = scan(b"\x1b]8;;http://x\x07a" + reset + b"b\x1b[1mc")
    assert out.endswith(reset + b"b\x1b[1mc")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"9;done; really", [Notified("", "done; really")]),
        (b"777;notify;Build;all\x01 green", [Notified("Build", "all green")]),
        (b"52;c;aGk=", [Copied("aGk=")]),
        (b"52;;aGk=", [Copied("aGk=")]),
        (b"9;4;1;50", []),  # progress
        (b"9;9;/home", []),  # a directory
        (b"777;preexec", []),
        (b"52;c;?", []),
        (b"52;c;\x1b[31m", []),
        (b"9;", []),
    ],
)
def test_notifications_and_clipboard_texts_are_reported(body, expected):
    assert scan(b"\x1b]" + body + b"\x07")[1] == expected


@pytest.mark.parametrize(
    "body", [b"88;x", b"80;x", b"08;;x", b"8", b"8:x", b"77480;x", b"520;x", b"", b"0;t", b"1337;x"]
)
def test_sequences_similar_to_removed_ones_are_passed_through(body):
    data = b"a\x1b]" + body + b"\x07b"
    assert scan(data) == (data, [])


def test_an_osc_ended_by_an_escape_sequence_is_reported_and_that_sequence_is_kept():
    out, effects = scan(b"\x1b]7748;x\x1b[1m")
    assert out == b"\x1b\\\x1b[1m"
    assert effects == [PrivateOsc(b"x", 0, 8)]


def test_an_osc_that_directly_follows_another_is_reported():
    out, effects = scan(b"\x1b]7748;x\x1b]7748;y\x07")
    assert out == b"\x1b\\\x1b\\"
    assert effects == [PrivateOsc(b"x", 0, 8), PrivateOsc(b"y", 8, 17)]


@pytest.mark.parametrize("cancel", [b"\x18", b"\x1a"])
def test_a_cancelled_osc_is_not_reported_and_the_cancel_character_is_kept(cancel):
    assert scan(b"\x1b]7748;x" + cancel + b"y") == (b"\x1b" + cancel + b"y", [])
    assert scan(b"\x1b]133;A" + cancel + b"y") == (b"\x1b]133;A" + cancel + b"y", [])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"A", ("A", None, "")),
        (b"D;0", ("D", 0, "")),
        (b"D;-1;x=y", ("D", -1, "x=y")),
        (b"D;x", ("D", None, "x")),
        (b"D;", ("D", None, "")),
        (b"C;cmdline=ls", ("C", None, "cmdline=ls")),
        (b"P;k=i", ("P", None, "k=i")),
        (b"D;99999999999", ("D", None, "99999999999")),
    ],
)
def test_marks_are_parsed_into_kind_exit_code_and_options(body, expected):
    (mark,) = scan(b"\x1b]133;" + body + b"\x07")[1]
    assert (mark.kind, mark.exit_code, mark.options) == expected


def test_a_mark_without_a_kind_is_not_reported():
    assert scan(b"\x1b]133;\x07\x1b]133\x07")[1] == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"file://host/a/b", "/a/b"),
        (b"file:///a%20b", "/a b"),
        (b"FILE://h/x", "/x"),
        (b"file://host/%E6%BC%A2", "/漢"),
        (b"file://host/%FF", "/\ufffd"),
        (b"kitty-shell-cwd://host/a%20b", "/a%20b"),
        (b"/bare/path", "/bare/path"),
        ("file://h/é".encode(), "/é"),
    ],
)
def test_reported_directories_are_decoded(body, expected):
    assert scan(b"\x1b]7;" + body + b"\x07")[1] == [CwdChanged(expected)]


@pytest.mark.parametrize("body", [b"", b"file://host", b"http://x/y", b"relative", b"file://h/a%00b"])
def test_invalid_directories_are_not_reported(body):
    assert scan(b"\x1b]7;" + body + b"\x07")[1] == []


def test_an_unchanged_directory_is_reported_once():
    tap = Tap()
    assert len(tap.scan(b"\x1b]7;file:///a\x07")[1]) == 1
    assert tap.scan(b"\x1b]7;file:///a\x07")[1] == []
    assert tap.cwd == "/a"


@pytest.mark.parametrize(
    "opening", [b"\x1b]7748;", b"\x1b]133;A;", b"\x1b]7;file://", b"\x1b]8;;", b"\x1b]0;", b"\x1b]"]
)
def test_the_memory_used_by_an_endless_osc_is_bounded(opening):
    tap = Tap()
    tap.scan(opening)
    tracemalloc.start()
    for _ in range(64):
        tap.scan(b"1" * MAX_BODY)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 3 * MAX_BODY
    out, effects = tap.scan(b"\x07after")
    assert out.endswith(b"after")
    assert effects == []


def test_a_body_of_the_maximum_length_is_reported_and_a_longer_one_is_not():
    body = b"x" * MAX_BODY
    assert scan(b"\x1b]7748;" + body + b"\x07")[1][0].data == body
    assert scan(b"\x1b]7748;" + body + b"y\x07")[1] == []


def test_an_unfinished_osc_is_held_back():
    tap = Tap()
    assert tap.scan(b"a\x1b")[0] == b"a"
    assert tap.scan(b"]0;ti")[0] == b""
    assert tap.scan(b"tle\x1b")[0] == b""
    assert tap.scan(b"\\b")[0] == b"\x1b]0;title\x1b\\b"


@pytest.mark.parametrize("size", [MAX_BODY + 100, 1000])
def test_an_overlong_osc_is_removed_however_it_is_split(size):
    stream = b"a\x1b]0;" + b"x" * (MAX_BODY + 20) + b"\x1b\\b"
    assert scan(*(stream[at : at + size] for at in range(0, len(stream), size))) == (b"a\x1b\\b", [])


@pytest.mark.parametrize("state", ["", "x", "\0" * 100, "1", "[1, 2, 3]"])
def test_load_raises_value_error_for_an_invalid_state(state):
    with pytest.raises(ValueError):
        Tap.load(state)


PIECES = st.lists(
    st.sampled_from(
        [
            b"text",
            b"\x1b",
            b"]",
            b"\\",
            b"\x07",
            b"\x18",
            b";",
            b"8",
            b"8;;http://x",
            b"\x1b[0m",
            b"[!p",
            b"7",
            b"7748",
            b"133",
            b"D;1",
            b"52",
            b"\x1b]",
            b"\x1b]8;;u",
            b"\x1b]7748;d",
            b"\x1b]133;A",
            b"\x1b]7;file:///a",
            b"\x1b[m",
            "漢".encode(),
            b"\n",
        ]
    ),
    max_size=40,
).map(b"".join)


@settings(max_examples=300)
@given(PIECES, st.data())
def test_splitting_the_stream_and_saving_the_state_anywhere_does_not_change_the_result(stream, data):
    whole = scan(stream)
    tap = Tap()
    out, effects, at = b"", [], 0
    while at < len(stream):
        size = data.draw(st.integers(1, 8))
        part, found = tap.scan(stream[at : at + size])
        out += part
        effects += found
        at += size
        tap = Tap.load(tap.dump())
    assert (out, effects) == whole
    assert tap.position == len(stream)


@settings(max_examples=300)
@given(PIECES)
def test_the_start_and_end_of_an_effect_enclose_its_sequence(stream):
    for effect in scan(stream)[1]:
        if isinstance(effect, Mark | PrivateOsc):
            assert stream[effect.start :].startswith(b"\x1b]")
            number = b"133" if isinstance(effect, Mark) else b"7748"
            assert stream[effect.start + 2 : effect.end].startswith(number + b";")


@settings(max_examples=300)
@given(PIECES)
def test_hyperlinks_and_clipboard_and_private_sequences_are_never_passed_through(stream):
    out, _ = scan(stream)
    for removed in (b"\x1b]8;", b"\x1b]7748;", b"\x1b]52;", b"\x1b]5522;"):
        assert removed not in out
