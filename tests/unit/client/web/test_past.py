"""The timeline and past screens, reduced to what the page draws."""

from __future__ import annotations

from phux_client.pictures.grid import PLAIN
from phux_client.web.past import BARS, past_frame, summary


def page(entries, *, start=100.0, end=110.0, next_byte=1000):
    return {"start_at": start, "end_at": end, "next_byte": next_byte, "entries": entries}


def test_bars_show_how_much_was_written_when():
    entries = [[100.0, 0, "output", {}], [105.0, 250, "output", {}], [105.0, 700, "bell", {}]]
    found = summary([page(entries)], now=110.0)
    assert (found["start"], found["end"], len(found["bars"])) == (100.0, 110.0, BARS)
    written = {place: bar for place, bar in enumerate(found["bars"]) if bar}
    assert written == {0: 0.333, BARS // 2: 1.0}


def test_states_are_in_order_over_several_pages_and_the_time_continues_until_now():
    first = page([[100.0, 0, "state_changed", {"state": "prompt"}]])
    second = page([[104.0, 10, "state_changed", {"state": "running", "command": "make"}]])
    found = summary([first, second], now=200.0)
    assert found["states"] == [[100.0, "prompt"], [104.0, "running"]]
    assert found["end"] == 200.0


def test_the_time_of_a_dead_pane_ends_with_its_program():
    found = summary([page([[109.0, 10, "pane_closed", {"exit_status": 0}]])], now=200.0)
    assert (found["end"], found["states"]) == (110.0, [[109.0, "dead"]])


def test_a_log_without_times_has_no_timeline():
    assert summary([page([], start=None, end=None)], now=200.0)["start"] is None


def test_times_that_jump_back_stay_inside_the_bars():
    entries = [[100.0, 0, "output", {}], [90.0, 10, "output", {}], [130.0, 20, "output", {}]]
    assert len(summary([page(entries, end=110.0)], now=0.0)["bars"]) == BARS


def test_a_past_screen_becomes_a_frame_with_styles_and_wide_characters():
    red = PLAIN | {"fg": {"kind": "palette", "index": 1}}
    document = {
        "cols": 8,
        "rows": 2,
        "lines": ["a日b", ""],
        "scrollback": [],
        "seq": 7,
        "title": None,
        "cells": [{"col": 3, "row": 0, "style": red}],
        "cursor": {"x": 4, "y": 0, "visible": True},
    }
    frame = past_frame(document)
    assert frame["size"] == [8, 2]
    assert frame["cursor"] == [4, 0, True, 2]
    assert frame["rows"] == [[0, [[0, 1, ["a"], ""], [1, 2, ["日"], ""], [3, 1, ["b"], "38;5;1"]]], [1, []]]
