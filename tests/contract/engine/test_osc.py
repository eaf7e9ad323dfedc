"""Operating system commands (OSC) and the other control strings."""

import pytest

from phux_core.engine.links import MAX_TOTAL, MAX_URI
from phux_core.engine.protocol import Bell, CwdChanged, Mark, PrivateOsc, Reply, Style, TitleChanged

ENDS = pytest.mark.parametrize("end", ["\x07", "\x1b\\"], ids=["BEL", "ST"])


@ENDS
@pytest.mark.parametrize("number", [0, 2])
def test_setting_the_title_is_reported_and_the_title_can_be_read(term, number, end):
    t = term()
    assert t.engine.title is None
    assert t.feed(f"\x1b]{number};héllo; wörld{end}x") == [TitleChanged("héllo; wörld")]
    assert t.engine.title == "héllo; wörld"
    assert t.screen == ["x"]


def test_a_title_fed_byte_by_byte_is_reported_once(term):
    t = term()
    for byte in "\x1b]2;日本\x1b\\".encode():
        t.feed(bytes([byte]))
    assert t.effects == [TitleChanged("日本")]


def test_the_title_after_a_full_reset_does_not_depend_on_how_the_stream_is_split(term):
    # A full reset clears the title in libghostty; the pyte engine keeps it, as xterm does.
    data = b"\x1b]0;before\x07\x1bc"
    whole, split = term(20, 2, data), term(20, 2, *(data[at : at + 1] for at in range(len(data))))
    assert whole.engine.title == split.engine.title
    assert whole.engine.title in {"", "before"}
    whole.feed("\x1b]2;after\x07")
    assert whole.engine.title == "after"


def test_pushing_and_popping_an_unset_title_leaves_it_unset(term):
    # Full-screen programs push and pop the title through terminfo's smcup and rmcup.
    t = term(20, 2)
    assert t.feed("\x1b[22;0;0t\x1b[?1049h", "\x1b[?1049l\x1b[23;0;0t") == []
    assert t.engine.title is None


@pytest.mark.parametrize("form", ["", ";0", ";2", ";0;0", ";"])
def test_popping_restores_the_pushed_title(term, form):
    t = term()
    t.feed(f"\x1b]2;before\x1b\\\x1b[22{form}t\x1b]2;vïm\x1b\\")
    assert t.engine.title == "vïm"
    t.feed(f"\x1b[23{form}t")
    assert t.engine.title == "before"
    assert TitleChanged("before") in t.effects


def test_titles_are_popped_in_reverse_order_regardless_of_icon_names(term):
    t = term()
    t.feed("\x1b]2;one\x07\x1b[22t\x1b]2;two\x07\x1b[22t\x1b]2;three\x07\x1b[22;1t\x1b[23;1t")
    assert t.engine.title == "three"
    t.feed("\x1b[23t")
    assert t.engine.title == "two"
    t.feed("\x1b[23t")
    assert t.engine.title == "one"
    t.feed("\x1b[23t")
    assert t.engine.title == "one"


def test_the_title_stack_survives_a_checkpoint_after_every_byte(term, restored):
    engine = term(20, 2).engine
    for byte in b"\x1b]2;before\x07\x1b[22;2ttext\x1b]2;inside\x07\x1b[23;2t":
        engine.feed(bytes([byte]))
        engine = restored(engine.checkpoint()).engine
    assert engine.title == "before"
    assert engine.lines(0, 1).text == ["text"]


def test_an_icon_name_does_not_set_the_title(term):
    t = term()
    assert t.feed("\x1b]1;icon\x07") == []
    assert t.engine.title is None


@pytest.mark.parametrize(
    "number", ["10;red", "11;blue", "12;x", "22;pointer", "104", "110", "1337;a=b", "9;note", "777;notify;a;b"]
)
def test_other_commands_do_not_set_the_title_and_print_nothing(term, number):
    t = term()
    t.feed(f"\x1b]{number}\x07x")
    assert t.engine.title is None
    assert t.screen == ["x"]


@ENDS
def test_the_working_directory_is_decoded(term, end):
    t = term()
    assert t.feed(f"\x1b]7;file://host/a%20b/%C3%A9{end}") == [CwdChanged("/a b/é")]
    assert t.engine.cwd == "/a b/é"


def test_the_working_directory_in_a_kitty_url_is_not_percent_decoded(term):
    assert term().feed("\x1b]7;kitty-shell-cwd://host/a%20b\x07") == [CwdChanged("/a%20b")]


def test_a_working_directory_that_is_not_a_file_url_with_a_path_is_ignored(term):
    t = term()
    assert t.feed("\x1b]7;\x07\x1b]7;http://x/y\x07\x1b]7;file://host\x07") == []
    assert t.engine.cwd is None


@ENDS
def test_marks_have_their_start_and_end_in_the_stream(term, end):
    t = term(20, 3, "abc")
    data = f"\x1b]133;A{end}".encode()
    assert t.feed(data + b"$ ") == [Mark("A", None, "", 3, 3 + len(data))]


def test_command_end_marks_have_the_exit_code_and_options(term):
    t = term(20, 3)
    effects = t.feed("\x1b]133;D;42\x07\x1b]133;D\x07\x1b]133;D;-1;aid=7\x07\x1b]133;A;cl=m;aid=7\x07\x1b]133;D;x\x07")
    assert [(mark.kind, mark.exit_code, mark.options) for mark in effects] == [
        ("D", 42, ""),
        ("D", None, ""),
        ("D", -1, "aid=7"),
        ("A", None, "cl=m;aid=7"),
        ("D", None, "x"),
    ]


def test_our_own_marks_are_reported_and_never_shown(term):
    t = term(20, 2, "ab")
    data = b"\x1b]7748;run;\xff;1\x1b\\"
    assert t.feed(data + b"cd") == [PrivateOsc(b"run;\xff;1", 2, 2 + len(data))]
    assert t.screen == ["abcd"]


def links(t):
    return [(span.text, span.style.link) for span in t.spans]


def test_hyperlinks_show_their_text_and_belong_to_its_cells(term, restored):
    t = term(20, 3, "a\x1b]8;id=1;http://x/1\x1b\\li\x1b[1;4:3mn\x1b[mk\x1b]8;;\x1b\\b")
    assert t.screen == ["alinkb"]
    assert t.effects == []
    cells = [("a", None), ("li", "http://x/1"), ("n", "http://x/1"), ("k", "http://x/1"), ("b", None)]
    assert links(t) == cells
    assert t.span(3).style._replace(link=None) == Style(bold=True, underline="curly")
    assert links(restored(t.engine.checkpoint())) == cells


def test_hyperlinks_follow_their_text_when_it_moves_wraps_and_is_copied_to_the_history(term):
    t = term(12, 3, "\x1b]8;;http://x/1\x07one\x1b]8;;http://x/2\x07two\x1b]8;;\x07three\x1b[1;1H\x1b[2@")
    assert links(t) == [("one", "http://x/1"), ("two", "http://x/2"), ("thre", None)]
    t.feed("\r\n\n\n")
    t.engine.resize(6, 3)
    found = {span.text: span.style.link for span in t.engine.spans(-9, 12)}
    assert found == {"one": "http://x/1", "t": "http://x/2", "wo": "http://x/2", "thre": None}


def test_a_link_in_output_that_is_split_anywhere_is_the_same(term):
    data = b"\x1b]8;;http://x\x1b\\a\x1b[31mb\x1b]8;;\x1b\\\x1b[4;58;2;9;9;9mc"
    t = term(20, 2)
    for byte in data:
        t.feed(bytes([byte]))
    assert links(t) == [("a", "http://x"), ("b", "http://x"), ("c", None)]
    assert t.style(2).underline_color == (9, 9, 9)


@pytest.mark.parametrize("uri", ["http://\u00e9", "x" * (MAX_URI + 1)], ids=["not ASCII", "too long"])
def test_an_unusable_uri_is_ignored(term, uri):
    assert links(term(20, 2, f"\x1b]8;;{uri}\x07a\x1b]8;;\x07")) == [("a", None)]


def test_the_oldest_links_are_forgotten_when_there_are_too_many(term):
    t = term(40, 2, "\x1b]8;;http://old\x07old\x1b]8;;\x07 \x1b]8;;http://keep\x07\x1b[4mkept")
    t.feed(*(f"\x1b]8;;{number:0>2000}\x07" for number in range(MAX_TOTAL // 2000 + 1)))
    t.feed("\x1b]8;;http://new\x07new")
    assert links(t) == [("old", None), ("kept", None), ("new", "http://new")]
    assert t.style(4).underline_color is None
    assert len(t.engine.tap.dump()) < 2 * MAX_TOTAL


@pytest.mark.parametrize(
    "data", ["\x1b]52;c;aGk=\x07", "\x1b]52;c;?\x07", "\x1b]52;p;aGk=\x1b\\", "\x1b]5522;type=read\x07"]
)
def test_the_clipboard_can_be_neither_written_nor_read(term, data):
    t = term()
    assert not any(isinstance(effect, Reply) for effect in t.feed(data, "x"))
    assert t.screen == ["x"]


def test_the_bell_is_reported_once_per_feed(term):
    t = term()
    assert t.feed("a\x07\x07\x07") == [Bell()]
    assert t.feed("b") == []


def test_a_bell_that_ends_a_command_is_not_reported(term):
    assert Bell() not in term().feed("\x1b]0;t\x07\x1b]7748;x\x07\x1b]8;;y\x07")


@pytest.mark.parametrize("end", ["\x18", "\x1a"], ids=["CAN", "SUB"])
@pytest.mark.parametrize("body", ["133;A", "7748;x", "7;file:///x", "8;;u"])
def test_a_cancelled_command_has_no_effect(term, body, end):
    t = term()
    assert t.feed(f"\x1b]{body}{end}x") == []
    assert t.screen[0].strip("\ufffd") == "x"


@pytest.mark.parametrize("body", ["8;;u", "7748;x", "133;A", "0;t"])
def test_a_sequence_that_interrupts_a_command_is_executed(term, body):
    t = term(10, 2, f"ab\x1b]{body}\x1b[1;1HX")
    assert t.screen == ["Xb"]


def test_bytes_before_and_after_a_hidden_command_are_not_joined(term):
    t = term(10, 2, b"\x1b[3\x1b]8;;u\x1b\\1mx")
    assert t.screen == ["1mx"]
    t = term(10, 2, b"\xe6\xbc\x1b]7748;q\x07\xa2x")
    assert "漢" not in t.screen[0]
    assert t.screen[0].endswith("x")


@pytest.mark.parametrize(
    "data",
    [
        "\x1bPq#0;2;0;0;0#0~~@@vv\x1b\\",
        "\x1bP1$tx\x1b\\",
        "\x1bP+q544e\x1b\\",
        "\x1b_Gf=24,s=1,v=1;AAAA\x1b\\",
        "\x1b^privacy message\x1b\\",
        "\x1bXstart of string\x1b\\",
        "\x1b_tmux\x1b\\",
        "\x1bP\x1b\\",
        "\x1b\\",
    ],
)
def test_control_strings_print_nothing(term, data):
    assert term(20, 2, "a", data, "b").screen == ["ab"]


@pytest.mark.parametrize("opening", ["\x1bP", "\x1b_", "\x1b^", "\x1bX"], ids=["DCS", "APC", "PM", "SOS"])
def test_a_bell_does_not_end_the_other_control_strings(term, opening):
    assert term(20, 2, "a", opening, "1\x07still\x1b\\b").screen == ["ab"]


@pytest.mark.parametrize(
    "opening", ["\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x1b]0;"], ids=["DCS", "APC", "PM", "SOS", "OSC"]
)
def test_cancel_ends_every_control_string(term, opening):
    assert term(20, 2, "a", opening, "1\x18b").screen == ["ab"]


def test_c1_controls_encoded_in_utf8_start_no_sequence(term):
    t = term(40, 2, "a\x9b31mb")
    assert t.screen[0].replace("\x9b", "").replace("\ufffd", "") in {"a31mb", "ab"}


@pytest.mark.parametrize("byte", [b"\x84", b"\x85", b"\x8d", b"\x90", b"\x9b", b"\x9c", b"\x9d"])
def test_c1_control_bytes_are_invalid_utf8(term, byte):
    t = term(20, 3, b"a" + byte + b"b")
    assert t.screen[0].replace("\ufffd", "") == "ab"


def test_one_feed_returns_all_kinds_of_effects(term):
    effects = term().feed("\x1b]133;A\x07\x1b[5n\x07\x1b]2;t\x07")
    assert {type(effect) for effect in effects} == {Mark, Reply, Bell, TitleChanged}


def test_the_row_before_a_prompt_is_not_soft_wrapped_even_if_printing_wrapped_there(term):
    t = term(20, 6, "foo%" + " " * 19 + "\r \r\x1b]133;A\x07\x1b[J$ \x1b]133;B\x07q")
    assert t.engine.lines(0, 3) == (["foo%", "$ q", ""], [False, False, False])
    assert t.engine.lines(0, 1).wrapped == [False]
    t.feed("\r\n\x1b]133;C\x07" + "x" * 21 + "\x1b]133;D\x07\r\n\x1b]133;A\x07" + "p" * 21)
    assert t.engine.lines(2, 4) == (["x" * 20, "x", "p" * 20, "p"], [True, False, True, False])


def test_a_prompt_mark_inside_a_wrapped_line_keeps_the_soft_wrap(term):
    t = term(20, 6, "x" * 21 + "\x1b]133;P;k=i\x07$ ")
    assert t.engine.lines(0, 2).wrapped == [True, False]
