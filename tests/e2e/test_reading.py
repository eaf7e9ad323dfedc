"""``ls``, ``snapshot``, ``status``, ``wait`` and ``schema`` through the installed script."""

from __future__ import annotations

import json

import pytest

from outers import PHUX, OwnTerminal, environment
from phux_client import blocking, flows
from phux_core import engine as engines
from phux_core import schema
from phux_core.errors import PhuxError
from servers import BIN, Cli, embedded_server, eventually
from validation import validate


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One server for tests that only read their own session."""
    with embedded_server("ghostty") as server:
        yield Cli(server.socket, tmp_path_factory.mktemp("cwd"))


def run_to_the_end(cli, name, script, *options):
    cli.json("new", "-s", name, *options, "--", "sh", "-c", script)
    return cli.json("wait", name, "--exit", "--timeout", "10")


def test_ls_sorts_by_name(cli):
    for name in ("b", "a", "C"):
        cli.json("new", "-s", name)
    assert [session["name"] for session in cli.json("ls")["sessions"]] == ["C", "a", "b"]
    run_to_the_end(cli, "d", "true")
    assert cli("ls").out == "C: 1 window\na: 1 window\nb: 1 window\nd: 1 window (ended)\n"


def test_a_missing_socket_directory_means_no_server_and_is_not_created(tmp_path):
    cli = Cli(str(tmp_path / "nowhere" / "phux.sock"), tmp_path)
    assert cli("ls", "--json").error["error"]["code"] == "no_server"
    assert not (tmp_path / "nowhere").exists()


def test_snapshot_has_exactly_the_rows_of_the_screen_right_trimmed(shared):
    screen = run_to_the_end(shared, "rows", r"printf 'one   \n\n  three'", "--size", "20x5")
    assert screen["lines"] == ["one", "", "  three", "", ""]
    assert screen["cursor"] == {"x": 7, "y": 2, "visible": True}
    assert (screen["state"], screen["exit_status"], screen["alt_screen"]) == ("dead", 0, False)
    assert screen["scrollback"] == []
    assert "cells" not in screen


def test_a_snapshot_has_the_key_order_of_the_contract(shared):
    run_to_the_end(shared, "order", "printf x", "--size", "20x5")
    finished = shared("snapshot", "order", "--json", "--cells")
    keys = list(json.loads(finished.out))
    contract = ["schema_version", "pane", "cols", "rows", "cursor", "lines", "scrollback", "cells"]
    assert keys[: len(contract)] == contract
    assert finished.out.startswith('{\n  "schema_version": 3,\n')


def test_snapshot_prints_no_scrollback_all_of_it_or_the_newest_rows(shared):
    run_to_the_end(shared, "history", "seq 1 100", "--size", "20x5")
    assert shared.json("snapshot", "history")["scrollback"] == []
    everything = [str(number) for number in range(1, 97)]
    for flag in ("--scrollback", "--scrollback=0"):
        assert shared.json("snapshot", flag, "history")["scrollback"] == everything
        assert shared.json("snapshot", "history", flag)["scrollback"] == everything
    assert shared.json("snapshot", "history", "--scrollback", "3")["scrollback"] == ["94", "95", "96"]
    assert shared.json("snapshot", "history", "--scrollback=3")["scrollback"] == ["94", "95", "96"]
    assert shared.json("snapshot", "history", "--scrollback", "5000")["scrollback"] == everything


def test_cells_are_sparse_and_carry_styles(shared):
    script = r"printf 'a\033[1;31mb\033[0m \033[38;2;1;2;3;48;5;200m漢\033[m'"
    run_to_the_end(shared, "cells", script, "--size", "20x2")
    cells = shared.json("snapshot", "cells", "--cells")["cells"]
    assert [(cell["row"], cell["col"]) for cell in cells] == [(0, 1), (0, 3)]
    assert cells[0]["style"]["bold"] is True
    assert cells[0]["style"]["fg"] == {"kind": "palette", "index": 1}
    assert cells[0]["style"]["bg"] == {"kind": "default"}
    assert cells[1]["style"]["fg"] == {"kind": "rgb", "r": 1, "g": 2, "b": 3}
    assert cells[1]["style"]["bg"] == {"kind": "palette", "index": 200}
    run_to_the_end(shared, "plain", "printf plain")
    assert shared.json("snapshot", "plain", "--cells")["cells"] == []


def test_soft_wrapped_rows_are_marked(shared):
    screen = run_to_the_end(shared, "wrap", "printf '%025d\nx' 0", "--size", "10x5")
    assert screen["lines"][:4] == ["0" * 10, "0" * 10, "0" * 5, "x"]
    assert screen["soft_wrap"] == {"lines": [0, 1], "scrollback": []}


def test_a_snapshot_has_a_title_only_after_one_was_set(shared):
    assert "title" not in run_to_the_end(shared, "untitled", "true")
    assert run_to_the_end(shared, "titled", r"printf '\033]2;my title\007'")["title"] == "my title"


def test_a_snapshot_has_a_box_on_a_terminal_and_plain_rows_in_a_pipe(shared):
    run_to_the_end(shared, "box", "seq 3; printf '漢字 ok'; exit 3", "--size", "12x2")
    pane = shared.json("snapshot", "box")["pane"]
    with OwnTerminal([PHUX, "snapshot", "box"], environment(shared.socket)) as terminal:
        assert terminal.wait() == 0
        assert terminal.screen()[:4] == [
            "┌─" + f" @{pane} (exited with 3)"[:11] + "┐",
            "│3           │",
            "│漢字 ok     │",
            "└────────────┘",
        ]
    assert shared("snapshot", "box").out == "3\n漢字 ok\n"
    assert shared("snapshot", "box", "--scrollback").out == "1\n2\n3\n漢字 ok\n"
    run_to_the_end(shared, "blank", "printf 'x\n\n y  '", "--size", "12x4")
    assert shared("snapshot", "blank").out == "x\n\n y\n\n", "blank rows are printed, too"


def test_output_is_utf8_in_any_locale(shared):
    run_to_the_end(shared, "utf8", "printf '漢'")
    for variables in ({"LC_ALL": "C"}, {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"}):
        assert shared.json("snapshot", "utf8", **variables)["lines"][0] == "漢"
        assert "漢" in shared("snapshot", "utf8", **variables).out


def test_every_form_of_target_selects_a_pane(cli):
    cli.json("new", "-s", "work")
    cli.json("new", "-s", "other")
    for target in ("work", "work:0", "work:0.0", "@1", "work:sh", "work:sh.0"):
        assert cli.json("snapshot", target)["pane"] == 1, target
    for target in ("=", ".", "other"):
        assert cli.json("snapshot", target)["pane"] == 2, target
    assert cli.json("snapshot")["pane"] == 2


def test_a_dot_is_the_callers_pane_if_it_belongs_to_this_server(cli):
    cli.json("new", "-s", "work")
    cli.json("new", "-s", "other")
    assert cli.json("snapshot", ".", PHUX_PANE="@1")["pane"] == 1
    cli.env["PHUX_SOCKET"] = "/elsewhere/phux.sock"
    assert cli.json("snapshot", ".", "--socket", cli.socket, PHUX_PANE="@1")["pane"] == 2


def test_phux_inside_a_pane_finds_its_own_server_and_pane(cli):
    script = f"{BIN}/phux snapshot . --json | grep pane; {BIN}/phux ls"
    screen = run_to_the_end(cli, "inner", script)
    assert any(line.strip() == '"pane": 1,' for line in screen["lines"])
    assert "inner: 1 window" in screen["lines"]


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("nothere", "no_such_target"),
        ("@99", "no_such_target"),
        ("w:7", "no_such_target"),
        ("w:0.7", "no_such_target"),
        ("w:nowindow", "no_such_target"),
        ("", "bad_selector"),
        ("@", "bad_selector"),
        ("@x", "bad_selector"),
        ("@99999999999", "bad_selector"),
        (":1", "bad_selector"),
        ("w:", "bad_selector"),
        ("#tag", "bad_selector"),
        ("%1", "bad_selector"),
    ],
)
def test_invalid_and_missing_targets_have_different_errors(shared, target, code):
    with blocking.connect(shared.socket) as phux:
        if "w" not in [session.name for session in phux.sessions()]:
            phux.new_session("w", command=["cat"])
        with pytest.raises(PhuxError) as caught:
            phux.pane(target)
    assert caught.value.code == code
    assert caught.value.remedy


def test_an_error_in_the_target_exits_1(shared):
    for target, code in (("nothere", "no_such_target"), ("@x", "bad_selector")):
        finished = shared("snapshot", "--json", target)
        assert (finished.code, finished.error["error"]["code"]) == (1, code)


def test_status_reports_processes_engine_socket_and_counts(cli):
    cli.json("new", "-s", "work")
    run_to_the_end(cli, "dead", "true")
    status = cli.json("status")
    assert (status["sessions"], status["windows"], status["panes"], status["dead_panes"]) == (2, 2, 2, 1)
    assert status["socket"] == cli.socket
    assert status["engine"] == engines.choose(None)
    assert status["service_restarts"] == 0
    assert status["clients"] == 1
    for name in ("keeper_pid", "service_pid"):
        with open(f"/proc/{status[name]}/cmdline", "rb") as file:
            assert b"phux_core" in file.read()
    assert f"socket            {cli.socket}" in cli("status").out


def test_status_reports_the_memory_of_the_server(cli):
    run_to_the_end(cli, "dead", "seq 1 1000")
    assert cli("new", "-d", "-s", "live", "--", "cat").code == 0
    eventually(lambda: cli.json("status")["memory"]["engines"] >= 1)
    cli("kill", "live")
    assert cli.json("snapshot", "dead")["lines"]
    memory = eventually(lambda: (now := cli.json("status")["memory"])["engines"] == 0 and now)
    assert memory["journal_bytes"] > 1000
    assert memory["checkpoint_bytes"] > 100
    assert memory["service_bytes"] > 2**20
    assert memory["keeper_bytes"] > 2**20
    eventually(lambda: cli.json("status")["memory"]["log_directories"] == 2)
    assert " MiB, 0 engines, 2 log directories" in cli("status").out


def test_wait_returns_when_the_text_appears(shared):
    shared.json("new", "-s", "later", "--", "sh", "-c", "sleep 0.3; echo re''ady; cat")
    screen = shared.json("wait", "later", "--until", "ready", "--timeout", "10")
    assert "ready" in screen["lines"]


def test_wait_finds_a_text_wrapped_at_the_edge(shared):
    shared.json("new", "-s", "narrow", "--size", "10x5", "--", "sh", "-c", "printf 0123456789abcdef; cat")
    assert shared("wait", "narrow", "--until", "789abc", "--timeout", "10").code == 0


def test_wait_exits_with_124_at_its_timeout_and_still_prints_the_screen(shared):
    shared.json("new", "-s", "quiet", "--", "cat")
    finished = shared("wait", "--json", "quiet", "--until", "never", "--timeout", "0.2")
    assert finished.code == 124
    assert finished.document["state"] == "awaiting_input"
    error = json.loads(finished.err.splitlines()[-1])
    validate("error", error)
    assert (error["error"]["code"], error["exit_code"]) == ("timed_out", 124)
    assert "timeout of 0.2 s" in error["error"]["message"]
    assert shared("wait", "quiet", "--until", "never", "--timeout", "0").code == 124


def test_wait_for_the_end_returns_an_exit_status_unless_a_signal_ended_the_program(shared):
    assert run_to_the_end(shared, "seven", "exit 7")["exit_status"] == 7
    assert "exit_status" not in run_to_the_end(shared, "killed", "kill -9 $$")


def test_all_output_is_available_when_the_end_is_reported(shared):
    screen = run_to_the_end(shared, "flood", "seq 1 20000")
    assert screen["lines"][22] == "20000"
    assert len(shared.json("snapshot", "flood", "--scrollback")["scrollback"]) == 10_000


def test_schema_lists_names_and_accepts_those_of_shapes(shared):
    assert shared("schema").out.split() == schema.names()
    assert json.loads(shared("schema", "ScreenState").out) == json.loads(schema.read("screen-state.v3"))
    finished = shared("schema", "nonsense", "--json")
    assert finished.code == 2
    assert "screen-state.v3" in finished.error["remedy"]


def test_the_tree_document_is_valid(socket, tmp_path):
    with blocking.connect(socket) as phux:
        phux.new_session("work", command=["cat"], cwd=str(tmp_path)).pane.wait(state="awaiting_input", timeout_s=10)
        tree = phux.drive(flows.tree())
    validate("tree", tree)
    (pane,) = tree["sessions"][0]["windows"][0]["panes"]
    assert (pane["command"], pane["cwd"], pane["state"], pane["index"]) == ("cat", str(tmp_path), "awaiting_input", 0)
