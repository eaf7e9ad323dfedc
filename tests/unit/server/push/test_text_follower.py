"""Output events of subscriptions to a pane that has only a journal and a tracker."""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import types

import pytest
from pane_output import write_journal

from phux_core.engine.protocol import PrivateOsc
from phux_core.keeper import journal as journals
from phux_core.keeper.journal import Journal
from phux_core.server.push import text_follower
from phux_core.server.push.hub import EventHub
from phux_core.server.shell.marks import ShellMarks
from phux_core.server.shell.tracker import ShellTracker
from validation import validate


class Client:
    def __init__(self):
        self.is_slow = False
        self.events = []

    def push_event(self, _subscription, event):
        assert not self.is_slow
        validate("event", event)
        self.events.append(event)

    def push_encoded(self, subscription, event):
        self.push_event(subscription, json.loads(event))

    @property
    def texts(self):
        return [event["text"] for event in self.events if "text" in event]


class Pane:
    """The parts of a pane that a follower uses."""

    id = 3

    def __init__(self, hub):
        self.journal = Journal(journals.create())
        self.tracker = ShellTracker("@3", 7, "bash", ShellMarks("nonce"))
        self.record = types.SimpleNamespace(cols=10, rows=4, nonce="nonce")
        self.alt_screen = False
        self.engine = self
        self.watch = types.SimpleNamespace(settle=lambda: None)
        self.seq = 0
        self._hub = hub

    def modes(self):
        return types.SimpleNamespace(alt_screen=self.alt_screen)

    def write(self, data):
        for start in range(0, len(data), journals.MAX_READ):
            piece = data[start : start + journals.MAX_READ]
            if self.journal.room < journals.MAX_READ:
                self.journal.restart()

            first = self.seq
            write_journal(self.journal, piece)
            self.seq = self.journal.position
            self._track(piece, first)
            self._hub.written(self)

    def _track(self, data, start):
        last = 0
        for mark in re.finditer(rb"\x1b]7748;(.*?)\x07", data):
            self.tracker.written(data[last : mark.start()], start + last)
            last = mark.end()
            new = self.tracker.marks.parse(PrivateOsc(mark[1], start + mark.start(), start + last))
            if new is not None:
                self.tracker.mark(new)
        self.tracker.written(data[last:], start + last)


@pytest.fixture
def hub():
    return EventHub()


@pytest.fixture
def pane(hub):
    return Pane(hub)


@pytest.fixture(autouse=True)
def loop(monkeypatch):
    """Give the followers time without a limit, and an event loop, which runs only while a test calls ``settle``."""
    monkeypatch.setattr(text_follower, "_TURN_S", 60)
    loop = asyncio.new_event_loop()
    asyncio._set_running_loop(loop)
    yield types.SimpleNamespace(settle=lambda: settle(loop))
    asyncio._set_running_loop(None)
    loop.close()


def settle(loop):
    """Run all callbacks that are scheduled on the loop."""
    asyncio._set_running_loop(None)
    for _ in range(1000):
        loop.run_until_complete(asyncio.sleep(0))
    asyncio._set_running_loop(loop)


@pytest.fixture
def follow(hub, pane):
    def follow(since=None, *, output_only=False):
        client = Client()
        client.number, client.begins = hub.follow(client, pane, since=since, output_only=output_only, screen=False)
        return client

    return follow


def test_each_event_repeats_its_unfinished_line_from_the_start(pane, follow):
    client = follow()
    pane.write(b"one\r\ntw")
    pane.write(b"o\r\nth")
    pane.write(b"ree")
    assert client.texts == [["one", "tw"], ["two", "th"], ["three"]]
    assert [(event["resume"], event["seq"]) for event in client.events] == [(5, 7), (10, 12), (10, 15)]


def test_a_wrapped_line_is_pushed_as_one_line(pane, follow):
    client = follow()
    pane.write(b"0123456789abcdef\r\n")
    assert client.texts == [["0123456789abcdef"]]


def test_a_new_subscription_gets_the_whole_current_line(pane, follow, loop):
    pane.write(b"old\r\nhalf a ")
    client = follow()
    assert client.begins == 5
    pane.write(b"line")
    loop.settle()
    assert client.texts == [["half a line"]]


def test_the_text_of_a_subscription_starts_exactly_at_since(pane, follow, loop):
    pane.write(b"$ echo hi\r\nhi\r\n")
    client = follow(since=11)
    assert client.texts == [], "the reply to the request is sent first"
    loop.settle()
    assert client.texts == [["hi"]]
    assert "gap" not in client.events[0]


def test_a_subscription_since_the_current_position_gets_only_new_text(pane, follow, loop):
    pane.write(b"old")
    client = follow(since=3)
    loop.settle()
    pane.write(b"new")
    assert client.texts == [["new"]]


def test_a_subscription_since_a_future_position_gets_only_text_after_that_position(pane, follow):
    client = follow(since=6)
    pane.write(b"abcdef")
    assert client.events == []
    pane.write(b"ghi")
    assert client.texts == [["ghi"]]


def test_text_no_longer_in_the_journal_is_reported_as_a_gap(pane, follow, loop):
    pane.write(b"x" * journals.MAX_READ + b"\r\n")
    pane.journal.restart()
    pane.write(b"new\r\n")
    client = follow(since=10)
    loop.settle()
    assert client.events[0]["gap"] is True
    assert client.texts[-1][-1] == "new"
    assert all("gap" not in event for event in client.events[1:])


def test_recent_text_from_before_a_checkpoint_is_still_available(pane, follow, loop):
    pane.write(b"before\r\n")
    pane.journal.restart()
    pane.journal.restart()
    client = follow(since=0)
    pane.write(b"after\r\n")
    loop.settle()
    assert client.texts == [["before", "after"]]
    assert "gap" not in client.events[0]


def test_a_checkpoint_in_the_middle_of_a_line_does_not_split_the_line(pane, follow):
    client = follow()
    pane.write(b"half a ")
    pane.journal.restart()
    pane.write(b"line")
    assert client.texts == [["half a "], ["half a line"]]


def test_large_output_is_split_between_lines_and_pushed_completely(pane, follow, loop):
    lines = [f"line {number}" for number in range(100_000)]
    pane.write("".join(f"{line}\r\n" for line in lines).encode())
    client = follow(since=0)
    loop.settle()
    assert len(client.events) > 10
    assert [line for text in client.texts for line in text] == lines
    assert client.events[-1]["seq"] == pane.seq


def test_a_slow_client_gets_the_rest_when_it_reads_again(hub, pane, follow, loop):
    client = follow()
    client.is_slow = True
    pane.write(b"one\r\n")
    pane.write(b"two\r\n")
    client.is_slow = False
    hub.resumed(client)
    loop.settle()
    assert client.texts == [["one", "two"]]


def test_a_client_that_was_slow_for_too_long_gets_a_gap(hub, pane, follow, loop):
    client = follow()
    client.is_slow = True
    pane.write(b"lost\r\n" * 50_000)
    pane.journal.restart()
    pane.write(b"kept\r\n")
    client.is_slow = False
    hub.resumed(client)
    loop.settle()
    assert client.events[0]["gap"] is True
    assert client.texts[-1][-1] == "kept"


def test_an_endless_line_is_split(pane, follow):
    client = follow()
    for _ in range(20):
        pane.write(b"x" * 50_000)
    assert max(len(text[0]) for text in client.texts) <= text_follower._LONGEST_LINE + 2 * text_follower._PIECE
    assert client.events[-1]["seq"] == pane.seq


def test_colors_do_not_split_a_long_line(pane, follow):
    client = follow()
    pane.write(b"0" * 10_000 + b"\x1b[31mNEE\x1b[")
    pane.write(b"32mD\x1b]8;;http://")
    pane.write(b"x\x1b\\L\x1b")
    pane.write(b"[mE\r")
    pane.write(b"\n")
    assert client.texts[-1] == ["0" * 10_000 + "NEEDLE"]


@pytest.mark.parametrize("color", [b"\x1b[31m", b"\x1b]2;" + b"x" * 900 + b"\x07"])
def test_only_the_end_of_a_long_unfinished_line_is_repeated(pane, follow, color):
    client = follow()
    for _ in range(200):
        pane.write(b"-" * 90 + color + b"NEE")
        pane.write(b"DLE" + color)
        assert client.texts[-1][0].endswith("NEEDLE")
        assert client.events[-1]["seq"] - client.events[-1]["resume"] <= text_follower._LONGEST_COLORED
    assert set(client.texts[-1][0]) == set("-NEEDLE")


@pytest.mark.parametrize("moves", [b"\x1b[3D", b"\b\b\b"])
def test_a_long_line_with_cursor_movements_is_split(pane, follow, moves):
    client = follow()
    pane.write(b"0" * 10_000 + moves + b"42")
    pane.write(moves + b"x")
    assert client.texts[-1] == ["x"]


def test_only_the_last_state_of_a_progress_bar_is_pushed(pane, follow):
    client = follow()
    for percent in range(2_000):
        pane.write(b"\r%5d" % percent)
    assert client.texts[-1] == [" 1999"]
    assert client.events[-1]["seq"] - client.events[-1]["resume"] < text_follower._LONGEST_DRAWN


def test_an_event_from_the_alternate_screen_contains_the_drawn_text(pane, follow):
    client = follow()
    pane.alt_screen = True
    pane.write(b"\x1b[2;1Hhello")
    pane.write(b"\x1b[3;1Hworld")
    assert client.texts == [["", "hello"], ["", "", "world"]]


# Erased text


def erased(data, *, old=0):
    lines = text_follower._lines(data, types.SimpleNamespace(record=types.SimpleNamespace(cols=20, rows=4)))
    return text_follower._erased(data, old, lines)


@pytest.mark.parametrize(
    ("data", "texts"),
    [
        (b"kept\r\n\x1b[31mred\x1b[m\r\n", []),
        (b"one\r\x1b[K", ["one"]),
        (b"10%\r20%\r30%", ["10%", "20%"]),
        (b"10%\r10%\r20%", ["10%"]),
        (b"kept\x1b[K and kept\r\n", []),
        (b"\x1b[2;3Hdrawn\x1b[1;1Hand kept", []),
        (b"one\r\ntwo\r\n\x1b[H\x1b[2J\x1b[3Jthree", ["one", "two"]),
        (b"$ \x1b[?1049h\x1b[1;1Hhello\x1b[2;1Hworld\x1b[?1049l", ["hello", "world"]),
        (b"\x1b]0;title\x07x\x1b(By\r\x1b[2K", ["xy"]),
        (b"gone\r\x1b[2Kkept\x1b[", ["gone"]),
    ],
)
def test_written_text_that_is_missing_from_the_lines_counts_as_erased(data, texts):
    assert erased(data) == texts


DRAWN = b"$ \x1b[?1049h\x1b[2;1Hn\x1b[31mee\x1b[38;5;9mdl\x1b(Be\x1b[m\x1b[?25l\x1b[?1049l"


@pytest.mark.parametrize("first", range(1, len(DRAWN)))
def test_a_word_on_the_alternate_screen_is_pushed_whole_however_reads_split_it(hub, pane, monkeypatch, first):
    monkeypatch.setattr(text_follower, "read_screen", lambda *_args, **_options: {})
    monkeypatch.setattr(Client, "push_event", lambda self, _number, event: self.events.append(event))
    for second in range(first, len(DRAWN)):
        client = Client()
        number, _begins = hub.follow(client, pane, since=None, output_only=False, screen=True)
        for start, end in ((0, first), (first, second), (second, len(DRAWN))):
            written = DRAWN[:end]
            pane.alt_screen = b"49h" in written and b"49l" not in written
            pane.write(DRAWN[start:end])
        texts = [text.strip() for event in client.events for text in (*event["text"], *event.get("erased", ()))]
        assert "needle" in texts
        assert all(text in "$ needle" for text in texts), "part of an escape sequence was pushed as text"
        hub.unsubscribe(client, number)
        pane.write(b"\r\n")


def test_erased_text_is_not_repeated_in_the_next_event(hub, pane, monkeypatch):
    monkeypatch.setattr(text_follower, "read_screen", lambda *_args, **_options: {})
    monkeypatch.setattr(Client, "push_event", lambda self, _number, event: self.events.append(event))
    client = Client()
    hub.follow(client, pane, since=None, output_only=False, screen=True)
    pane.alt_screen = True
    for piece in (b"\x1b[2;1Hone", b"\x1b[1m two", b"\x1b[3;1Hthree", b"\x1b[4;1Hfour"):
        pane.write(piece)
    assert [event.get("erased", []) for event in client.events] == [[], ["one two"], [], []]


def test_text_that_was_erased_before_the_start_is_omitted():
    assert erased(b"one\rtwo\rthree", old=4) == ["two"]
    assert erased(b"one\rtwo\rthree", old=6) == ["two"]
    assert erased(b"one\rtwo\rthree", old=8) == []


@pytest.mark.parametrize("data", [b"\r\n\r\n", b"\x1b[31m\x1b[m", b""])
def test_output_without_text_has_no_lines(pane, follow, data):
    client = follow()
    pane.write(data + b"\x07")
    assert client.texts == [[]]
    assert client.events[0]["seq"] == pane.seq


def test_pane_closed_is_pushed_after_the_text_of_the_pane(hub, pane, follow, loop):
    client = follow(since=0)
    client.is_slow = True
    pane.write(b"last words\r\n")
    hub.emit("pane_closed", pane=3, seq=pane.seq, exit_status=0)
    loop.settle()
    client.is_slow = False
    hub.resumed(client)
    loop.settle()
    assert [event["event"] for event in client.events] == ["output", "pane_closed"]


def test_pane_closed_is_pushed_once_to_a_subscription_of_a_dead_pane(hub, pane, follow, loop):
    pane.record.ending = lambda: {"exit_status": None, "signal": "SIGHUP"}
    pane.write(b"last words\r\n")
    client, plain = follow(since=0), Client()
    hub.push_end(client, client.number, pane)
    hub.push_end(plain, hub.subscribe(plain, 3), pane)
    assert client.events == plain.events == [], "the replies to the requests are sent first"
    loop.settle()
    hub.resumed(client)
    loop.settle()
    assert [event["event"] for event in client.events] == ["output", "pane_closed"]
    assert plain.events == client.events[1:]


# Subscriptions with output_only

NUMBERS = itertools.count(100)


def mark(text):
    return b"\x1b]7748;nonce;%d;%b\x07" % (next(NUMBERS), text)


def prompt():
    return mark(b"A") + b"$ " + mark(b"B")


def run(pane, command, output):
    """Write the echo, the output and the marks of a command in an integrated shell."""
    pane.write(command + b"\r\n" + mark(b"C;"))
    pane.write(output)
    pane.write(mark(b"D;0") + prompt())


def test_output_only_omits_prompts_and_echoed_input(pane, follow, loop):
    pane.write(prompt())
    client = follow(since=pane.seq, output_only=True)
    run(pane, b"echo hi", b"hi\r\n")
    run(pane, b"echo ho", b"ho\r\n")
    loop.settle()
    assert [line for text in client.texts for line in text] == ["hi", "ho"]
    assert client.events[-1]["seq"] == pane.seq


def test_output_only_pushes_each_piece_at_once(pane, follow):
    pane.write(prompt())
    client = follow(output_only=True)
    pane.write(b"make\r\n" + mark(b"C;"))
    pane.write(b"compil")
    pane.write(b"ing\r\n")
    assert client.texts == [[], ["compil"], ["compiling"]]


def test_output_only_starts_with_the_latest_command(pane, follow, loop):
    pane.write(prompt())
    run(pane, b"first", b"one\r\n")
    run(pane, b"second", b"two\r\n")
    client = follow(output_only=True)
    loop.settle()
    assert client.texts == [["two"]]


def test_output_only_starts_with_the_running_command(pane, follow, loop):
    pane.write(prompt())
    run(pane, b"first", b"one\r\n")
    pane.write(b"second\r\n" + mark(b"C;"))
    pane.write(b"two\r\n")
    client = follow(output_only=True)
    loop.settle()
    assert client.texts == [["two"]]


def test_without_marks_all_text_except_typed_input_is_output(pane, follow):
    pane.write(b"$ ")
    client = follow(output_only=True)
    pane.tracker.typed(b"echo hi\r", pane.seq, 1.0, echo=True, ours=False)
    pane.write(b"echo")
    pane.write(b" hi\r\nhi\r\n$ ")
    assert client.texts == [[], ["hi", "$ "]]


def test_without_marks_output_starts_after_the_last_entered_line(pane, follow, loop):
    pane.write(b"hello\r\n$ ")
    early = follow(output_only=True)
    pane.tracker.typed(b"one\r", pane.seq, 1.0, echo=True, ours=False)
    late = follow(output_only=True)
    loop.settle()
    pane.write(b"one\r\n1\r\n$ ")
    assert early.texts == late.texts == [["1", "$ "]]
    later = follow(output_only=True)
    loop.settle()
    assert later.texts == [["1", "$ "]]


# Control strings without an end

LONG = text_follower._LONGEST_STRING + 2 * text_follower._PIECE


@pytest.mark.parametrize("opener", [b"\x1b]0;", b"\x1bP", b"\x1b_"])
@pytest.mark.parametrize("end", [b"\x07", b"\x1b\\", b"\x18", b"\x1b[31m"])
def test_text_after_a_long_control_string_is_pushed(pane, follow, opener, end):
    client = follow()
    pane.write(b"before\r\n" + opener)
    for _ in range(10):
        pane.write(b"x" * (LONG // 4))
    for index in range(len(end)):
        pane.write(end[index : index + 1])
    pane.write(b"after\r\n")
    texts = [line for text in client.texts for line in text]
    assert not any("x" in line for line in texts)
    assert {"before", "after"} <= set(texts)
    assert client.events[-1]["seq"] == client.events[-1]["resume"] == pane.seq


def test_a_control_string_without_an_end_is_read_only_once(pane, follow, monkeypatch):
    follow()
    read = []
    since = pane.journal.since
    monkeypatch.setattr(pane.journal, "since", lambda place, most: read.append(most) or since(place, most))
    pane.write(b"\x1b]0;")
    for _ in range(100):
        pane.write(b"x" * 40_000)
    assert sum(read) < 2 * pane.seq


# Sharing


def test_followers_at_the_same_place_share_what_is_rendered(pane, follow, monkeypatch):
    rendered = []
    as_written = text_follower.as_written
    monkeypatch.setattr(
        text_follower, "as_written", lambda *data, **size: rendered.append(1) or as_written(*data, **size)
    )
    first = follow()
    pane.write(b"some lines\r\n" * 1000)
    others = [follow() for _ in range(4)]
    rendered.clear()
    for _ in range(5):
        pane.write(b"more lines\r\n" * 20_000)
    assert len(rendered) <= pane.seq // text_follower._PIECE + 10
    assert all(other.texts == others[0].texts for other in others)
    assert [line for text in first.texts[1:] for line in text if line] == ["more lines"] * 100_000


# The end of subscriptions


def test_no_text_is_pushed_after_the_end_of_the_subscription(hub, pane, follow, loop):
    client, other = follow(), follow()
    hub.unsubscribe(client, client.number)
    hub.drop_subscriber(other)
    pane.write(b"x")
    loop.settle()
    assert client.events == other.events == []
    assert hub.numbers_of(client) == hub.numbers_of(other) == []


def test_no_text_is_pushed_after_the_pane_is_killed(hub, pane, follow, loop):
    pane.write(b"x")
    client = follow(since=0)
    pane.journal.close()
    loop.settle()
    hub.resumed(client)
    loop.settle()
    assert client.events == []
