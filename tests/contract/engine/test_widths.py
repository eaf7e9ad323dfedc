"""The engines and phux_core.width agree on the width of every code point, and Unicode on nearly every one."""

import itertools

import wcwidth

from phux_core.width import character_columns, columns, join_wrapped
from widths import CODES, advances

_BATCH = 256  # code points fed at once

# libghostty and wcwidth differ in fillers and format characters that some terminals show, characters newer than one of
# the two, spacing marks (which use a column when drawn), and dashes drawn wider than one column.
_MAX_DIFFERENT_RATIO = 0.002


def test_the_engine_and_the_width_table_agree_on_every_code_point(engine_name):
    groups = [list(group) for _, group in itertools.groupby(map(chr, CODES), character_columns)]
    texts = ["".join(group[at : at + _BATCH]) for group in groups for at in range(0, len(group), _BATCH)]
    expected = [columns(text) for text in texts]
    found = advances(engine_name, texts)
    assert [text for text, ours, theirs in zip(texts, expected, found, strict=True) if ours != theirs] == []


def test_the_width_table_matches_unicode_for_nearly_all_code_points():
    different = [code for code in CODES if code >= 0x300 and wcwidth.wcwidth(chr(code)) != character_columns(chr(code))]
    assert len(different) < _MAX_DIFFERENT_RATIO * len(CODES)
    assert not {*map(ord, "日本語한글🚀✨é─│└⠋\u0301\u200d\ufe0f")} & {*different}


def test_a_soft_hyphen_is_one_column_wide_and_wrapped_rows_join_without_a_blank(term):
    t = term(10, 3, "abcdef\xadghijKLM")
    assert t.screen == ["abcdef\xadghi", "jKLM"]
    assert join_wrapped(t.screen, {0}, 10) == ["abcdef\xadghijKLM"]
