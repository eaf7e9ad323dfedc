"""Pictures of screens: runs of cells, box drawing, escape sequences, SVG and HTML."""

import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_client.pictures import draw
from phux_client.pictures.boxes import shapes_of
from phux_client.pictures.grid import PLAIN, rows_of
from phux_client.pictures.svg import CELL_HEIGHT, CELL_WIDTH
from phux_client.pictures.themes import theme_named
from phux_core.errors import BadRequestError, RefusedError

SVG = "{http://www.w3.org/2000/svg}"


def screen(*lines, cells=(), scrollback=(), cursor=None):
    return {
        "cols": 20,
        "rows": len(lines),
        "lines": list(lines),
        "scrollback": list(scrollback),
        "cells": [{"row": row, "col": col, "style": PLAIN | style} for row, col, style in cells],
        "cursor": cursor,
    }


def texts(image):
    return [element.text for element in ET.fromstring(image).iter(f"{SVG}text")]


def test_rows_are_split_into_runs_of_one_style():
    (row,) = rows_of(screen("ab語c", cells=[(0, 2, {"bold": True}), (0, 4, {"bold": True})]))
    assert [(run.col, run.end, run.text, run.style["bold"]) for run in row] == [
        (0, 2, "ab", False),
        (2, 5, "語c", True),
    ]


def test_cells_after_the_text_of_a_row_are_blanks():
    (row,) = rows_of(screen("", cells=[(0, col, {"inverse": True}) for col in range(3)]))
    assert [(run.col, run.end, run.text) for run in row] == [(0, 3, "   ")]


def test_combining_marks_belong_to_their_character():
    (row,) = rows_of(screen("e\u0301x"))
    assert row[0].glyphs == [("e\u0301", 1), ("x", 1)]


def test_box_drawing_and_blocks_stay_in_their_cell():
    for character in map(chr, range(0x2500, 0x25A0)):
        for kind, a, b, c, d in shapes_of(character):
            ends = (a, b, a + c, b + d) if kind.startswith("fill") else (a, b, c, d)
            assert all(0 <= end <= 1 for end in ends), (character, kind, a, b, c, d)


@pytest.mark.parametrize(
    ("character", "arms"),
    [
        ("┼", {"light": 4}),
        ("╋", {"heavy": 4}),
        ("┡", {"light": 1, "heavy": 2}),
        ("╾", {"light": 1, "heavy": 1}),
        ("┰", {"light": 2, "heavy": 1}),
        ("╬", {"light": 8}),
        ("╭", {"arc": 1}),
        ("▙", {"fill 1": 3}),
        ("▒", {"fill 0.5": 1}),
    ],
)
def test_box_drawing_characters_have_the_arms_of_their_name(character, arms):
    kinds = [shape[0] for shape in shapes_of(character)]
    if character == "┡":  # up and right are heavy, down is light
        arms = {"light": 1, "heavy": 2}
    assert {kind: kinds.count(kind) for kind in kinds} == arms


def test_neighboring_lines_meet_at_the_edge():
    right = [shape for shape in shapes_of("├") if shape[3:] == (1.0, 0.5)]
    left = [shape for shape in shapes_of("┤") if shape[3:] == (0.0, 0.5)]
    assert len(right) == len(left) == 1


def test_control_characters_are_neither_printed_nor_drawn():
    drawn = draw(screen("a\u202eb\x9bc"), "ansi")
    assert drawn == "ab\ufffdc\n"
    assert texts(draw(screen("a\u202eb"), "svg")) == ["ab"]


def test_escape_sequences_draw_styles_and_end_in_the_default_style():
    red = {"fg": {"kind": "palette", "index": 1}}
    curly = {"underline": True, "underline_style": "curly", "underline_color": {"kind": "rgb", "r": 1, "g": 2, "b": 3}}
    drawn = draw(screen("abc", cells=[(0, 0, red), (0, 1, curly)]), "ansi")
    assert drawn == "\x1b[38;5;1ma\x1b[m\x1b[4:3;58:2::1:2:3mb\x1b[mc\n"


def test_text_is_plain_rows_with_the_scrollback_first():
    assert draw(screen("b", scrollback=["a"], cells=[(0, 0, {"bold": True})]), "text") == "a\nb\n"


def test_text_in_an_image_is_placed_by_column():
    image = draw(screen(" a  b", "x語y"), "svg")
    assert texts(image) == ["a\u00a0\u00a0b", "x", "語", "y"]
    cells = [
        (round(float(one.get("x")) / CELL_WIDTH), round(float(one.get("textLength")) / CELL_WIDTH))
        for one in ET.fromstring(image).iter(f"{SVG}text")
    ]
    assert cells == [(1, 4), (0, 1), (1, 2), (3, 1)]


def test_invisible_text_is_not_in_an_image():
    assert texts(draw(screen("ab", cells=[(0, 0, {"invisible": True})]), "svg")) == ["b"]


def test_markup_in_output_and_title_stays_text():
    document = screen("</text><script>alert(1)</script>&") | {"title": "</title><script>"}
    page = draw(document, "html")
    assert "<script" not in page
    assert texts(draw(document, "svg")) == ["</text><script>alert(1)</script>&"]


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=20), min_size=1, max_size=3))
def test_any_text_makes_a_well_formed_image(lines):
    ET.fromstring(draw(screen(*lines), "svg"))


@pytest.mark.parametrize(
    ("shape", "size"), [("block", (CELL_WIDTH, CELL_HEIGHT)), ("bar", (2, CELL_HEIGHT)), ("underline", (CELL_WIDTH, 2))]
)
def test_the_cursor_has_its_shape(shape, size):
    cursor = {"x": 1, "y": 0, "visible": True}
    root = ET.fromstring(draw(screen("ab", cursor=cursor) | {"cursor_shape": shape}, "svg"))
    *_others, last = root.iter(f"{SVG}rect")
    assert (float(last.get("width")), float(last.get("height"))) == pytest.approx(size)
    hidden = draw(screen("ab", cursor=cursor | {"visible": False}), "svg")
    assert len(list(ET.fromstring(hidden).iter(f"{SVG}rect"))) == 1


def test_faint_and_inverse_change_the_colors():
    theme = theme_named("dark")
    text, background = theme.colors(PLAIN | {"inverse": True})
    assert (text, background) == (theme.background, theme.foreground)
    assert theme.colors(PLAIN | {"faint": True})[0] != theme.foreground


@pytest.mark.parametrize(
    ("index", "color"), [(16, (0, 0, 0)), (21, (0, 0, 255)), (231, (255, 255, 255)), (244, (128, 128, 128))]
)
def test_the_palette_is_that_of_xterm(index, color):
    assert theme_named("dark").color({"kind": "palette", "index": index}, (1, 1, 1)) == color


@pytest.mark.parametrize(("picture", "theme", "known"), [("gif", "dark", "svg"), ("svg", "pink", "light")])
def test_unknown_formats_and_themes_are_refused_with_the_known_ones(picture, theme, known):
    with pytest.raises(BadRequestError) as caught:
        draw(screen("a"), picture, theme)
    assert known in caught.value.remedy


def test_png_without_its_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "resvg_py", None)
    with pytest.raises(RefusedError) as caught:
        draw(screen("a"), "png")
    assert "phux[png]" in caught.value.remedy


def test_an_image_has_no_external_references():
    image = draw(screen("a"), "html")
    assert not re.search(r"(href|src|url\()", image.replace("http://www.w3.org/2000/svg", ""))
