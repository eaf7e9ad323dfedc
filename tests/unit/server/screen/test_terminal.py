"""The terminal of a pane: who sees it, and the one picture that all of them share."""

from __future__ import annotations

import asyncio

import pytest

from phux_core import engine as engines
from phux_core.server.screen.attach_frames import PaneSight
from phux_core.server.screen.terminal import Terminal


@pytest.fixture
def terminal():
    loop = asyncio.new_event_loop()
    terminal = Terminal(1, loop, engines.create("pyte", 10, 3), [0, 0], lambda *_: pytest.fail("the engine raised"))
    yield terminal
    terminal.rest.close()
    loop.close()


def test_each_client_is_told_what_it_does_not_know(terminal):
    terminal.engine.feed(b"one\r\n")
    first, second = PaneSight(), PaneSight()
    assert first.difference(terminal)["rows"] == [[0, [[0, 1, "one", ""]]]]
    terminal.engine.feed(b"two")
    assert first.difference(terminal)["rows"] == [[1, [[0, 1, "two", ""]]]]
    assert first.difference(terminal) is None
    assert [row for row, _runs in second.difference(terminal)["rows"]] == [0, 1]


def test_a_terminal_is_seen_as_long_as_a_client_has_its_picture(terminal):
    assert not terminal.is_seen()
    sight = PaneSight()
    sight.difference(terminal)
    assert terminal.is_seen()
    assert terminal.picture() is terminal.picture()
    del sight
    assert not terminal.is_seen()


def test_a_new_picture_has_all_rows_also_those_that_an_earlier_one_had(terminal):
    terminal.engine.feed(b"one")
    PaneSight().difference(terminal)
    assert PaneSight().difference(terminal)["rows"] == [[0, [[0, 1, "one", ""]]]]


def test_two_terminals_share_nothing(terminal):
    loop = asyncio.new_event_loop()
    other = Terminal(1, loop, engines.create("pyte", 10, 3), [0, 0], lambda *_: pytest.fail("the engine raised"))
    sight = PaneSight()
    sight.difference(other)
    assert other.is_seen()
    assert not terminal.is_seen()
    assert terminal.clock is not other.clock
    assert terminal.looks is not other.looks
    other.rest.close()
    loop.close()
