"""After a panic of a native engine, the service restarts, and only the pane that caused the panic changes its engine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from faults import PANIC, faulty_server
from servers import Cli, embedded_server, eventually


@pytest.fixture
def cli(tmp_path):
    with faulty_server(tmp_path, PANIC, "ghostty") as server:
        yield Cli(server.socket, tmp_path)


def test_the_pane_that_crashed_the_engine_continues_with_the_other_one(cli):
    cli.json("new", "-s", "well", "--", "cat")
    cli.json("new", "-s", "bad", "--", "sh", "-c", "while read line; do echo got $line; done")
    before = cli.json("status")
    assert before["engine_notes"] == []
    cli("send-keys", "bad", "CRASH-NOW", "Enter")
    after = eventually(lambda: (status := cli.json("status")) and status["service_restarts"] == 1 and status)
    assert after["service_pid"] != before["service_pid"]
    assert after["engine"] == "ghostty"
    assert after["engine_notes"] == [
        {"terminal": "@2", "engine": "pyte", "note": "the ghostty engine crashed on its output"}
    ]
    assert "@2 uses the pyte engine" in cli("status").out
    for name in ("well", "bad"):
        cli("send-keys", name, f"still {name}", "Enter")
        cli.json("wait", name, "--until", f"still {name}", "--timeout", "10")
    cli("send-keys", "bad", "CRASH-NOW", "Enter")
    cli.json("wait", "bad", "--until", "got CRASH-NOW", "--timeout", "10")
    assert cli.json("status")["service_restarts"] == 1


def test_doctor_and_the_log_report_why_ghostty_is_not_used(tmp_path, monkeypatch):
    (tmp_path / "pyghostty.py").write_text("")  # the module, but not its library
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with embedded_server() as server:
        cli = Cli(server.socket, tmp_path)
        assert cli.json("status")["engine"] == "pyte"
        assert engine_check(cli) == (True, "pyte is used")
        assert "the ghostty engine cannot be used" in Path(f"{server.socket}.log").read_text()
    ok, message = engine_check(cli)
    assert (ok, message.partition(":")[0]) == (True, "pyte will be used")
    assert "pyghostty is incomplete" in message
    ok, message = engine_check(cli, PHUX_ENGINE="ghostty")
    assert (ok, "pyghostty is incomplete" in message) == (False, True)


def engine_check(cli, **env):
    """Return doctor's check of the engine."""
    finished = cli("doctor", "--json", PYTHONPATH=os.environ["PYTHONPATH"], **env)
    (check,) = [check for check in finished.document["checks"] if check["name"] == "engine"]
    return check["ok"], check["message"]


def test_panes_keep_their_engine_after_the_service_was_killed(cli):
    cli.json("new", "-s", "flood", "--", "sh", "-c", "yes")
    status = cli.json("status")
    os.kill(status["service_pid"], 9)
    eventually(lambda: cli.json("status")["service_restarts"] == 1)
    assert cli.json("status")["engine_notes"] == []
