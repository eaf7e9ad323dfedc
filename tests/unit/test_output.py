"""What the CLI prints for people, and how wide it is."""

from __future__ import annotations

import contextlib
import io
import json

import pytest
from wcwidth import wcswidth

from phux_cli import output
from phux_core.errors import BadNameError, InternalError
from phux_core.width import columns
from validation import validate


def widths(box):
    return {wcswidth(line) for line in box.splitlines()}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "日本",
        "日a本",
        "한국어",
        "e\u0301",
        "a\u0308\u0304b",
        "─│┌",
        "é",
        "ﾊﾝｶｸ",
        "ＦＵＬＬ",
        "🚀",
        "a🚀b",
        "✓",
        "бюро",
    ],
)
def test_columns_are_counted_as_terminals_do(text):
    assert columns(text) == wcswidth(text)


def test_a_box_is_drawn_around_every_row():
    assert output.box(["ab", "", "abcd"], 4, "@1") == "┌─ @1┐\n│ab  │\n│    │\n│abcd│\n└────┘\n"


def test_a_roomy_box_has_its_title_in_the_edge():
    assert output.box(["hi"], 10, "@1 vim").splitlines() == ["┌─ @1 vim ─┐", "│hi        │", "└──────────┘"]


def test_wide_glyphs_take_two_columns_of_the_box():
    drawn = output.box(["日本語", "a日", "🚀", "e\u0301", "plain"], 8, "@1")
    assert widths(drawn) == {10}
    assert "│日本語  │" in drawn
    assert "│e\u0301       │" in drawn


@pytest.mark.parametrize(
    "title", ["", "@1", "@1 vim", "@1 日本語", "日", "@1 🚀🚀🚀", "x" * 200, "日" * 200, "e\u0301" * 9]
)
def test_whatever_the_title_every_line_of_the_box_is_as_wide(title):
    for cols in (1, 2, 3, 4, 5, 6, 7, 8, 20, 80):
        assert widths(output.box(["", "x"], cols, title)) == {cols + 2}


@contextlib.contextmanager
def stdout():
    """A stdout in a locale that has no UTF-8."""
    raw = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(raw, encoding="ascii")):
        yield raw


def test_a_document_is_json_in_utf8_whatever_the_locale():
    with stdout() as raw:
        output.print_document({"title": "日本 ✓", "n": None})
        text = raw.getvalue().decode("utf-8")
    assert json.loads(text) == {"title": "日本 ✓", "n": None}
    assert "日本" in text
    assert text.endswith("}\n")


def test_what_has_no_utf8_is_escaped_and_stays_json():
    with stdout() as raw:
        output.print_document({"cwd": "/caf\udce9"})
        text = raw.getvalue().decode("utf-8")
    assert json.loads(text) == {"cwd": "/caf\udce9"}


def test_what_was_printed_before_comes_before():
    with stdout() as raw:
        print("first")
        output.write("second\n")
        assert raw.getvalue() == b"first\nsecond\n"


def test_an_error_for_people_is_a_sentence_and_what_to_do(capsys):
    output.print_error(BadNameError("the name is bad", remedy="choose another"), as_json=False)
    assert capsys.readouterr().err == "phux: the name is bad\nphux: choose another\n"
    output.print_error(InternalError("oh", remedy=""), as_json=False)
    assert capsys.readouterr().err == "phux: oh\n"


def test_an_error_for_programs_is_one_line_of_json(capsys):
    output.print_error(BadNameError("two\nlines ü \udce9"), as_json=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    validate("error", json.loads(line))
    assert json.loads(line)["error"]["message"] == "two\nlines ü \udce9"
