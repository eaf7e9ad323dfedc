"""Engines and text agree on the width of every code point, and with Unicode's tables but for what is listed here."""

import itertools

import wcwidth

from phux_core.width import character_columns, columns, join_wrapped
from widths import CODES, advances

_TOGETHER = 256  # code points fed at once

# libghostty and wcwidth differ: fillers and format characters that some terminals show, characters newer than
# one of the two, spacing marks (which take a column when drawn), and dashes as wide as they look.
_UNLIKE_UNICODE = 0.002


def test_every_code_point_takes_as_many_columns_in_the_engine_as_in_text(engine_name):
    alike = [list(group) for _, group in itertools.groupby(map(chr, CODES), character_columns)]
    texts = ["".join(group[at : at + _TOGETHER]) for group in alike for at in range(0, len(group), _TOGETHER)]
    expected = [columns(text) for text in texts]
    found = advances(engine_name, texts)
    assert [text for text, ours, theirs in zip(texts, expected, found, strict=True) if ours != theirs] == []


def test_unicode_has_the_same_widths_for_nearly_all():
    unlike = [code for code in CODES if code >= 0x300 and wcwidth.wcwidth(chr(code)) != character_columns(chr(code))]
    assert len(unlike) < _UNLIKE_UNICODE * len(CODES)
    assert not {*map(ord, "日本語한글🚀✨é─│└⠋\u0301\u200d\ufe0f")} & {*unlike}


def test_a_soft_hyphen_is_a_column_so_that_wrapped_rows_are_joined_without_a_blank(term):
    t = term(10, 3, "abcdef\xadghijKLM")
    assert t.screen == ["abcdef\xadghi", "jKLM"]
    assert join_wrapped(t.screen, {0}, 10) == ["abcdef\xadghijKLM"]
