"""Finding regions of a screen by text and style."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from phux_client import regions
from phux_core.errors import AmbiguousError, BadRequestError, NoSuchTargetError

PLAIN = {**dict.fromkeys(regions.STYLES, False), "fg": {"kind": "default"}, "bg": {"kind": "default"}}
INVERSE = {**PLAIN, "inverse": True}
BLUE = {**PLAIN, "bg": {"kind": "palette", "index": 4}}
BLACK = {**PLAIN, "bg": {"kind": "palette", "index": 0}}


def screen(*lines, cells=(), cursor=None):
    """A screen with the given rows; each cell is a row, a column and a style."""
    return {
        "pane": 1,
        "lines": list(lines),
        "cells": [{"row": row, "col": col, "style": style} for row, col, style in cells],
        "cursor": cursor,
    }


def run_of(row, start, end, style):
    return [(row, col, style) for col in range(start, end)]


def spots(found):
    return [(each["row"], each["col"], each["width"], each["text"]) for each in found]


def test_text_is_found_in_columns_even_after_wide_and_combining_characters():
    found = regions.Wanted("OK").find(screen("日本 OK", "e\u0301 OK", "OK OK"))
    assert spots(found) == [(0, 5, 2, "OK"), (1, 2, 2, "OK"), (2, 0, 2, "OK"), (2, 3, 2, "OK")]
    assert spots(regions.Wanted("本").find(screen("日本 OK"))) == [(0, 2, 2, "本")]


def test_a_pattern_keeps_its_flags_and_empty_matches_are_left_out():
    wanted = regions.Wanted(re.compile("ok|x*", re.IGNORECASE))
    assert spots(wanted.find(screen("an OK, xx"))) == [(0, 3, 2, "OK"), (0, 7, 2, "xx")]


def test_a_style_finds_runs_and_limits_text():
    shown = screen("one two", "two", cells=[*run_of(0, 4, 7, INVERSE), *run_of(1, 0, 2, BLUE)])
    assert spots(regions.Wanted(style="inverse").find(shown)) == [(0, 4, 3, "two")]
    assert spots(regions.Wanted("two", "inverse").find(shown)) == [(0, 4, 3, "two")]
    assert regions.Wanted("two", "bold").find(shown) == []


def test_a_run_reaches_over_blanks_after_the_text():
    (found,) = regions.Wanted(style="inverse").find(screen("ab", cells=run_of(0, 0, 5, INVERSE)))
    assert (found["text"], found["width"]) == ("ab   ", 5)


@pytest.mark.parametrize(
    ("shown", "wanted"),
    [
        pytest.param(screen("a", "b", cells=run_of(1, 0, 3, INVERSE)), [(1, 0)], id="inverse"),
        pytest.param(
            screen("a", "b", cells=[*run_of(0, 0, 3, INVERSE), *run_of(1, 0, 3, BLUE)]), [(0, 0)], id="inverse first"
        ),
        pytest.param(screen("a", "b", cells=run_of(1, 0, 3, BLUE)), [(1, 0)], id="a color of its own"),
        pytest.param(
            screen("a", "b", "c", cells=[(0, 0, BLUE), *run_of(1, 0, 3, BLUE), (2, 0, BLUE)]), [(1, 0)], id="a gutter"
        ),
        pytest.param(screen("a", "", cells=[*run_of(0, 0, 3, BLUE), *run_of(1, 0, 3, BLACK)]), [(0, 0)], id="a shadow"),
        pytest.param(
            screen("a", "b", cells=[*run_of(0, 0, 3, BLUE), *run_of(1, 0, 3, BLUE)]), [], id="a color of several rows"
        ),
        pytest.param(
            screen(
                "a",
                "b",
                cells=[*run_of(0, 0, 3, BLUE), *run_of(1, 0, 3, BLUE)],
                cursor={"x": 1, "y": 1, "visible": True},
            ),
            [(1, 0)],
            id="the cursor decides",
        ),
        pytest.param(
            screen("a", "b", cells=[*run_of(0, 0, 3, INVERSE), *run_of(1, 0, 3, INVERSE)]),
            [(0, 0), (1, 0)],
            id="several",
        ),
    ],
)
def test_the_highlighted_entry_is_found(shown, wanted):
    assert [(each["row"], each["col"]) for each in regions.highlighted(shown)] == wanted


def test_the_errors_list_the_matches_or_show_the_last_row():
    shown = screen("OK or OK", "the end")
    with pytest.raises(AmbiguousError, match="row 0, column 0: 'OK'; row 0, column 6: 'OK'"):
        regions.only(regions.Wanted("OK").find(shown), regions.Wanted("OK"), shown)
    with pytest.raises(NoSuchTargetError, match="@1 has no 'Cancel'; its last row is 'the end'"):
        regions.only([], regions.Wanted("Cancel"), shown)
    many = screen(*["x"] * 30)
    with pytest.raises(AmbiguousError, match=r"30 matches .* and 22 more"):
        regions.only(regions.Wanted("x").find(many), "x", many)


@pytest.mark.parametrize(
    ("text", "style", "message"),
    [(None, None, "nothing to find"), ("", None, "empty"), (None, "blinking", "no style 'blinking'")],
)
def test_what_cannot_be_found_is_refused(text, style, message):
    with pytest.raises(BadRequestError, match=message):
        regions.Wanted(text, style)


@given(st.text(alphabet="ab日\u0301 ", max_size=20), st.sampled_from(["a", "日", "b日"]))
def test_every_region_is_the_text_in_its_columns(line, text):
    by_column = regions.text_by_column(line)
    for found in regions.Wanted(text).find(screen(line)):
        covered = "".join(by_column[found["col"] : found["col"] + found["width"]])
        assert covered.replace("\u0301", "") == text
