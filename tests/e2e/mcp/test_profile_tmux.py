"""``--profile tmux``: the fourteen tools of the tmux-mcp design, with its names, parameters and texts."""

from __future__ import annotations

import re
import time

import pytest

from servers import eventually

SIGNATURES = {
    "tmux_list_sessions": ([], []),
    "tmux_create_session": (["name", "command", "window_name"], ["name"]),
    "tmux_rename_session": (["old_name", "new_name"], ["old_name", "new_name"]),
    "tmux_kill": (["target", "type"], ["target"]),
    "tmux_list_windows": (["session"], []),
    "tmux_create_window": (["session", "name", "command"], ["session"]),
    "tmux_select_window": (["target"], ["target"]),
    "tmux_rename_window": (["target", "new_name"], ["target", "new_name"]),
    "tmux_list_panes": (["target"], []),
    "tmux_split_window": (["target", "horizontal", "size", "command"], ["target"]),
    "tmux_select_pane": (["target"], ["target"]),
    "tmux_resize_pane": (["target", "direction", "amount", "width", "height"], ["target"]),
    "tmux_send_keys": (["target", "keys", "literal"], ["target", "keys"]),
    "tmux_read_pane": (["target", "line_count", "start_line"], ["target"]),
}


@pytest.fixture
def tmux(start_host):
    return start_host("--profile", "tmux").begin("2025-11-25")


@pytest.fixture
def work(tmux):
    made = tmux.text("tmux_create_session", name="work", window_name="main")
    assert made == "Session 'work' created. session_id=$1 window_id=@1 pane_id=%1"
    return tmux


@pytest.fixture(scope="module")
def shared_host(start_shared):
    """A host with one session, shared by tests that do not change the windows."""
    host = start_shared("--profile", "tmux").begin("2025-11-25")
    host.text("tmux_create_session", name="work", window_name="main")
    return host


def test_the_tools_and_their_parameters_match_the_design(shared_host):
    tools = {tool["name"]: tool["inputSchema"] for tool in shared_host.result("tools/list")["tools"]}
    assert list(tools) == list(SIGNATURES)
    for name, (parameters, required) in SIGNATURES.items():
        assert list(tools[name]["properties"]) == parameters
        assert tools[name].get("required", []) == required


def test_optional_parameters_have_the_defaults_of_the_design_and_accept_a_default_of_null(work):
    tools = {tool["name"]: tool["inputSchema"]["properties"] for tool in work.result("tools/list")["tools"]}
    assert tools["tmux_resize_pane"]["amount"]["default"] == 5
    assert tools["tmux_kill"]["type"]["default"] == "pane"
    assert tools["tmux_split_window"]["horizontal"]["default"] is False
    assert tools["tmux_create_session"]["command"]["default"] is None
    assert "default" not in tools["tmux_create_session"]["name"]
    assert work.text("tmux_split_window", target="work", size=None, command=None).startswith("Pane created.")
    assert len(work.text("tmux_list_panes", target=None).splitlines()) == 2
    assert work.text("tmux_resize_pane", target="%1", direction="up", amount=-1) == "Error: adjustment too small"


def test_every_revision_lists_all_tools(start_host):
    for revision in ("2024-11-05", "2026-07-28"):
        host = start_host("--profile", "tmux").begin(revision)
        assert [tool["name"] for tool in host.result("tools/list")["tools"]] == list(SIGNATURES)


def test_tools_beyond_the_safety_level_are_not_listed(start_host):
    host = start_host("--profile", "tmux", "--safety", "mutating").begin("2025-11-25")
    assert {tool["name"] for tool in host.result("tools/list")["tools"]} == set(SIGNATURES) - {"tmux_kill"}


def test_tabs_separate_the_fields_of_lists(work):
    work.text("tmux_create_session", name="alpha")
    sessions = [line.split("\t") for line in work.text("tmux_list_sessions").splitlines()]
    assert [line[:4] for line in sessions] == [
        ["$2", "alpha", "1 windows", "0 attached"],
        ["$1", "work", "1 windows", "0 attached"],
    ]
    assert abs(int(sessions[0][4]) - time.time()) < 60
    work.text("tmux_kill", target="alpha", type="session")
    assert work.text("tmux_list_windows") == "work\t0\t@1\tmain\t1\t1 panes\t%1"
    assert work.text("tmux_list_panes") == "work\t0\t%1\t0\t80x24\t1\tsh"
    assert work.text("tmux_list_windows", session="$1") == work.text("tmux_list_windows", session="work")


def test_empty_lists_are_reported_as_text(tmux):
    assert tmux.text("tmux_list_sessions") == "No sessions found."
    assert tmux.text("tmux_list_windows") == "No windows found."
    assert tmux.text("tmux_list_panes") == "No panes found."


def test_windows_and_panes_can_be_created_selected_renamed_and_listed(work):
    made = work.text("tmux_create_window", session="work", name="logs", command="cat")
    assert made == "Window created in session 'work'. window_id=@2 window_index=1 pane_id=%2"
    assert work.text("tmux_split_window", target="work:0") == "Pane created. pane_id=%3"
    assert work.text("tmux_split_window", target="%3", horizontal=True, size="30%") == "Pane created. pane_id=%4"
    panes = [line.split("\t") for line in work.text("tmux_list_panes", target="work:0").splitlines()]
    assert [pane[2] for pane in panes] == ["%1", "%3", "%4"]
    assert [pane[5] for pane in panes] == ["0", "0", "1"]  # the newest pane has the focus
    assert len(work.text("tmux_list_panes", target="work").splitlines()) == 4
    assert work.text("tmux_select_pane", target="%1") == "Selected pane '%1'."
    assert work.text("tmux_select_window", target="@2") == "Switched to '@2'."
    assert work.text("tmux_list_windows").splitlines()[1].split("\t")[4] == "1"
    assert work.text("tmux_rename_window", target="work:logs", new_name="tail") == "Window renamed to 'tail'."
    assert "\ttail\t" in work.text("tmux_list_windows")
    assert work.text("tmux_rename_session", old_name="work", new_name="play") == "Session renamed to 'play'."
    assert work.text("tmux_list_sessions").startswith("$1\tplay\t")


@pytest.mark.parametrize(
    "target",
    [
        "work",
        "wo",
        "w*",
        "wo:ma",
        "work:^",
        "=work",
        "$1",
        "work:",
        "work:main",
        ":main",
        "main",
        "0",
        ".0",
        ":0.0",
        "@1",
        "%1",
    ],
)
def test_every_form_of_target_selects_the_pane(shared_host, target):
    shared_host.text("tmux_send_keys", target=target, keys=f"to {target}")
    eventually(lambda: f"to {target}" in shared_host.text("tmux_read_pane", target="%1"))
    shared_host.text("tmux_send_keys", target="%1", keys="C-u")


def test_sessions_have_the_names_that_tmux_gives_them(work):
    made = work.text("tmux_create_session", name="feature/x:1.2", window_name="a/b:c")
    assert made.startswith("Session 'feature/x:1.2' created.")
    assert "\tfeature/x_1_2\t" in work.text("tmux_list_sessions")
    assert work.text("tmux_list_windows", session="feature/x_1_2").split("\t")[3] == "a/b:c"
    assert work.text("tmux_create_session", name="feature/x.1_2") == "Error: duplicate session: feature/x_1_2"
    assert work.text("tmux_rename_session", old_name="feat", new_name="work") == "Error: duplicate session: work"
    assert "%1" in work.text("tmux_send_keys", target="%1", keys="x" * 20_000, literal=True)


def test_a_pane_is_resized_by_direction_or_size(work):
    work.text("tmux_split_window", target="work")
    before = work.text("tmux_list_panes").splitlines()[0]
    assert work.text("tmux_resize_pane", target="%1", direction="right", amount=5) == "Pane '%1' resized."
    after = work.text("tmux_list_panes").splitlines()[0]
    width = re.compile(r"\t(\d+)x")
    assert int(width.search(after)[1]) == int(width.search(before)[1]) + 5
    work.text("tmux_resize_pane", target="%1", width=30)
    assert "\t30x" in work.text("tmux_list_panes").splitlines()[0]
    wrong = "Error: direction must be 'up', 'down', 'left', or 'right'."
    assert work.text("tmux_resize_pane", target="%1", direction="sideways") == wrong
    assert work.text("tmux_resize_pane", target="%1") == wrong


def test_keys_are_typed_and_the_screen_is_read(work):
    for keys in ("seq 1 50; echo $((6*7))", "Enter"):
        assert work.text("tmux_send_keys", target="work:0.0", keys=keys) == "Keys sent."
    eventually(lambda: "42" in work.text("tmux_read_pane", target="%1").splitlines())
    assert "1" not in work.text("tmux_read_pane", target="%1").splitlines()
    screen = work.text("tmux_read_pane", target="%1")
    assert (len(screen.splitlines()), screen[-1]) == (24, "\n")
    # As in tmux, the last row is line_count rows after the first.
    assert work.text("tmux_read_pane", target="%1", line_count=3).splitlines() == screen.splitlines()[:4]
    assert (
        work.text("tmux_read_pane", target="%1", start_line=2, line_count=-1).splitlines() == screen.splitlines()[1:3]
    )
    history = work.text("tmux_read_pane", target="%1", start_line=-100).splitlines()
    assert "1" in history
    assert history[-24:] == screen.splitlines()
    assert work.text("tmux_read_pane", target="%1", start_line=-2, line_count=1).splitlines() == history[-26:-24]
    work.text("tmux_send_keys", target="%1", keys="Enter", literal=True)
    eventually(lambda: work.text("tmux_read_pane", target="%1").rstrip().endswith("Enter"))


@pytest.mark.parametrize(
    ("tool", "arguments", "text"),
    [
        ("tmux_create_session", {"name": "work"}, "Error: duplicate session: work"),
        ("tmux_list_windows", {"session": "no"}, "Error: can't find session: no"),
        ("tmux_create_window", {"session": "no"}, "Error: can't find session: no"),
        ("tmux_list_panes", {"target": "no"}, "Error: can't find window: no"),
        ("tmux_list_windows", {"session": "=wo"}, "Error: can't find session: wo"),
        ("tmux_rename_session", {"old_name": "work", "new_name": ""}, "Error: invalid session: "),
        ("tmux_list_panes", {"target": "no:0"}, "Error: can't find session: no"),
        ("tmux_split_window", {"target": "no"}, "Error: can't find pane: no"),
        ("tmux_send_keys", {"target": "no", "keys": "x"}, "Error: can't find pane: no"),
        ("tmux_kill", {"target": "no", "type": "session"}, "Error: can't find session: no"),
        ("tmux_kill", {"target": "no", "type": "window"}, "Error: can't find window: no"),
        ("tmux_select_window", {"target": "work:9"}, "Error: can't find window: 9"),
        ("tmux_select_window", {"target": "@99"}, "Error: can't find window: @99"),
        ("tmux_read_pane", {"target": "%99"}, "Error: can't find pane: %99"),
        ("tmux_read_pane", {"target": "work:0.7"}, "Error: can't find pane: 7"),
        ("tmux_kill", {"target": "work", "type": "server"}, "Error: type must be 'session', 'window', or 'pane'."),
    ],
)
def test_failures_are_returned_as_text_with_the_message_of_tmux(shared_host, tool, arguments, text):
    assert shared_host.text(tool, **arguments) == text


def test_kill_ends_a_pane_a_window_or_a_session(work):
    work.text("tmux_split_window", target="work")
    assert work.text("tmux_kill", target="%2") == "Pane '%2' killed."
    work.text("tmux_create_window", session="work")
    assert work.text("tmux_kill", target="work:1", type="window") == "Window 'work:1' killed."
    assert work.text("tmux_kill", target="work", type="session") == "Session 'work' killed."
    assert work.text("tmux_list_sessions") == "No sessions found."


def test_invalid_arguments_of_the_profile_are_rejected(shared_host):
    assert shared_host.failure("tmux_read_pane").startswith("Error: ")
    assert "has no parameter 'pane'" in shared_host.failure("tmux_read_pane", target="%1", pane=1)
    assert "needs the parameter `target`" in shared_host.failure("tmux_read_pane")


def test_a_server_is_started_if_none_is_running(start_host, cli, runtime):
    socket = str(runtime / "phux" / "phux.sock")
    host = start_host("--profile", "tmux", PHUX_SOCKET=socket).begin("2025-11-25")
    try:
        assert host.text("tmux_create_session", name="first").startswith("Session 'first' created.")
    finally:
        assert cli("kill", "--server", PHUX_SOCKET=socket).code == 0
