"""Windows and panes in the library: created, arranged, closed, and restored after a service death."""

from __future__ import annotations

import fcntl
import os
import random
import signal
import struct
import termios
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import get_args

import pytest

from phux_client import blocking
from phux_core import layout, shapes
from phux_core.errors import (
    BadCwdError,
    BadNameError,
    BadRequestError,
    BadSizeError,
    CannotExecuteError,
    InternalError,
    NoSuchTargetError,
    PaneClosedError,
    PhuxError,
    RefusedError,
)
from rawwire import RawClient
from servers import embedded_server, eventually, process_gone
from shell_panes import wait_for_program

SLEEP = ["sleep", "1000"]


@pytest.fixture(scope="module")
def socket():
    """One server for all tests, each of which has its own sessions."""
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        phux.new_session("keep", command=SLEEP)
        yield server.socket


@pytest.fixture
def phux(socket):
    with blocking.connect(socket) as phux:
        yield phux
        for session in phux.sessions():
            if session.name != "keep":
                session.kill()


@pytest.fixture
def work(phux):
    """A session with one pane that only sleeps."""
    return phux.new_session("work", command=SLEEP)


def window_of(phux, target="work"):
    return phux.window(target).info()


def sizes(phux, target="work"):
    return {pane.id: (pane.cols, pane.rows) for pane in window_of(phux, target).panes}


def raw_layout(node):
    if isinstance(node, int):
        return node
    return {
        "direction": node.direction,
        "ratio": node.ratio,
        "first": raw_layout(node.first),
        "second": raw_layout(node.second),
    }


def check_sizes(phux, target="work"):
    """Check that the sizes in the tree match the layout of the window."""
    window = window_of(phux, target)
    arranged = layout.arrange(raw_layout(window.layout), window.cols, window.rows, window.zoomed)
    assert {pane: (place.cols, place.rows) for pane, place in arranged.panes.items()}.items() <= sizes(
        phux, target
    ).items()


# Creating


def test_a_split_divides_the_space_and_the_program_knows_its_size(phux, work):
    right = work.pane.split(command=["sh"])
    below = right.split("down", size=5, command=["sh"])
    window = window_of(phux)
    assert [pane.index for pane in window.panes] == [0, 1, 2]
    assert sizes(phux) == {work.pane.id: (40, 24), right.id: (39, 18), below.id: (39, 5)}
    assert below.run("stty size").output == "5 39"
    assert right.run("stty size").output == "18 39"
    check_sizes(phux)


@pytest.mark.parametrize(("size", "cols"), [(20, 20), ("20", 20), ("25%", 20), ("1%", 2), (None, 39)])
def test_a_new_pane_gets_the_requested_size(phux, work, size, cols):
    assert work.pane.split(size=size, command=SLEEP).info().cols == cols


def test_a_new_pane_starts_in_the_directory_of_its_target(phux, tmp_path):
    (tmp_path / "a b").mkdir()
    (tmp_path / "inner").mkdir()
    pane = phux.new_session("work", command=["sh"], cwd=str(tmp_path)).pane
    pane.run("cd 'a b'")
    assert pane.split(command=["sh"]).run("pwd").output == str(tmp_path / "a b")
    assert phux.session("work").new_window(command=["sh"]).pane.run("pwd").output == str(tmp_path / "a b")
    assert pane.split(command=["sh"], cwd=str(tmp_path)).run("pwd").output == str(tmp_path)
    pane.send_keys(f"sh -c 'cd {tmp_path}/inner && exec sleep 1000'", "Enter")
    wait_for_program(pane, "sleep")
    assert pane.split("down", command=["sh"]).run("pwd").output == str(tmp_path / "inner")


def test_a_deleted_directory_does_not_prevent_a_pane_from_starting(phux, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    pane = phux.new_session("work", command=SLEEP, cwd=str(gone)).pane
    gone.rmdir()
    assert pane.split(command=["sh"]).run("pwd").output == "/"


def test_a_new_pane_has_the_callers_environment_and_the_requested_variables(phux, work, monkeypatch):
    with blocking.connect(phux.socket) as other:
        pane = other.pane("work").split(command=["sh"], env={"COLOR": "blue"})
        assert pane.run('echo "$COLOR $PHUX_PANE"').output == f"blue {pane.selector}"


def test_creating_panes_and_windows_keeps_the_focus_by_default(phux, work):
    first = work.pane
    work.new_window("two", command=SLEEP)
    first.split(command=SLEEP)
    assert phux.pane("work").id == first.id
    assert phux.tree().focused_pane == first.id
    chosen = first.split(command=SLEEP, select=True)
    assert phux.pane(".").id == phux.pane("=").id == chosen.id
    three = work.new_window("three", command=SLEEP, select=True)
    assert phux.pane("work").id == three.pane.id


def test_windows_get_the_lowest_free_index_or_the_requested_one(phux, work):
    named = work.new_window("name with spaces", command=SLEEP)
    work.new_window("логи", index=5, command=SLEEP)
    assert [(each.name, each.info().index) for each in work.windows()] == [
        ("sleep", 0),
        ("name with spaces", 1),
        ("логи", 5),
    ]
    assert phux.window("work:name with spaces").id == phux.window("work:1").id == named.id
    assert phux.pane("work:логи.0").id == phux.pane("work:5").id
    with pytest.raises(RefusedError, match="session 'work' already has a window 5"):
        work.new_window(index=5, command=SLEEP)
    phux.window("work:1").kill()
    assert work.new_window(command=SLEEP).info().index == 1


def test_a_new_window_has_the_size_of_the_current_one(phux):
    session = phux.new_session("work", command=SLEEP, size=(120, 40))
    assert session.new_window(command=SLEEP).info().cols == 120


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"command": ["no-such-program"]}, CannotExecuteError),
        ({"cwd": "/no/such/directory"}, BadCwdError),
        ({"command": "sh -c x"}, BadRequestError),
    ],
)
def test_a_program_that_cannot_be_started_leaves_nothing_behind(phux, work, wrong, error):
    before = phux.tree("work")
    with pytest.raises(error):
        work.pane.split(**{"command": SLEEP, **wrong})
    with pytest.raises(error):
        work.new_window(**{"command": SLEEP, **wrong})
    assert phux.tree("work") == before


def test_a_pane_that_is_too_small_is_not_split(phux):
    tiny = phux.new_session("work", command=SLEEP, size=(4, 2)).pane
    before = phux.tree("work")
    with pytest.raises(BadSizeError, match="has 4 columns, too few to split: two panes and their divider need 5"):
        tiny.split(command=SLEEP)
    with pytest.raises(BadSizeError, match="has 2 rows, too few to split: two panes and their divider need 3"):
        tiny.split("down", command=SLEEP)
    assert phux.tree("work") == before


@pytest.mark.parametrize("size", [0, -3, 1, 78, 10**9, "0%", "100%", "x", "", "5.5", True, "10 %"])
def test_an_impossible_size_is_rejected(phux, work, size):
    with pytest.raises(BadSizeError):
        work.pane.split(size=size, command=SLEEP)
    assert len(window_of(phux).panes) == 1


@pytest.mark.parametrize("name", ["", "a:b", "a/b", "@1", ".x", "=", "x" * 65, "a\nb", 7])
def test_a_window_name_that_selectors_could_not_contain_is_refused(phux, work, name):
    with pytest.raises(BadNameError, match="the window name"):
        work.new_window(name, command=SLEEP)
    with pytest.raises(BadNameError, match="the window name"):
        phux.window("work").rename(name)
    with pytest.raises(BadNameError, match="the window name"):
        phux.new_session("other", window_name=name, command=SLEEP)
    assert [session.name for session in phux.sessions()] == ["keep", "work"]


# Arranging


def test_select_moves_the_focus_that_the_short_selectors_use(phux, work):
    beside = work.pane.split(command=SLEEP)
    other = phux.new_session("other", command=SLEEP)
    place = beside.select()
    assert (place.session, place.window, place.pane, place.terminal_id) == ("work", 0, 1, beside.id)
    assert phux.pane("=").id == phux.pane(".").id == phux.pane("work").id == beside.id
    other.select()
    assert phux.pane(".").id == other.pane.id
    assert phux.pane("work").id == beside.id
    two = work.new_window("two", command=SLEEP)
    two.select()
    assert phux.pane("=").id == two.pane.id


def test_a_pane_is_resized_by_its_dividers(phux, work):
    one = work.pane
    two = one.split(command=SLEEP)
    three = two.split("down", command=SLEEP)
    assert two.resize(cols=20).cols == 20
    assert sizes(phux) == {one.id: (59, 24), two.id: (20, 12), three.id: (20, 11)}
    assert three.resize(rows=4).rows == 4
    assert three.resize(30, 10).cols == 30
    assert one.resize(side="right", by=3).cols == 52
    assert three.resize(side="left", by=100).cols == 77
    assert two.resize(side="up", by=2).rows == 11
    assert window_of(phux).cols == 80
    check_sizes(phux)


def test_resizing_a_pane_without_neighbors_on_an_axis_resizes_its_window(phux, work):
    beside = work.pane.split(command=SLEEP)
    assert beside.resize(30, 40).rows == 40
    window = window_of(phux)
    assert (window.cols, window.rows) == (80, 40)
    assert work.pane.info().cols == 49
    assert phux.window("work").resize(120, 50).rows == 50
    assert (beside.info().cols, work.pane.info().cols) == (45, 74)  # the proportions are kept


@pytest.mark.parametrize(
    "size", [{"cols": 79}, {"cols": 0}, {"cols": 1}, {"cols": 78}, {"rows": 0}, {"rows": 1001}, {"cols": 10**9}]
)
def test_sizes_out_of_range_change_nothing(phux, work, size):
    beside = work.pane.split(command=SLEEP)
    before = phux.tree("work")
    with pytest.raises(BadSizeError):
        beside.resize(**size)
    assert phux.tree("work") == before


def test_a_window_is_not_made_smaller_than_its_panes(phux, work):
    work.pane.split(command=SLEEP)
    with pytest.raises(BadSizeError, match="4x24 is too small for the 2 panes of the window"):
        phux.window("work").resize(4)
    assert phux.window("work").resize(5, 1).rows == 1
    check_sizes(phux)


def test_a_lone_pane_may_have_any_size_of_a_terminal(phux, work):
    assert work.pane.resize(1, 1).cols == 1
    assert work.pane.resize(1000, 1000).cols == 1000
    with pytest.raises(BadSizeError, match="no neighbor on this axis"):
        work.pane.resize(side="left", by=1)


def test_reading_and_typing_change_no_size(phux, work):
    pane = phux.new_session("other", command=["sh"], size=(33, 11)).pane
    pane.run("true")
    pane.send_keys("x")
    pane.snapshot()
    pane.wait(idle_ms=50)
    assert (pane.info().cols, pane.info().rows) == (33, 11)


def test_a_zoomed_pane_fills_the_window_until_another_is_selected(phux, work):
    one, two = work.pane, work.pane.split(command=SLEEP)
    assert two.zoom().zoomed
    assert sizes(phux) == {one.id: (40, 24), two.id: (80, 24)}
    assert phux.pane("work").id == two.id
    assert two.zoom(on=True).zoomed
    one.select()
    assert window_of(phux).zoomed is None
    assert sizes(phux) == {one.id: (40, 24), two.id: (39, 24)}
    two.zoom()
    two.split("down", command=SLEEP)
    assert window_of(phux).zoomed is None
    assert not one.zoom(on=False).zoomed
    check_sizes(phux)


def test_zooming_a_lone_pane_changes_nothing(phux, work):
    assert not work.pane.zoom().zoomed
    assert window_of(phux).zoomed is None


def test_layouts_match_their_names(phux, work):
    for _ in range(3):
        work.pane.split(command=SLEEP, size=5)
    window = phux.window("work")
    window.layout("even-vertical")
    assert {rows for _cols, rows in sizes(phux).values()} <= {5, 6}
    window.layout("tiled")
    assert sorted(sizes(phux).values()) == [(39, 11), (39, 12), (40, 11), (40, 12)]
    window.layout("main-vertical")
    assert sizes(phux)[work.pane.id] == (40, 24)
    window.resize(14, 24)
    with pytest.raises(BadRequestError, match="unknown layout 'spiral'"):
        window.layout("spiral")
    window.layout("even-vertical")
    window.resize(10, 7)
    with pytest.raises(BadSizeError, match="4 panes as even-horizontal need at least 11x1; the window has 10x7"):
        window.layout("even-horizontal")
    check_sizes(phux)


def test_panes_are_swapped_within_and_across_sessions(phux, work):
    one, two = work.pane, work.pane.split(size=20, command=SLEEP)
    other = phux.new_session("other", command=SLEEP, size=(100, 30)).pane
    one.swap(two.id)
    assert sizes(phux) == {two.id: (59, 24), one.id: (20, 24)}
    one.swap("other:0.0")
    assert sizes(phux) == {two.id: (59, 24), other.id: (20, 24)}
    assert sizes(phux, "other") == {one.id: (100, 30)}
    assert phux.pane("work").id == other.id  # the place keeps the focus
    with pytest.raises(BadRequestError, match="itself"):
        one.swap(one.id)
    with pytest.raises(BadRequestError, match="a pane and a window cannot be swapped"):
        one.swap("work:0")


def test_windows_are_swapped_within_and_across_sessions(phux, work):
    work.new_window("two", command=SLEEP)
    phux.new_session("other", window_name="three", command=SLEEP)
    phux.window("work:0").swap("work:two")
    assert [each.name for each in work.windows()] == ["two", "sleep"]
    phux.window("work:two").swap("other:three")
    assert [each.name for each in work.windows()] == ["three", "sleep"]
    assert [each.name for each in phux.session("other").windows()] == ["two"]
    with pytest.raises(BadRequestError, match="itself"):
        phux.window("work:0").swap("work:0")


def test_a_window_moves_to_an_index_or_a_session(phux, work):
    two = work.new_window("two", command=SLEEP)
    assert two.move("work:7").window == 7
    with pytest.raises(RefusedError, match="window 7 of session 'work' is already there"):
        two.move("work:7")
    with pytest.raises(RefusedError, match="session 'work' already has a window 0"):
        two.move("work:0")
    with pytest.raises(RefusedError, match="is already there"):
        two.move("work")
    other = phux.new_session("other", command=SLEEP)
    assert two.move("other").window == 1
    phux.window("work").move("other:5")
    assert [each.info().index for each in other.windows()] == [0, 1, 5]
    with pytest.raises(NoSuchTargetError):
        phux.session("work")  # a session ends with its last window


def test_a_pane_moves_next_to_another_or_into_its_own_window(phux, work):
    one, two = work.pane, work.pane.split(command=SLEEP)
    assert one.move(two.id, "down", size=4).pane == 1
    assert sizes(phux) == {two.id: (80, 19), one.id: (80, 4)}
    place = one.move("work")
    assert (place.window, place.cols, place.rows, place.window_name) == (1, 80, 24, "sleep")
    assert one.move("work:9").window == 9
    other = phux.new_session("other", command=SLEEP)
    assert one.move("other:0").session == "other"
    assert len(sizes(phux, "other")) == 2
    assert two.move(other.pane.selector).session == "other"
    with pytest.raises(NoSuchTargetError):
        phux.session("work")
    with pytest.raises(RefusedError, match="beside itself"):
        one.move(one.id)
    check_sizes(phux, "other")


def test_a_pane_is_not_moved_where_there_is_no_room(phux, work):
    tiny = phux.new_session("other", command=SLEEP, size=(4, 2)).pane
    with pytest.raises(BadSizeError, match="too few to split"):
        work.pane.move(tiny.id)
    assert phux.pane("work").id == work.pane.id


def test_session_names_are_unique_and_window_names_are_not(phux, work):
    phux.new_session("other", command=SLEEP)
    two = work.new_window("two", command=SLEEP)
    two.rename("sleep")
    assert phux.window("work:sleep").id != two.id  # the first one with the name
    with pytest.raises(PhuxError, match="a session called 'other' exists already"):
        work.rename("other")


def test_the_name_of_a_session_whose_programs_have_ended_can_be_reused(phux, work):
    phux.new_session("over", command=["true"]).pane.wait(exit=True, timeout_s=10)
    work.rename("work")  # its own name is accepted
    work.rename("over")
    assert [session.name for session in phux.sessions()] == ["keep", "over"]
    assert phux.session("over").id == work.id


# Closing


def test_closing_a_pane_gives_its_space_and_the_focus_to_another(phux, work):
    one = work.pane
    two = one.split(command=SLEEP)
    three = two.split("down", command=SLEEP)
    for pane in (three, one, two):
        pane.select()
    two.kill()
    assert sizes(phux) == {one.id: (40, 24), three.id: (39, 24)}
    assert phux.pane("work").id == one.id
    one.kill()
    assert sizes(phux) == {three.id: (80, 24)}
    with pytest.raises(NoSuchTargetError):
        two.select()


def test_the_last_pane_closes_the_window_and_the_last_window_the_session(phux, work):
    two = work.new_window("two", command=SLEEP, select=True)
    assert two.pane.kill() == 1
    assert [each.name for each in work.windows()] == ["sleep"]
    assert phux.window("work").kill() == 1
    assert "work" not in [session.name for session in phux.sessions()]


def test_a_pane_whose_program_ends_frees_its_space_and_stays_readable(phux, work):
    one = work.pane
    two = one.split(command=["sh", "-c", "echo last words; read go; exit 3"], select=True)
    two.wait(until="last words", timeout_s=10)
    two.send_keys("Enter")
    two.wait(exit=True, timeout_s=10)
    eventually(lambda: sizes(phux)[one.id] == (80, 24))
    window = window_of(phux)
    assert window.layout == one.id
    assert [(pane.id, pane.state) for pane in window.panes] == [(one.id, "running"), (two.id, "dead")]
    assert phux.pane("work").id == one.id
    assert "last words" in two.snapshot().text
    assert two.info().exit_status == 3
    for arrange in (two.select, two.zoom, two.split, lambda: two.swap(one.id), lambda: two.move("keep"), two.resize):
        with pytest.raises((PaneClosedError, BadRequestError)):
            arrange()
    assert two.kill() == 1


def test_a_window_whose_programs_have_ended_can_be_split_again(phux, work):
    keep = work.new_window("keep", command=SLEEP)
    pane = work.pane
    os.kill(pane.info().pid, signal.SIGKILL)
    pane.wait(exit=True, timeout_s=10)
    eventually(lambda: phux.pane("work").id == keep.pane.id)  # the focus moves to a running program
    new = pane.split(command=SLEEP)
    assert window_of(phux, "work:0").layout == new.id
    assert new.info().cols == 80


# Events


def test_window_events_are_reported(phux, work):
    with phux.watch() as events:
        two = work.new_window("two", command=SLEEP)
        beside = two.pane.split(command=SLEEP)
        beside.select()
        two.move("work:4")
        beside.kill()
        two.kill()
        seen = []
        last = shapes.FocusChanged(session=work.id, window=phux.window("work").id, pane=work.pane.id)
        while not seen or seen[-1] != last:
            seen.append(events.next(timeout_s=10))
    about_panes = {"dirty", "idle", "state_changed", "resized", "pane_spawned", "pane_closed"}
    assert [event for event in seen if event.event not in about_panes] == [
        shapes.WindowAdded(window=two.id, session=work.id, index=1),
        shapes.LayoutChanged(window=two.id),
        shapes.FocusChanged(session=work.id, window=two.id, pane=beside.id),
        shapes.WindowMoved(window=two.id, session=work.id, index=4),
        shapes.LayoutChanged(window=two.id),
        shapes.FocusChanged(session=work.id, window=two.id, pane=two.pane.id),
        shapes.WindowClosed(window=two.id, session=work.id),
        last,
    ]


# Faults


def test_killing_while_splitting_leaves_no_unknown_program(phux, work, socket):
    anchor = work.new_window("anchor", command=SLEEP)
    with ThreadPoolExecutor(8) as pool, blocking.connect(socket) as other:
        for _ in range(6):
            target = work.new_window("target", command=SLEEP).pane
            made = [pool.submit(lambda pane=target: other.pane(pane.id).split(size=2, command=SLEEP)) for _ in range(4)]
            target.kill()
            for future in made:
                try:
                    future.result()
                except (NoSuchTargetError, PaneClosedError, BadSizeError):
                    continue
    listed = {pane.pid for session in phux.tree().sessions for window in session.windows for pane in window.panes}
    assert anchor.pane.info().pid in listed
    keeper = phux.status().keeper_pid

    def strangers():
        children = Path(f"/proc/{keeper}/task/{keeper}/children").read_text().split()
        return {int(pid) for pid in children} - listed - {phux.status().service_pid}

    eventually(lambda: not strangers())


def test_nothing_is_created_in_a_session_that_is_being_killed(phux, socket):
    deaf = phux.new_session("deaf", command=["env", "sh", "-c", "trap '' HUP; echo deaf; exec sleep 1000"])
    deaf.pane.wait(until="deaf", timeout_s=10)
    with RawClient(socket) as raw:
        raw.send({"id": 1000, "call": "kill", "params": {"scope": "session", "id": deaf.id}})
        for call, params in (
            ("split", {"pane": deaf.pane.id, "direction": "right"}),
            ("new_window", {"session": deaf.id}),
        ):
            assert raw.ask(call, command=SLEEP, **params)["error"]["code"] == "no_such_target"
        assert raw.reply(1000)["ok"] == {"killed": 1}
    assert "deaf" not in [session.name for session in phux.sessions()]


def test_everything_is_restored_after_a_service_death():
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        work = phux.new_session("work", command=SLEEP, size=(100, 30))
        one = work.pane
        two = one.split("down", size=7, command=["sh"])
        two.split(size="30%", command=SLEEP)
        editor = work.new_window("editor", index=3, command=SLEEP)
        phux.new_session("other", command=SLEEP)
        phux.window("work:3").resize(90, 20, policy="manual")
        two.zoom()
        editor.select()
        one.select()
        two.zoom()
        before = phux.tree()
        pid = phux.status().service_pid
        os.kill(pid, signal.SIGKILL)
        eventually(lambda: process_gone(pid))
        after = phux.tree()
        assert after == before
        assert phux.status().service_restarts == 1
        assert two.run("stty size").output == "30 100"
        two.zoom()
        assert two.run("stty size").output == "7 69"
        one.kill()
        assert phux.pane("work").id == two.id
        two.kill()
        work.windows()[0].kill()
        assert phux.pane("work").id == editor.pane.id


def pty_size(pid):
    """Return the kernel's size of a program's terminal."""
    fd = os.open(f"/proc/{pid}/fd/0", os.O_RDONLY | os.O_NOCTTY)
    try:
        rows, cols, _, _ = struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8)))
    finally:
        os.close(fd)
    return cols, rows


def wrong_sizes(phux):
    """Return the panes for which tree, layout and kernel differ."""
    wrong = []
    for session in phux.tree().sessions:
        for window in session.windows:
            arranged = layout.arrange(raw_layout(window.layout), window.cols, window.rows, window.zoomed).panes
            for pane in window.panes:
                if pane.id in arranged and pane.state != "dead" and not process_gone(pane.pid):
                    told = [(pane.cols, pane.rows), (arranged[pane.id].cols, arranged[pane.id].rows)]
                    told.append(pty_size(pane.pid))
                    if len(set(told)) > 1:
                        wrong.append((pane.id, told))
    return wrong


def test_concurrent_changes_and_service_deaths_keep_all_sizes_and_panes():
    stop = threading.Event()
    made, ended = set(), set()

    def rearrange(socket, seed):
        chance = random.Random(seed)
        with blocking.connect(socket) as phux:
            while not stop.is_set():
                windows = [window for session in phux.tree().sessions for window in session.windows]
                panes = [blocking.Pane(phux, pane.id) for window in windows for pane in window.panes]
                one, other = chance.choice(panes), chance.choice(panes)
                deeds = [
                    lambda pane=one: made.add(pane.split(chance.choice(["right", "down"]), command=SLEEP).id),
                    lambda pane=one: pane.resize(chance.randint(2, 80), chance.randint(1, 24)),
                    lambda pane=one: pane.resize(side=chance.choice(get_args(shapes.Side)), by=chance.randint(1, 20)),
                    lambda pane=one, where=other: pane.move(where.id, chance.choice(["right", "down"])),
                    lambda pane=one: pane.move("work"),
                    lambda pane=one, where=other: pane.swap(where.id),
                    lambda pane=one: pane.zoom(),
                    lambda pane=one: pane.send_keys("C-c"),
                    lambda pane=one: pane.kill(),
                ]
                deed = deeds[-1] if len(panes) > 12 else chance.choice(deeds if len(panes) > 3 else deeds[:1])
                if deed in deeds[-2:]:
                    ended.add(one.id)
                try:
                    deed()
                except InternalError:
                    raise
                except PhuxError:
                    continue

    with embedded_server() as server, blocking.connect(server.socket) as phux, ThreadPoolExecutor(3) as pool:
        phux.new_session("work", command=SLEEP)
        workers = [pool.submit(rearrange, server.socket, seed) for seed in range(3)]
        try:
            for _ in range(2):
                with phux.watch() as events:
                    for _ in range(60):
                        events.next(timeout_s=10)
                os.kill(phux.status().service_pid, signal.SIGKILL)
        finally:
            stop.set()
        for worker in workers:
            worker.result()
        assert phux.status().service_restarts == 2
        eventually(lambda: not wrong_sizes(phux))  # an interrupted program may still be ending
        kept = {pane.id for session in phux.tree().sessions for window in session.windows for pane in window.panes}
        assert made - ended <= kept
