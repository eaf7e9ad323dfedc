"""The verbs of the CLI that arrange windows and panes."""

from __future__ import annotations

import re

import pytest

from phux_client import blocking
from servers import BIN, Cli, embedded_server


@pytest.fixture
def work(cli):
    cli.json("new", "-s", "work", "-n", "my editor", "--", "sleep", "1000")
    return cli


def test_every_verb_returns_the_ids_of_created_or_changed_objects(work):
    named = work.json("rename", "work", "мой  проект")
    assert (named["session"], named["session_id"]) == ("мой  проект", 1)
    window = work.json("new-window", "-n", "логи", "мой  проект", "--", "sleep", "1000")
    expected = {
        "session": "мой  проект",
        "session_id": 1,
        "window": 1,
        "window_id": 2,
        "window_name": "логи",
        "terminal_id": 2,
    }
    assert expected.items() <= window.items()
    split = work.json("split", "--down", "--size", "25%", "мой  проект:логи", "--", "sleep", "1000")
    assert (split["window_id"], split["terminal_id"], split["pane"], split["rows"]) == (2, 3, 1, 6)
    assert work.json("rename", "мой  проект:1", "日本 v1.0")["window_name"] == "日本 v1.0"
    assert work.json("select", "мой  проект:日本 v1.0.1")["terminal_id"] == 3
    assert work.json("resize", "мой  проект:日本 v1.0.0", "--height", "10")["rows"] == 10
    assert work.json("resize", "мой  проект:日本 v1.0", "100x30")["cols"] == 100
    assert work.json("resize", "@2", "--down", "2")["rows"] == 15
    assert work.json("zoom", "мой  проект:日本 v1.0.0")["zoomed"] is True
    assert work.json("layout", "мой  проект:日本 v1.0", "even-horizontal")["cols"] == 50
    places = work.json("swap", "мой  проект:日本 v1.0.0", "мой  проект:日本 v1.0.1")["places"]
    assert [place["terminal_id"] for place in places] == [2, 3]
    assert work.json("move", "@3", "мой  проект")["window"] == 2
    assert work.json("move", "мой  проект:my editor", "мой  проект:9")["window"] == 9
    tree = work.json("tree", "мой  проект")
    assert [(each["index"], each["name"]) for each in tree["sessions"][0]["windows"]] == [
        (1, "日本 v1.0"),
        (2, "sleep"),
        (9, "my editor"),
    ]
    assert work.json("kill", "мой  проект:my editor")["killed"] == 1
    assert work.json("kill", "@3")["killed"] == 1


def test_kill_ends_several_targets_or_none(work):
    work.json("new-window", "work", "--", "sleep", "1000")
    work.json("new", "-s", "other", "--", "sleep", "1000")
    assert work("kill", "work:0", "nowhere", "other").code == 1
    assert len(work.json("ls")["sessions"]) == 2
    assert work.json("kill", "work:1", "work", "@2", "other", "other")["killed"] == 3
    assert work.json("ls")["sessions"] == []


def test_tree_without_json_draws_sessions_windows_and_panes(work):
    work.json("split", "work", "--", "sh", "-c", r"printf '\033]2;a\\b \033[31m title\007'; exec sleep 1000")
    work.json("new-window", "work", "--", "sh", "-c", "exit 3")
    work.json("new", "-s", "other", "--", "sleep", "1000")
    work.json("wait", "work:1", "--exit", "--timeout", "20")
    drawn = re.sub(r"\[\d+\]", "[PID]", work("tree").out).replace(str(work.cwd), "CWD")
    lines = drawn.splitlines()
    assert lines[0] == "work"
    assert lines[1] == "├─ 0: my editor *  80x24"
    assert lines[2] == "│  ├─ 0: @1 *  40x24  running  sleep[PID]  CWD"
    assert lines[3].startswith("│  └─ 1: @2  39x24  running  sleep[PID]  CWD")
    assert lines[4] == "└─ 1: sh  80x24"
    assert lines[5] == "   └─ 0: @3 *  80x24  dead (exit 3)  sh[PID]  CWD"
    assert lines[6] == "other *"
    assert "\033" not in drawn
    assert work("tree", "work:1").out.splitlines() == ["work", *work("tree").out.splitlines()[4:6]]


def test_a_target_limits_the_tree_to_a_session_or_a_pane(work):
    work.json("split", "work", "--", "sleep", "1000")
    work.json("new", "-s", "other", "--", "sleep", "1000")
    (session,) = work.json("tree", "@2")["sessions"]
    assert [pane["id"] for window in session["windows"] for pane in window["panes"]] == [2]
    (session,) = work.json("tree", "other")["sessions"]
    assert session["name"] == "other"
    assert work("tree", "nobody").code == 1


def test_verbs_without_json_print_the_place_of_a_pane_as_a_line(work):
    assert work("split", "work", "--", "sleep", "1000").out == "created pane @2 work:0.1 (my editor) 39x24\n"
    assert work("zoom", "@2").out == "pane @2 work:0.1 (my editor) 80x24, zoomed\n"
    assert work("swap", "@1", "@2").out == ("pane @1 work:0.1 (my editor) 39x24\npane @2 work:0.0 (my editor) 40x24\n")


def test_a_dot_selects_the_callers_pane(work):
    made = work.json("new-window", "work", "--", "sh")
    inside = f"@{made['terminal_id']}"
    phux = BIN / "phux"
    assert work("run", inside, f"{phux} split . -- sleep 1000 >/dev/null; {phux} resize . --width 20").code == 0
    (session,) = work.json("tree", "work:1")["sessions"]
    panes = session["windows"][0]["panes"]
    assert [(pane["id"], pane["cols"]) for pane in panes] == [(2, 20), (3, 59)]


def test_the_tree_is_cut_to_the_width_of_the_terminal(work):
    work.json("rename", "work:0", "日本語のエディタ")
    pane = work.json("new-window", "-n", "narrow", "work", "--", "sh")["terminal_id"]
    work.json("resize", f"@{pane}", "20x24")
    drawn = work("run", f"@{pane}", f"{BIN}/phux tree").out
    assert drawn.splitlines() == [
        "work *",
        "├─ 0: 日本語のエデ…",
        "│  └─ 0: @1 *  80x2…",
        "└─ 1: narrow  20x24",
        "   └─ 0: @2 *  20x2…",
    ]
    piped = work("run", f"@{pane}", f"{BIN}/phux tree | cat").out
    assert "├─ 0: 日本語のエディタ *  80x24" in piped


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (("split", "nobody"), "no_such_target", 1),
        (("split", "work:7"), "no_such_target", 1),
        (("split", "@99"), "no_such_target", 1),
        (("split", "work:"), "bad_selector", 1),
        (("split", "--size", "99", "work"), "bad_size", 1),
        (("split", "--size", "many", "work"), "bad_size", 1),
        (("split", "--right", "--down", "work"), "usage", 2),
        (("split",), "usage", 2),
        (("new-window", "nobody"), "no_such_target", 1),
        (("new-window", "work:0.0", "-n", "a/b"), "bad_name", 1),
        (("new-window", "work", "--", "no-such-program"), "cannot_execute", 1),
        (("new-window", "-c", "/no/where", "work"), "bad_cwd", 1),
        (("select", "work:0.7"), "no_such_target", 1),
        (("rename", "@1", "x"), "bad_request", 2),
        (("rename", "work", "other"), "name_in_use", 1),
        (("rename", "work", "@x"), "bad_name", 1),
        (("resize", "work"), "usage", 2),
        (("resize", "work", "0x10"), "bad_size", 1),
        (("resize", "work", "10x1001"), "bad_size", 1),
        (("resize", "work", "wide"), "usage", 2),
        (("resize", "work", "10x10", "--left", "3"), "usage", 2),
        (("resize", "work", "10x10", "--width", "3"), "usage", 2),
        (("resize", "work", "--left", "3", "--up", "3"), "usage", 2),
        (("resize", "work", "--left", "0"), "usage", 2),
        (("resize", "work", "--left", "3"), "bad_size", 1),
        (("resize", "work", "--policy", "whatever"), "usage", 2),
        (("move", "work", "other"), "bad_request", 2),
        (("move", "work:0", "work"), "refused", 2),
        (("move", "work:0", "work:0"), "refused", 2),
        (("move", "work:0", "@1"), "bad_request", 2),
        (("move", "@1", "@1"), "refused", 2),
        (("move", "@1", "nobody"), "no_such_target", 1),
        (("move", "@1"), "usage", 2),
        (("swap", "@1", "work:0"), "bad_request", 2),
        (("swap", "work", "other"), "bad_request", 2),
        (("swap", "@1", "@1"), "bad_request", 2),
        (("zoom", "nobody"), "no_such_target", 1),
        (("layout", "work", "spiral"), "usage", 2),
        (("tree", "nobody"), "no_such_target", 1),
        (("kill", "work:5"), "no_such_target", 1),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else str(value),
)
def test_bad_input_is_reported_and_changes_nothing(two, words, code, exit_code):
    cli, phux = two
    before = phux.tree()
    finished = cli(words[0], "--json", *words[1:])
    assert (finished.error["error"]["code"], finished.code) == (code, exit_code)
    assert phux.tree() == before


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    """A server with the sessions work and other, for tests of bad input."""
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        cli = Cli(server.socket, tmp_path_factory.mktemp("cwd"))
        cli.json("new", "-s", "work", "--", "sleep", "1000")
        cli.json("new", "-s", "other", "--", "sleep", "1000")
        yield cli, phux
