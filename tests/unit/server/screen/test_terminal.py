"""The terminal of a pane: changes for each client, and the suspension of an unused engine."""

from __future__ import annotations

import asyncio

import pytest
from fake_loop import FakeLoop

from phux_core import engine as engines
from phux_core.server.screen.attach_frames import PaneSight, frame_since
from phux_core.server.screen.terminal import REST_AFTER_S, RETIRED_REST_AFTER_S, Terminal


@pytest.fixture
def terminal():
    loop = asyncio.new_event_loop()
    terminal = Terminal(1, loop, engines.create("pyte", 10, 3), [0, 0], lambda *_: pytest.fail("the engine raised"))
    yield terminal
    terminal.close()
    loop.close()


def test_each_client_gets_its_own_changes(terminal):
    terminal.engine.feed(b"one\r\n")
    first, second = PaneSight(), PaneSight()
    assert first.difference(terminal)["rows"] == [[0, [[0, 1, "one", ""]]]]
    terminal.engine.feed(b"two")
    assert first.difference(terminal)["rows"] == [[1, [[0, 1, "two", ""]]]]
    assert first.difference(terminal) is None
    assert [row for row, _runs in second.difference(terminal)["rows"]] == [0, 1]


def test_a_terminal_is_seen_while_a_client_uses_its_picture(terminal):
    assert not terminal.is_seen()
    sight = PaneSight()
    sight.difference(terminal)
    assert terminal.is_seen()
    assert terminal.picture() is terminal.picture()
    del sight
    assert not terminal.is_seen()


def test_a_new_picture_contains_all_rows(terminal):
    terminal.engine.feed(b"one")
    PaneSight().difference(terminal)
    assert PaneSight().difference(terminal)["rows"] == [[0, [[0, 1, "one", ""]]]]


def test_two_terminals_share_no_state(terminal):
    loop = asyncio.new_event_loop()
    other = Terminal(1, loop, engines.create("pyte", 10, 3), [0, 0], lambda *_: pytest.fail("the engine raised"))
    sight = PaneSight()
    sight.difference(other)
    assert other.is_seen()
    assert not terminal.is_seen()
    assert terminal.reads is not other.reads
    other.close()
    loop.close()


@pytest.fixture
def resting():
    """Yield a loop whose clock a test advances, and a terminal that uses the loop."""
    loop = FakeLoop(100.0)
    made = Terminal(1, loop, engines.create("pyte", 20, 4), [0, 0], lambda *_: pytest.fail("the engine raised"))
    yield loop, made
    made.close()


def test_an_unused_terminal_is_suspended_after_a_while(resting):
    loop, made = resting
    loop.advance(REST_AFTER_S - 1)
    assert not made.engine.at_rest
    loop.advance(1)
    assert made.engine.at_rest
    loop.advance(60)
    assert not loop.pending


def test_a_terminal_in_use_has_one_timer_and_is_not_suspended(resting):
    loop, made = resting
    for _ in range(10):
        loop.advance(REST_AFTER_S / 2)
        made.engine.feed(b"text")
        made.rest_later()
        assert len(loop.pending) == 1
    assert not made.engine.at_rest
    loop.advance(REST_AFTER_S)
    assert made.engine.at_rest


def test_a_terminal_seen_by_a_client_is_not_suspended(resting):
    loop, made = resting
    sight = PaneSight()
    sight.difference(made)
    loop.advance(REST_AFTER_S)
    loop.advance(REST_AFTER_S)
    assert not made.engine.at_rest
    del sight
    loop.advance(REST_AFTER_S)
    assert made.engine.at_rest


def test_a_resumed_terminal_is_suspended_again(resting):
    loop, made = resting
    loop.advance(REST_AFTER_S)
    assert made.engine.lines(0, 1).text == [""]
    loop.advance(REST_AFTER_S)
    assert made.engine.at_rest


@pytest.mark.parametrize("data", [b"\x1b[?1049h", b"\r\n" * 1000], ids=["alternate screen", "long history"])
def test_a_terminal_that_would_be_slow_to_resume_is_not_suspended(resting, data):
    loop, made = resting
    made.engine.feed(data)
    made.rest_later()
    loop.advance(REST_AFTER_S)
    loop.advance(REST_AFTER_S)
    assert not made.engine.at_rest


@pytest.mark.parametrize(
    "data", [b"\x1b[?1049hfull", b"\r\n" * 1000 + b"full"], ids=["alternate screen", "long history"]
)
def test_the_terminal_of_an_ended_program_is_suspended_soon_whatever_its_size(resting, data):
    loop, made = resting
    made.engine.feed(data)
    made.retire()
    assert not made.engine.at_rest
    loop.advance(RETIRED_REST_AFTER_S)
    assert made.engine.at_rest
    assert "full" in made.engine.lines(0, 4).text
    loop.advance(RETIRED_REST_AFTER_S)
    assert made.engine.at_rest


def changed(made, version):
    frame = frame_since(made, version)
    return frame["version"], frame["whole"], [y for y, _row in frame["rows"]]


def test_frames_without_an_attachment_share_the_picture_of_attached_clients(terminal):
    sight = PaneSight()
    terminal.engine.feed(b"one\r\n")
    version, whole, rows = changed(terminal, None)
    assert (whole, rows) == (True, [0])
    terminal.engine.feed(b"two")
    assert sight.difference(terminal)["size"] == [10, 3]
    version, whole, rows = changed(terminal, version)
    assert (whole, rows) == (False, [1])
    assert changed(terminal, version) == (version, False, [])
    terminal.resize(10, 4)
    assert changed(terminal, version)[1:] == (True, [0, 1])


def test_a_terminal_whose_frames_are_read_is_suspended_once_nobody_reads_them(resting):
    loop, made = resting
    made.engine.feed(b"one")
    version, _whole, _rows = changed(made, None)
    for _ in range(5):
        loop.advance(REST_AFTER_S / 2)
        assert changed(made, version) == (version, False, [])
    loop.advance(2 * REST_AFTER_S)
    assert made.engine.at_rest
    # The next frame has another picture, so it is whole.
    assert changed(made, version)[1:] == (True, [0])
