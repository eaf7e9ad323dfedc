"""``run`` while the service dies: the command runs once, and its caller gets the result.

Each test has its own server, because a keeper whose service dies repeatedly waits before it starts another.
"""

from __future__ import annotations

import os
import signal

import pytest

from phux_client import blocking, flows
from phux_core import errors
from rawwire import RawClient
from servers import embedded_server, eventually
from shell_panes import INTEGRATED, SHELLS, running, wait_for_program


@pytest.fixture
def phux():
    with embedded_server() as server, blocking.Phux(server.socket) as phux:
        yield phux


def kill_service(phux):
    os.kill(phux.status().service_pid, signal.SIGKILL)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_run_survives_a_service_death_while_its_command_runs(open_shell, phux, shell, tmp_path):
    pane = open_shell(shell)
    assert pane.run("echo first; sh -c 'exit 7'").exit_code == 7, "the next service reads this command's end again"
    restarts = phux.status().service_restarts
    with running(pane, "echo before; env sleep 1; echo x >> count; echo after; sh -c 'exit 6'") as outcome:
        wait_for_program(pane, "sleep")
        kill_service(phux)
    assert (outcome[0].output, outcome[0].exit_code) == ("before\nafter", 6)
    assert (tmp_path / "count").read_text() == "x\n", "the command ran once"
    assert phux.status().service_restarts == restarts + 1
    assert pane.run("echo usable").output == "usable"


def test_a_command_that_timed_out_is_an_ordinary_program_to_the_next_service(open_shell, phux):
    pane = open_shell("bash")
    pane.start("env sleep 100")
    wait_for_program(pane, "sleep")
    kill_service(phux)
    for _ in range(2):
        with pytest.raises(errors.BusyError, match="sleep"):
            pane.run("echo hi", timeout_s=20)
    with pytest.raises(errors.BusyError, match="sleep"):
        pane.start("echo hi")


def test_other_runs_queue_after_a_run_that_is_still_awaited(open_shell, phux):
    pane = open_shell("bash")
    with running(pane, "until [ -e go ]; do env sleep 0.05; done; echo first") as first:
        wait_for_program(pane, "sleep")
        kill_service(phux)
        with running(pane, "echo second", timeout_s=30) as second:
            pane.wait(idle_ms=1500, timeout_s=10)  # longer than a caller takes to connect again
            assert second == []
            pane._phux.new_session(None, command=["touch", "go"], cwd=pane.info().cwd)
    assert [one.output for one in (*first, *second)] == ["first", "second"]


def test_a_run_survives_a_service_death_after_a_resize(open_shell, phux):
    pane = open_shell("bash")
    with running(pane, "echo begin; env sleep 1; echo second") as outcome:
        wait_for_program(pane, "sleep")
        pane.resize(70, 20)
        kill_service(phux)
    # The journal starts again at the new size. The log has the earlier output.
    result = outcome[0]
    assert (result.output, result.omitted_bytes, result.exit_code) == ("begin\nsecond", 0, 0)


def test_output_is_complete_after_a_resize_without_a_log(phux):
    pane = phux.new_session("unlogged", command=["bash", "--norc"], log=False).pane
    with running(pane, "echo begin; env sleep 1; echo second") as outcome:
        wait_for_program(pane, "sleep")
        pane.resize(70, 20)
        kill_service(phux)
    assert (outcome[0].output, outcome[0].omitted_bytes) == ("begin\nsecond", 0)


@pytest.mark.parametrize("shell", INTEGRATED)
def test_a_line_typed_before_a_service_death_and_read_after_it_runs_once(open_shell, phux, shell, tmp_path):
    pane = open_shell(shell)
    pid = pane.info().pid
    params = {"pane": pane.id, "id": "once", "command": "echo x >> count; echo mine; sh -c 'exit 4'"}
    os.kill(pid, signal.SIGSTOP)
    try:
        with RawClient(phux.socket) as client:
            client.send({"id": 1, "call": "run", "params": params})
            for number in (2, 3):  # the second is answered after the line of the run was typed
                client.send({"id": number, "call": "status"})
                client.receive()
            kill_service(phux)
        phux.tree()
    finally:
        os.kill(pid, signal.SIGCONT)
    reply = phux.request(flows.Request("run", **params))
    assert (reply["output"], reply["exit_code"]) == ("mine", 4)
    assert (tmp_path / "count").read_text() == "x\n", "the command ran once"


def test_a_queued_run_survives_a_service_death(open_shell, phux, tmp_path):
    pane = open_shell("bash")
    pane.send_keys("cat", "Enter")
    pane.wait(state="awaiting_input", timeout_s=10)
    with running(pane, "echo x >> count; echo mine", queue=True, timeout_s=30) as outcome:
        kill_service(phux)
        phux.tree()
        pane.send_keys("C-d")
    assert outcome[0].output == "mine"
    assert (tmp_path / "count").read_text() == "x\n", "the command ran once"


def test_a_command_that_ends_without_a_service_is_reported_by_the_next(open_shell, phux, tmp_path):
    pane = open_shell("bash")
    with running(pane, "until [ -e go ]; do env sleep 0.05; done; seq 1 2000; touch done; sh -c 'exit 6'") as outcome:
        wait_for_program(pane, "sleep")
        service = phux.status().service_pid
        os.kill(service, signal.SIGSTOP)
        (tmp_path / "go").write_text("")
        eventually((tmp_path / "done").exists)
        os.kill(service, signal.SIGKILL)
    assert outcome[0].exit_code == 6
    assert outcome[0].output == "\n".join(map(str, range(1, 2001)))
