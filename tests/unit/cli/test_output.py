"""Printing in the CLI: boxes, documents and errors."""

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
    return {wcswidth(line) for line in box}


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
def test_the_width_of_text_equals_that_of_wcwidth(text):
    assert columns(text) == wcswidth(text)


def test_a_box_is_drawn_around_every_row():
    assert output.box(["ab", "", "abcd"], 4, "@1") == ["┌─ @1┐", "│ab  │", "│    │", "│abcd│", "└────┘"]


def test_the_title_of_a_box_is_part_of_its_top_edge():
    assert output.box(["hi"], 10, "@1 vim") == ["┌─ @1 vim ─┐", "│hi        │", "└──────────┘"]


def test_wide_glyphs_occupy_two_columns_of_a_box():
    drawn = output.box(["日本語", "a日", "🚀", "e\u0301", "plain"], 8, "@1")
    assert widths(drawn) == {10}
    assert "│日本語  │" in drawn
    assert "│e\u0301       │" in drawn


@pytest.mark.parametrize(
    "title", ["", "@1", "@1 vim", "@1 日本語", "日", "@1 🚀🚀🚀", "x" * 200, "日" * 200, "e\u0301" * 9]
)
def test_every_line_of_a_box_has_the_same_width_for_any_title(title):
    for cols in (1, 2, 3, 4, 5, 6, 7, 8, 20, 80):
        assert widths(output.box(["", "x"], cols, title)) == {cols + 2}


@contextlib.contextmanager
def stdout():
    """Replace stdout with a stream in a locale without UTF-8."""
    raw = io.BytesIO()
    with contextlib.redirect_stdout(io.TextIOWrapper(raw, encoding="ascii")):
        yield raw


def test_a_document_is_printed_as_utf8_json_in_any_locale():
    with stdout() as raw:
        output.print_document({"title": "日本 ✓", "n": None})
        text = raw.getvalue().decode("utf-8")
    assert json.loads(text) == {"title": "日本 ✓", "n": None}
    assert "日本" in text
    assert text.endswith("}\n")


def test_surrogates_in_a_document_are_printed_as_json_escapes():
    with stdout() as raw:
        output.print_document({"cwd": "/caf\udce9"})
        text = raw.getvalue().decode("utf-8")
    assert json.loads(text) == {"cwd": "/caf\udce9"}


def test_text_written_after_print_follows_the_printed_text():
    with stdout() as raw:
        print("first")
        output.write("second\n")
        assert raw.getvalue() == b"first\nsecond\n"


def test_an_error_is_printed_as_its_message_and_remedy(capsys):
    output.print_error(BadNameError("the name is bad", remedy="choose another"), as_json=False)
    assert capsys.readouterr().err == "phux: the name is bad\nphux: choose another\n"
    output.print_error(InternalError("oh", remedy=""), as_json=False)
    assert capsys.readouterr().err == "phux: oh\n"


def test_with_json_an_error_is_printed_as_one_line_on_stderr(capsys):
    output.print_error(BadNameError("two\nlines ü \udce9"), as_json=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    validate("error", json.loads(line))
    assert json.loads(line)["error"]["message"] == "two\nlines ü \udce9"
