"""Colors and attributes (SGR), and the grouping of cells into spans."""

import pytest

from phux_core.engine.protocol import DEFAULT_STYLE, Span, Style


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("1", Style(bold=True)),
        ("2", Style(faint=True)),
        ("3", Style(italic=True)),
        ("4", Style(underline="single")),
        ("5", Style(blink=True)),
        ("7", Style(inverse=True)),
        ("8", Style(invisible=True)),
        ("9", Style(strikethrough=True)),
        ("21", Style(underline="double")),
        ("53", Style(overline=True)),
        ("1;3;4", Style(bold=True, italic=True, underline="single")),
        ("31", Style(fg=1)),
        ("47", Style(bg=7)),
        ("90", Style(fg=8)),
        ("107", Style(bg=15)),
        ("38;5;0", Style(fg=0)),
        ("38;5;200", Style(fg=200)),
        ("48;5;17", Style(bg=17)),
        ("38;2;1;2;3", Style(fg=(1, 2, 3))),
        ("48;2;255;0;128", Style(bg=(255, 0, 128))),
        ("38:5:200", Style(fg=200)),
        ("48:5:17", Style(bg=17)),
        ("38:2:1:2:3", Style(fg=(1, 2, 3))),
        ("38:2::1:2:3", Style(fg=(1, 2, 3))),
        ("48:2::255:0:128", Style(bg=(255, 0, 128))),
        ("4:3", Style(underline="curly")),
        ("4:4", Style(underline="dotted")),
        ("4:5", Style(underline="dashed")),
        ("4:1", Style(underline="single")),
        ("4:2;31", Style(underline="double", fg=1)),
        ("4;58;5;1", Style(underline="single", underline_color=1)),
        ("4;58:5:1", Style(underline="single", underline_color=1)),
        ("4;58;2;1;2;3;32", Style(underline="single", fg=2, underline_color=(1, 2, 3))),
        ("4;58:2::1:2:3", Style(underline="single", underline_color=(1, 2, 3))),
        ("4;58;5;9;59", Style(underline="single")),
        ("38;5;200;48;5;17;1", Style(bold=True, fg=200, bg=17)),
        ("31;38;5;4;7", Style(inverse=True, fg=4)),
        ("", DEFAULT_STYLE),
        ("0", DEFAULT_STYLE),
        ("999", DEFAULT_STYLE),
        ("999;1", Style(bold=True)),
        (";1", Style(bold=True)),
    ],
)
def test_sgr_parameters_set_the_style(term, parameters, expected):
    assert term(10, 1, f"\x1b[{parameters}mx").style() == expected


@pytest.mark.parametrize(
    ("on", "off"),
    [
        ("1", "22"),
        ("2", "22"),
        ("3", "23"),
        ("4", "24"),
        ("4:3", "4:0"),
        ("5", "25"),
        ("7", "27"),
        ("8", "28"),
        ("9", "29"),
        ("53", "55"),
        ("31", "39"),
        ("38;5;9", "39"),
        ("44", "49"),
        ("48;2;1;2;3", "49"),
        ("1;2;3;4;5;7;8;9;53;31;44", "0"),
        ("1;31", ""),
    ],
)
def test_each_attribute_can_be_turned_off(term, on, off):
    assert term(10, 1, f"\x1b[{on}m\x1b[{off}mx").style() == DEFAULT_STYLE


@pytest.mark.parametrize(
    "sequence", ["\x1b[>4;1m", "\x1b[>4;2m", "\x1b[?4m", "\x1b[?1m", "\x1b[>0m", "\x1b[1 m", "\x1b[4;1$r"]
)
def test_private_sequences_that_resemble_sgr_do_not_change_the_style(term, sequence):
    assert term(10, 1, sequence, "x").style() == DEFAULT_STYLE


def test_an_incomplete_color_does_not_affect_the_next_sequence(term):
    t = term(10, 1, "\x1b[38;5m\x1b[m\x1b[32mx")
    assert t.style() == Style(fg=2)


def test_a_sequence_with_many_parameters_does_not_affect_the_next_one(term):
    t = term(10, 1, "\x1b[" + "1;" * 200 + "31m\x1b[m\x1b[32mx")
    assert t.style() == Style(fg=2)
    assert t.screen == ["x"]


def test_unstyled_text_is_one_span_without_surrounding_blanks(term):
    t = term(20, 2, "  ab  cd  ")
    assert t.spans == [Span(0, 2, 6, 1, "ab  cd", DEFAULT_STYLE, None)]


def test_a_span_ends_where_the_style_changes(term):
    t = term(20, 1, "ab\x1b[31mcd\x1b[mef")
    assert t.spans == [
        Span(0, 0, 2, 1, "ab", DEFAULT_STYLE, None),
        Span(0, 2, 2, 1, "cd", Style(fg=1), None),
        Span(0, 4, 2, 1, "ef", DEFAULT_STYLE, None),
    ]


def test_styled_blanks_are_part_of_spans(term):
    t = term(5, 1, "\x1b[44m  x ")
    assert t.spans == [Span(0, 0, 4, 1, "  x ", Style(bg=4), None)]


def test_printed_and_erased_cells_of_one_background_are_one_span(term):
    t = term(5, 1, "\x1b[44mx\x1b[K")
    assert t.spans == [Span(0, 0, 5, 1, "x    ", Style(bg=4), None)]


def test_wide_characters_have_separate_spans(term):
    t = term(10, 1, "a漢字b")
    assert t.spans == [
        Span(0, 0, 1, 1, "a", DEFAULT_STYLE, None),
        Span(0, 1, 2, 2, "漢字", DEFAULT_STYLE, None),
        Span(0, 5, 1, 1, "b", DEFAULT_STYLE, None),
    ]


def test_a_combining_mark_belongs_to_the_cell_of_its_character(term):
    t = term(10, 1, "ae\u0301b")
    assert t.spans == [Span(0, 0, 3, 1, "ae\u0301b", DEFAULT_STYLE, None, ("a", "e\u0301", "b"))]


def test_a_blank_screen_has_no_spans(term):
    assert term(10, 3).spans == []


def test_spans_of_history_have_negative_rows(term):
    t = term(10, 2, "\x1b[31ma\r\nb\r\n\x1b[32mc\r\nd")
    assert [(span.row, span.text, span.style.fg) for span in t.engine.spans(-2, 4)] == [
        (-2, "a", 1),
        (-1, "b", 1),
        (0, "c", 2),
        (1, "d", 2),
    ]


def test_spans_distinguish_prompt_input_and_output(term):
    t = term(20, 3, "\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07out")
    assert [(span.row, span.text, span.semantic) for span in t.spans] == [
        (0, "$ ", "prompt"),
        (0, "ls", "input"),
        (1, "out", None),
    ]


def test_palette_colors_are_returned_as_their_numbers(term):
    t = term(256, 1, *(f"\x1b[48;5;{index}m " for index in range(256)))
    assert [span.style.bg for span in t.spans] == list(range(256))


def test_spans_are_correct_if_every_cell_has_a_different_style(term):
    cells = [(x * 7 % 256, y * 13 % 256, (x + y) % 256) for y in range(24) for x in range(80)]
    t = term(80, 24, *("\x1b[38;2;{};{};{}mx".format(*cell) for cell in cells))
    found = {}
    for span in t.spans:
        for offset in range(span.count):
            found[span.row * 80 + span.col + offset] = span.style.fg
    assert [found[index] for index in range(80 * 24)] == cells
