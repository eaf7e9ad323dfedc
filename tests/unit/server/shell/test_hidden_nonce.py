"""The nonce is replaced in output that leaves the server, wherever the output is cut."""

from __future__ import annotations

import pytest

from phux_core.server.shell.hidden_nonce import hide_nonce

NONCE = "cafe0123"
MARK = b"a\x1b]7748;cafe0123;5;A\x07b"
HIDDEN = b"a\x1b]7748;--------;5;A\x07b"


@pytest.mark.parametrize("cut", range(len(MARK) + 1))
def test_a_mark_that_is_split_between_two_pieces_loses_its_nonce_and_nothing_else(cut):
    first, second = MARK[:cut], MARK[cut:]
    assert hide_nonce(first, NONCE) + hide_nonce(second, NONCE, before=first) == HIDDEN


def test_the_nonce_is_replaced_outside_of_marks_too():
    assert hide_nonce(b"__phux_c=cafe0123;C", NONCE) == b"__phux_c=--------;C"


def test_other_marks_stay_as_they_are():
    for data in (b"\x1b]7748;beef;A\x07", b"\x1b]7748;cab", b"\x1b]7748;", b"cafe012", b""):
        assert hide_nonce(data, NONCE) == data


def test_without_a_nonce_nothing_is_replaced():
    assert hide_nonce(MARK, "") == MARK
