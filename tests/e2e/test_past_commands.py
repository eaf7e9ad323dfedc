"""Finding commands and output of the past, across servers and closed panes, by time, exit status and text."""

from __future__ import annotations

import json
import time

import pytest

from servers import Cli, eventually


@pytest.fixture(scope="module")
def past(tmp_path_factory):
    """A server with a closed pane and a live one, after another server that has ended."""
    tmp_path = tmp_path_factory.mktemp("past")
    state = tmp_path / "state"
    for number in range(2):
        runtime = tmp_path / f"run{number}"
        runtime.mkdir(mode=0o700)
        cli = Cli(str(runtime / "phux.sock"), tmp_path, {"XDG_STATE_HOME": str(state)})
        cli.json("new", "-d", "-s", "work", "--", "bash", "--norc")
        cli.json("new", "-d", "-s", "closed", "--", "bash", "--norc")
        cli("run", "work", f"echo fine {number}")
        cli("run", "work", f"echo broken in work {number}; (exit 3)")
        cli("run", "closed", f"echo broken in closed {number}; (exit {number + 1})")
        cli("kill", "closed")
        if number == 0:
            cli("kill", "--server")
            eventually(lambda: cli("ls").code == 1)  # noqa: B023
    yield cli
    cli("kill", "--server")


def test_commands_are_found_everywhere_by_time_exit_status_and_text(past):
    def lines(*flags):
        return [entry["command"].partition(";")[0] for entry in past.json("commands", *flags)["commands"]]

    assert lines() == ["echo fine 1", "echo broken in work 1"]
    everything = lines("--all")
    assert everything[-1] == "echo broken in closed 1"
    assert len(everything) == 6
    failed = ["echo broken in work 0", "echo broken in closed 0", "echo broken in work 1", "echo broken in closed 1"]
    assert lines("--all", "--failed") == failed
    assert lines("--failed") == failed[2:3]
    assert lines("--all", "--exit-code", "3") == [failed[0], failed[2]]
    assert lines("--all", "--exit-code", "0", "--grep", "fine [01]") == ["echo fine 0", "echo fine 1"]
    assert lines("--all", "--failed", "--since", "1h", "--max-commands", "2") == failed[2:]
    assert lines("--all", "--since", "today", "--until", "-1h") == []
    assert lines("--all", "--until", "yesterday") == []
    (first, *_, last) = past.json("commands", "--all")["commands"]
    assert past("output", first["command_id"]).out == "fine 0\n"
    at = last["started_at"].partition(".")[0] + "Z"
    assert failed[-1] in lines("--all", "--since", at)
    assert past("commands", "work", "--all", "--json").error["error"]["code"] == "bad_request"
    assert past("commands", "--since", "soon", "--json").error["error"]["code"] == "bad_request"
    assert past("commands", "--grep", "(").code == 2


def test_output_is_found_everywhere_by_time_and_exit_status(past):
    def texts(*flags):
        found = past("search", "^(fine|broken)", *flags, "--json").out
        return sorted(match["text"] for match in json.loads(found)["matches"])

    assert texts() == ["broken in work 1", "fine 1"]
    assert texts("--failed") == ["broken in work 1"]
    past("run", "work", "echo after a failure")
    assert json.loads(past("search", "after", "--failed", "--json").out)["matches"] == []
    (match,) = past.json("search", "^after")["matches"]
    assert past("output", match["command_id"]).out == "after a failure\n"
    failed = ["broken in closed 0", "broken in closed 1", "broken in work 0", "broken in work 1"]
    assert texts("--all", "--failed") == failed
    assert texts("--all", "--exit-code", "1") == ["broken in closed 0"]
    assert texts("--all", "--since", "1h") == sorted([*failed, "fine 0", "fine 1"])
    assert texts("--all", "--until", "1h") == []
    now = time.time()
    past("run", "work", "echo broken later; false")
    matches = past.json("search", "^broken later", "--failed", "--since", "1m")["matches"]
    (match,) = matches
    assert match["at"] > "2026"
    assert past("output", match["command_id"]).out == "broken later\n"
    assert time.time() >= now
    past("kill", "--server")
    eventually(lambda: past("ls").code == 1)
    # Without a server.
    assert texts("--failed") == sorted([*failed, "broken later"])
    assert len(past.json("commands", "--all", "--failed")["commands"]) == 5
    assert len(past.json("commands", "--failed")["commands"]) == 3  # those of the newest server
