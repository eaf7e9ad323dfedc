"""The list of all panes for an overview: order, exit codes, and which events change it."""

from __future__ import annotations

import pytest

from phux_client.overview import Overview


def pane(number, state="prompt", *, title=None, foreground="bash", exit_status=None, **more):
    front = None if foreground is None else {"command": foreground, "pid": 7, "cwd": "/"}
    return {
        "id": number,
        "index": 0,
        "active": True,
        "cols": 80,
        "rows": 24,
        "title": title,
        "command": "sh",
        "cwd": "/src",
        "pid": 7,
        "state": state,
        "foreground": front,
        "exit_status": exit_status,
        **more,
    }


def tree(*panes, session="work"):
    return {"sessions": [{"name": session, "windows": [{"index": 2, "name": "edit", "panes": list(panes)}]}]}


def overview_of(*panes):
    overview = Overview()
    overview.take_tree(tree(*panes))
    return overview


def finished(number, exit_code, state="finished"):
    return {"pane": number, "state": state, "exit_code": exit_code}


def event(name, number=1, **fields):
    return {"event": name, "terminal": f"@{number}", "seq": 9, **fields}


def test_a_pane_has_its_place_its_title_and_its_foreground_command():
    (shown,) = overview_of(pane(3, "fullscreen", title="notes", foreground="vim")).by_attention()
    assert (shown.id, shown.session, shown.window, shown.window_name, shown.index) == (3, "work", 2, "edit", 0)
    assert (shown.title, shown.state, shown.command, shown.cwd) == ("notes", "fullscreen", "vim", "/src")
    assert (shown.cols, shown.rows, shown.exit_code, shown.signal) == (80, 24, None, None)


def test_a_pane_without_foreground_has_the_command_that_was_started():
    assert overview_of(pane(1, foreground=None)).panes[1].command == "sh"


def test_panes_that_wait_for_a_person_come_first_then_running_ones_then_the_rest():
    states = ("dead", "prompt", "running", "awaiting_input", "fullscreen", "awaiting_secret", "prompt")
    overview = overview_of(*(pane(number, state) for number, state in enumerate(states)))
    assert [(shown.id, shown.attention) for shown in overview.by_attention()] == [
        (3, "needed"),
        (5, "needed"),
        (2, "running"),
        (4, "running"),
        (0, "rest"),
        (1, "rest"),
        (6, "rest"),
    ]


def test_the_exit_code_is_that_of_the_last_finished_command():
    overview = overview_of(pane(1), pane(2))
    overview.take_commands([finished(1, 0), finished(1, 3), finished(1, None, "running"), finished(9, 1)])
    assert [shown.exit_code for shown in overview.by_attention()] == [3, None]
    assert not overview.take_event(event("command_finished", 2, exit_code=127))
    assert overview.panes[2].exit_code == 127


def test_a_dead_pane_keeps_the_exit_status_of_its_program():
    overview = overview_of(pane(1, "dead", exit_status=4), pane(2))
    overview.take_commands([finished(1, 0)])
    assert overview.panes[1].exit_code == 4
    overview.take_event(event("pane_closed", 2, exit_status=None, signal="SIGKILL"))
    closed = overview.panes[2]
    assert (closed.state, closed.exit_code, closed.signal) == ("dead", None, "SIGKILL")


def test_a_new_tree_keeps_the_exit_code_and_forgets_panes_that_are_gone():
    overview = overview_of(pane(1), pane(2))
    overview.take_event(event("command_finished", exit_code=5))
    overview.take_tree(tree(pane(1, "running"), session="other"))
    (shown,) = overview.by_attention()
    assert (shown.id, shown.session, shown.state, shown.exit_code) == (1, "other", "running", 5)


@pytest.mark.parametrize(
    ("happened", "changes"),
    [
        (event("state_changed", state="running", command="make", pid=8), {"state": "running", "command": "make"}),
        (event("state_changed", state="prompt", command=None, pid=None), {"state": "prompt", "command": "bash"}),
        (event("title_changed", title="x"), {"title": "x"}),
        (event("cwd_changed", cwd="/tmp"), {"cwd": "/tmp"}),
        (event("resized", cols=10, rows=5), {"cols": 10, "rows": 5}),
        (event("bell"), {}),
        (event("idle", 99), {}),
        ({"event": "focus_changed", "session": 1, "window": 1, "pane": 1}, {}),
    ],
)
def test_events_change_panes_without_a_new_tree(happened, changes):
    overview = overview_of(pane(1))
    assert not overview.take_event(happened)
    shown = overview.panes[1]
    assert {name: getattr(shown, name) for name in changes} == changes


@pytest.mark.parametrize(
    "happened",
    [
        event("pane_spawned", 7),
        {"event": "session_added", "session": 2, "name": "new"},
        {"event": "window_moved", "window": 1, "session": 1, "index": 4},
        {"event": "layout_changed", "window": 1},
        {"event": "renamed", "what": "window", "id": 1, "name": "x"},
        {"event": "dropped", "count": 3},
    ],
)
def test_events_that_add_move_or_lose_panes_need_a_new_tree(happened):
    assert overview_of(pane(1)).take_event(happened)
