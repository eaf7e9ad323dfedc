"""A run whose caller stops waiting: Ctrl-C, cancellation, or death."""

from __future__ import annotations

import signal
import subprocess
import time

import anyio
import pytest

from phux_client import connect
from phux_core import errors
from rawwire import RawClient
from servers import BIN, Cli, Finished, eventually
from shell_panes import running, wait_for_program

# The longest time for an immediate error on a machine that is busy with other tests.
AT_ONCE_S = 3
SHELLS = ("bash", "zsh", "fish", "dash")


@pytest.fixture
def cli(server, tmp_path):
    return Cli(server.socket, tmp_path)


class Client:
    """``phux run`` in a separate process."""

    def __init__(self, cli, pane, *words):
        self._process = subprocess.Popen(
            [BIN / "phux", "run", f"@{pane.id}", *words],
            env=cli.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def interrupt(self):
        self._process.send_signal(signal.SIGINT)

    def end(self, number=signal.SIGINT):
        self._process.send_signal(number)
        out, err = self._process.communicate(timeout=20)
        return Finished("run", subprocess.CompletedProcess([], self._process.returncode, out, err))


def begin(cli, pane, *words, program="sleep"):
    """Run a program in the foreground, and return once it runs."""
    client = Client(cli, pane, *words)
    wait_for_program(pane, program)
    return client


def is_queued(socket, pane):
    """Return True if a command waits for the prompt on the server."""
    with RawClient(socket) as wire:  # closing the connection releases the pane
        return "error" in wire.ask("subscribe", pane=pane.id, hold_ms=1)


def refuses_at_once(pane):
    began = time.monotonic()
    with pytest.raises(errors.BusyError):
        pane.run("echo no", timeout_s=60)
    return time.monotonic() - began < AT_ONCE_S


@pytest.mark.parametrize("shell", SHELLS)
def test_ctrl_c_reports_that_the_command_continues_and_how_to_stop_it(open_shell, cli, shell):
    pane = open_shell(shell)
    result = begin(cli, pane, "env sleep 60; echo over").end()
    assert (result.code, result.out) == (130, "")
    assert (
        result.err
        == f"phux: the command is still running in @{pane.id}\nphux: stop it with: phux signal @{pane.id} INT\n"
    )
    assert refuses_at_once(pane)
    assert cli("signal", f"@{pane.id}", "INT").code == 0, "the command in the message works"
    assert pane.run("echo usable", queue=True, timeout_s=20).output == "usable"


def test_the_message_is_an_error_document_with_json_and_names_the_socket(open_shell, cli):
    pane = open_shell("bash")
    result = begin(cli, pane, "env sleep 60", "--json", "--socket", cli.socket).end()
    assert result.code == 130
    assert result.error["error"] == {"code": "interrupted", "message": f"the command is still running in @{pane.id}"}
    assert result.error["remedy"].endswith(f"phux signal @{pane.id} INT --socket {cli.socket}")
    pane.send_keys("C-c")


@pytest.mark.parametrize("shell", SHELLS)
def test_ctrl_c_with_interrupt_stops_the_command(open_shell, cli, shell):
    pane = open_shell(shell)
    result = begin(cli, pane, "env sleep 60", "--interrupt").end()
    assert (result.code, result.out) == (130, "")
    assert result.err == f"phux: C-c stopped the command in @{pane.id}\n"
    assert pane.run("echo usable", timeout_s=20).output == "usable"


def test_a_command_that_ignores_the_interrupt_is_reported_as_running(open_shell, cli):
    pane = open_shell("bash")
    result = begin(cli, pane, "(trap '' INT; exec env sleep 60)", "--interrupt").end()
    assert result.code == 130
    assert "is still running after C-c" in result.err
    assert f"phux signal @{pane.id} KILL" in result.err
    assert cli("signal", f"@{pane.id}", "KILL").code == 0
    assert pane.run("echo usable", queue=True, timeout_s=20).output == "usable"


def test_a_second_ctrl_c_does_not_wait_for_the_result_of_the_interrupt(open_shell, cli):
    pane = open_shell("bash")
    client = begin(cli, pane, "(trap '' INT; exec env sleep 60)", "--interrupt")
    client.interrupt()
    pane.wait(until="^C", timeout_s=20)
    result = client.end()
    assert (result.code, result.out) == (130, "")
    assert result.err == (
        f"phux: the command may still be running in @{pane.id}\nphux: stop it with: phux signal @{pane.id} KILL\n"
    )
    assert cli("signal", f"@{pane.id}", "KILL").code == 0


def test_a_queued_command_is_not_typed_after_ctrl_c(open_shell, cli):
    pane = open_shell("bash")
    pane.send_keys("env sleep 60", "Enter")
    wait_for_program(pane, "sleep")
    client = Client(cli, pane, "echo ne''ver", "--queue")
    eventually(lambda: is_queued(cli.socket, pane))
    assert refuses_at_once(pane)
    result = client.end()
    assert result.code == 130
    assert result.err == f"phux: the command was not typed in @{pane.id}\n"
    pane.send_keys("C-c")
    assert pane.run("echo after", queue=True, timeout_s=20).output == "after"
    assert "never" not in pane.snapshot().text


def test_a_killed_client_leaves_the_pane_as_a_timeout_does(open_shell, cli):
    pane = open_shell("bash")
    begin(cli, pane, "env sleep 60").end(signal.SIGKILL)
    assert refuses_at_once(pane)
    with running(pane, "echo queued", queue=True, timeout_s=60) as outcome:
        eventually(lambda: is_queued(cli.socket, pane))
        assert refuses_at_once(pane), "even while another command is queued"
        pane.send_keys("C-c")
    assert outcome[0].output == "queued"


def test_a_cancelled_call_of_the_library_leaves_the_pane_as_a_timeout_does(open_shell, cli, anyio_backend):
    pane = open_shell("bash")

    async def main():
        async with connect(cli.socket) as phux:
            mine = await phux.pane(pane.id)
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(mine.run, "env sleep 60")
                # A C-c before bash has given the terminal to the program may be lost.
                await anyio.to_thread.run_sync(wait_for_program, pane, "sleep")
                tasks.cancel_scope.cancel()
            with pytest.raises(errors.BusyError), anyio.fail_after(AT_ONCE_S):
                await mine.run("echo no", timeout_s=60)

    anyio.run(main, backend=anyio_backend)
    pane.send_keys("C-c")
    assert pane.run("echo usable", queue=True, timeout_s=20).output == "usable"


def test_a_run_with_timeout_0_reports_an_earlier_run_and_types_nothing(open_shell, cli):
    pane = open_shell("bash")
    mine = {"pane": pane.id, "id": "mine", "command": "echo $((6*7))"}
    with RawClient(cli.socket) as wire:
        unknown = wire.get("run", **mine, timeout_ms=0)
        assert (unknown["outcome"], unknown["started"]) == ("timed_out", False)
        assert pane.commands() == []
        assert wire.get("run", **mine)["output"] == "42"
        assert wire.get("run", **mine, timeout_ms=0)["output"] == "42"
        assert len(pane.commands()) == 1
