"""Trajectories: one document for each action in a real session, as the schema describes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from phux_client import blocking, flows, stored_logs
from phux_core import schema
from servers import Cli, embedded_server

SECRET = "swordfish"
ASK = "import getpass; getpass.getpass(); print('thanks')"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(schema.read("trajectory-action")))


def actions(document):
    found = [json.loads(line) for line in document.splitlines()]
    for action in found:
        VALIDATOR.validate(action)
        assert set(action) <= set(VALIDATOR.schema["properties"])
        assert action["seq"]["start"] <= action["seq"]["end"]
        if action["ended_at"] is not None:
            assert action["started_at"] <= action["ended_at"]
            assert action["duration_ms"] >= 0
    assert [action["started_at"] for action in found] == sorted(action["started_at"] for action in found)
    return found


def texts(action):
    return [row["text"] for row in action["changed"]]


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "fish"])
def test_commands_have_their_line_changes_output_state_and_exit_code(open_shell, shell):
    pane = open_shell(shell)
    ran = pane.run("echo one; sh -c 'exit 3'", timeout_s=20)
    pane.act("echo t", state="prompt", timeout_s=20)
    pane.act("wo", "Enter", regex="^two", timeout_s=20)
    pane.wait(state="prompt", timeout_s=20)
    pane.run("seq 300", timeout_s=20)
    first, second, third = (
        action
        for action in actions(pane.export("trajectory"))
        if action.get("command_id", "").startswith(f"{pane.id}.")
    )
    assert (first["typed"], first["output"], first["exit_code"]) == ("echo one; sh -c 'exit 3'", "one", 3)
    assert (first["seq"], first["command_id"]) == ({"start": ran.seq.start, "end": ran.seq.end}, ran.command_id)
    assert (second["typed"], second["output"], second["exit_code"]) == ("echo two", "two", 0)
    assert "one" in texts(first)
    assert "two" in texts(second)
    assert (first["state"], second["kind"], third["truncated"]) == ("prompt", "command", False)
    assert third["output"].split() == [str(number) for number in range(1, 301)]
    assert "300" in texts(third)


def test_input_is_an_action_unless_it_is_secret(phux, open_shell, tmp_path):
    pane = open_shell("bash")
    pane.act("C-c", "Enter", state="prompt", timeout_s=20)
    pane.act("cat", "Enter", state="awaiting_input", timeout_s=20)
    pane.act("first", "Enter", until="first", timeout_s=20)
    pane.act("second", "Enter", until="second", timeout_s=20)
    pane.act("C-d", state="prompt", timeout_s=20)
    middle = pane.snapshot().seq
    pane.act(f'python3 -c "{ASK}"', "Enter", state="awaiting_secret", timeout_s=20)
    pane.act(SECRET, "Enter", until="thanks", timeout_s=20)
    pane.wait(state="prompt", timeout_s=20)
    document = pane.export("trajectory")
    assert SECRET not in document
    found = actions(document)
    cat = next(number for number, action in enumerate(found) if action["typed"] == "cat")
    inputs = [action for action in found[cat + 1 :] if action["kind"] == "input"]
    assert [action["typed"] for action in inputs] == ["first\r", "second\r", "\x04"]
    assert [action["state"] for action in inputs[:2]] == ["awaiting_input"] * 2
    assert all(set(texts(action)) == {word} for action, word in zip(inputs, ("first", "second"), strict=False))
    assert {"output", "command_id"}.isdisjoint(inputs[0])
    assert (found[cat]["output"], found[cat]["exit_code"]) == ("first\nfirst\nsecond\nsecond", 0)
    assert (found[-1]["kind"], found[-1]["output"].split()[-1], found[-1]["state"]) == ("command", "thanks", "prompt")

    (last,) = actions(pane.export("trajectory", start=middle))
    assert last == found[-1]
    running = pane.start("sleep 1000")
    *_others, still = actions(pane.export("trajectory"))
    assert (still["command_id"], still["ended_at"], still["exit_code"]) == (running.command_id, None, None)
    pane.signal("INT")
    pane.wait(state="prompt", timeout_s=20)
    pane.act("exit 7", "Enter", timeout_s=20)
    pane.wait(exit=True, timeout_s=20)
    *_others, ended = actions(pane.export("trajectory"))
    assert (ended["typed"], ended["state"], ended["exit_code"]) == ("exit 7", "dead", 7)

    printed = Cli(phux.socket, tmp_path)("export", pane.selector, "--format", "trajectory")
    assert (printed.code, printed.out) == (0, pane.export("trajectory"))
    directory = phux.status().logs.directory
    log = pane.logs().log
    pane.kill()
    assert phux.export(log, "trajectory") == printed.out
    assert stored_logs.drive(flows.export(stored_logs.CALLER, log, "trajectory"), directory) == printed.out


def test_actions_whose_output_is_missing_in_the_log_are_reported_without_it():
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("work", command=["bash"]).pane
        pane.run("echo first")
        pane.run("seq 3000000", timeout_s=60)
        pane.run("echo last")
        logs = phux.status().logs
        pane.kill()
        sorted(Path(logs.directory, logs.server, f"pane-{pane.id}").glob("*.log"))[1].unlink()
        found = actions(stored_logs.drive(flows.export(stored_logs.CALLER, "@1", "trajectory"), logs.directory))
    assert [action["typed"] for action in found] == ["echo first", "seq 3000000", "echo last"]
    assert (found[0]["output"], found[-1]["output"]) == ("first", "last")
    assert found[1]["truncated"]
