"""Starting, signalling and stopping commands in panes, and their ledger."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sys
import threading

import pytest

from mcp_host import Host
from outers import attached
from phux_client import blocking
from phux_core.errors import (
    BadRequestError,
    BusyError,
    NoSuchTargetError,
    PaneClosedError,
    RefusedError,
    TimedOutError,
    WaitingError,
)
from servers import Cli, embedded_server, eventually, kill_service, process_gone, server_without_sessions
from shell_panes import wait_for_program

SHELLS = [name for name in ("bash", "zsh", "fish", "dash") if shutil.which(name)]
# Reports its start and the signals that it handles, and ends only if killed.
STUBBORN = (
    "import os, signal, sys, time\n"
    # Not print: the signal may arrive while the print below is writing.
    "def told(number, _frame): os.write(1, f'told {signal.Signals(number).name}\\n'.encode())\n"
    "for name in sys.argv[1:]: signal.signal(getattr(signal, name), told)\n"
    "print('ready', flush=True)\n"
    "while True: time.sleep(1)"
)


# Tests that kill the service, or depend on ids or on all commands of the server.
WITH_A_SERVER_OF_THEIR_OWN = {
    "test_the_ledger_has_the_runs_of_a_shell_without_marks",
    "test_a_repeated_start_request_starts_the_command_once",
    "test_a_started_command_and_its_log_are_seen_while_it_runs",
    "test_an_unknown_id_is_reported_and_an_invalid_one_rejected",
    "test_start_returns_at_once_and_the_command_keeps_running",
    "test_the_ledger_survives_kills_of_the_service_exactly_once",
    "test_typed_commands_survive_a_kill_of_the_service_exactly_once",
    "test_waiting_for_a_command_survives_a_kill_of_the_service",
}


@pytest.fixture
def phux(request):
    """A server without sessions, shared by most tests."""
    own = request.function.__name__ in WITH_A_SERVER_OF_THEIR_OWN
    shared = None if own else request.getfixturevalue("shared_server")
    with server_without_sessions(shared) as server, blocking.connect(server.socket) as connected:
        yield connected


@pytest.fixture
def pane(phux):
    return phux.new_session("work", command=["bash"]).pane


# Commands that wait for a person


@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_a_run_until_waiting_ends_when_the_command_waits_for_a_person(phux, shell):
    pane = phux.new_session(shell, command=[shell]).pane
    esc = "print(chr(27) + '[?1049{}', flush=True)"
    whole_screen = f"{esc.format('h')}; input(); {esc.format('l')}"
    waits = {
        "sleep 0.3; cat": "awaiting_input",
        f'{sys.executable} -c "import getpass; getpass.getpass()"': "awaiting_secret",
        f'{sys.executable} -c "{whole_screen}"': "fullscreen",
        "bash --norc": "prompt",
    }
    for command, state in waits.items():
        with pytest.raises(WaitingError) as caught:
            pane.run(command, until_waiting=True, timeout_s=20)
        assert (caught.value.state, caught.value.executed) == (state, True)
        command_id = caught.value.command_id
        with pytest.raises(WaitingError):
            phux.wait_command(command_id, until_waiting=True, timeout_s=20)
        pane.send_keys(*{"awaiting_input": ["C-d"], "prompt": ["exit", "Enter"]}.get(state, ["Enter"]))
        assert phux.wait_command(command_id, until_waiting=True, timeout_s=20).state == "finished"


def test_a_run_until_waiting_returns_the_result_of_a_command_that_waits_for_nobody(pane):
    result = pane.run("read -t 0.1 line; sleep 0.6; echo done", until_waiting=True, timeout_s=20)
    assert result.output == "done"
    with pytest.raises(TimedOutError) as caught:
        pane.run("sleep 100", until_waiting=True, timeout_s=0.1)
    assert pane.output(command_id=caught.value.command_id).content == ""


# Starting


@pytest.mark.parametrize("shell", SHELLS)
def test_start_returns_at_once_and_the_command_keeps_running(phux, shell):
    pane = phux.new_session("work", command=[shutil.which(shell)]).pane
    started = pane.start("cat; echo finished")  # cat runs until its input ends
    assert started.pane == "@1"
    with pytest.raises(BusyError):
        pane.run("echo too early")
    pane.send_keys("C-d")
    command = phux.wait_command(started.command_id, timeout_s=20)
    assert (command.state, command.exit_code, command.by) == ("finished", 0, "start")
    assert pane.output(started.command_id).content == "finished"
    assert started.seq <= command.start < command.end


def test_a_started_command_and_its_log_are_seen_while_it_runs(phux, pane):
    started = pane.start("for i in 1 2 3; do echo tick $i; done; read x; echo tock $x")
    pane.wait(until="tick 3", timeout_s=10)
    assert pane.output().content == "tick 1\ntick 2\ntick 3"
    assert [command.state for command in phux.commands()] == ["running"]
    with pytest.raises(TimedOutError):
        phux.wait_command(started.command_id, timeout_s=0.2)
    pane.send_keys("now", "Enter")
    assert phux.wait_command(started.command_id, timeout_s=10).exit_code == 0
    assert pane.output(started.command_id, tail=1).content == "tock now"


def test_a_repeated_start_request_starts_the_command_once(phux, pane):
    from phux_client.flows import Request

    asked = Request("start", pane=pane.id, id="once", command="echo one")
    assert phux.request(asked) == phux.request(asked)
    phux.wait_command("1.1", timeout_s=10)
    assert phux.request(asked)["command"] == "1.1"
    assert len(pane.commands()) == 1


def test_a_start_with_queue_waits_for_the_prompt(phux, pane):
    first = pane.start("sleep 0.5; echo first")
    second = pane.start("echo second", queue=True)
    phux.wait_command(second.command_id, timeout_s=10)
    assert [command.id for command in pane.commands()] == [first.command_id, second.command_id]
    assert [command.exit_code for command in pane.commands()] == [0, 0]


# Stopping and signals


def test_a_hundred_rapid_starts_and_stops_lose_and_duplicate_nothing(phux, pane):
    ids = []
    for number in range(100):
        ids.append(pane.start(f"echo begin {number}; exec 3>&1; sleep 1000").command)
        if number % 3:
            pane.wait(until=f"begin {number}", output_only=True, timeout_s=10)
        assert pane.stop().signals[-1:] in (["INT"], ["TERM"], ["KILL"])
    commands = pane.commands()
    assert [command.id for command in commands] == ids
    assert len(set(ids)) == 100
    assert all(command.state == "finished" for command in commands)
    assert all(command.exit_code >= 128 for command in commands)
    begun = re.findall(r"^begin (\d+)$", pane.logs(lines=100_000).content, re.MULTILINE)
    assert len(begun) == len(set(begun))
    assert {str(number) for number in range(100) if number % 3} <= set(begun)
    assert pane.run("echo well").output == "well"


@pytest.mark.parametrize(
    ("deaf_to", "sent"),
    [([], ["INT"]), (["SIGINT"], ["INT", "TERM"]), (["SIGINT", "SIGTERM"], ["INT", "TERM", "KILL"])],
)
def test_stop_escalates_signals_until_the_prompt_is_back(phux, pane, deaf_to, sent):
    started = pane.start([sys.executable, "-c", STUBBORN, *deaf_to])
    pane.wait(until="ready", output_only=True, timeout_s=10)
    stopped = pane.stop(grace_s=0.5)
    assert stopped.signals == sent
    assert stopped.command.startswith("python")
    assert pane.info().state == "prompt"
    command = phux.wait_command(started.command_id, timeout_s=10)
    assert command.exit_code == {1: 130, 2: 143, 3: 137}[len(sent)]
    told = re.findall(r"told (\w+)", pane.output(started.command_id).content)
    assert told == deaf_to


def test_stop_without_a_running_command_reports_that_and_does_nothing(phux, pane):
    pane.run("true")
    stopped = pane.stop()
    assert (stopped.stopped, stopped.signals, stopped.command) == (False, [], None)


def test_stop_waits_for_the_shell_after_a_command_that_has_just_ended(phux, pane):
    pane.start("sleep 100")
    wait_for_program(pane, "sleep")
    shell, sleep = pane.info().pid, pane.info().foreground.pid
    os.kill(shell, signal.SIGSTOP)  # so that the shell does not take the terminal back
    pane.signal("KILL")
    eventually(lambda: process_gone(sleep))
    continued = threading.Timer(0.3, os.kill, (shell, signal.SIGCONT))
    continued.start()
    stopped = pane.stop()
    continued.join()
    assert stopped.signals == []
    assert pane.snapshot().state == "prompt"


def test_stop_ends_a_full_screen_program_and_one_without_a_shell(phux):
    pane = phux.new_session("vi", command=["bash"]).pane
    pane.start("less -f /dev/zero" if not shutil.which("vim") else "vim -u NONE")
    pane.wait(state="fullscreen", timeout_s=10)
    assert pane.stop(grace_s=0.5).stopped
    assert pane.info().state == "prompt"
    alone = phux.new_session("cat", command=["cat"]).pane
    assert alone.stop(grace_s=0.5).signals == ["INT"]
    assert alone.info().state == "dead"


def test_a_signal_reports_its_process_group_and_command(phux, pane):
    pane.start([sys.executable, "-c", STUBBORN, "SIGINT", "SIGUSR1", "SIGHUP"])
    pane.wait(until="ready", output_only=True, timeout_s=10)
    eventually(lambda: pane.info().foreground.command.startswith("python"))
    foreground = pane.info().foreground
    hit = pane.signal()
    assert (hit.signal, hit.pid, hit.pgid, hit.through) == ("INT", foreground.pid, foreground.pid, "tty")
    assert hit.command == foreground.command
    pane.wait(until="told SIGINT", timeout_s=10)
    assert pane.signal("USR1").through == "kill"
    pane.wait(until="told SIGUSR1", timeout_s=10)
    pane.signal("SIGHUP")
    pane.wait(until="told SIGHUP", timeout_s=10)
    pane.signal("KILL")
    eventually(lambda: process_gone(foreground.pid))
    pane.wait(state="prompt", timeout_s=10)


def test_a_program_in_raw_mode_gets_the_signal_and_not_the_key(phux, pane):
    pane.start(f'stty raw -echo; exec 2>&1; {sys.executable} -c "{STUBBORN}" SIGINT')
    pane.wait(until="ready", output_only=True, timeout_s=10)
    assert pane.signal("INT").through == "kill"
    pane.wait(until="told SIGINT", timeout_s=10)
    pane.signal("KILL")


def test_tstp_stops_a_job_and_the_shell_shows_its_prompt(phux, pane):
    pane.start("sleep 1000")
    # The shell reports the command before its child process has executed sleep.
    wait_for_program(pane, "sleep")
    assert pane.signal("TSTP").command == "sleep"
    pane.wait(state="prompt", timeout_s=10)
    pane.run("kill %1")


def test_the_shell_itself_is_signalled_only_on_request(phux, pane):
    pane.run("true")
    for name in ("INT", "TERM", "KILL"):
        with pytest.raises(RefusedError, match="the shell"):
            pane.signal(name)
    assert pane.run("echo unharmed").output == "unharmed"
    pane.signal("KILL", shell=True)
    pane.wait(exit=True, timeout_s=10)
    with pytest.raises(PaneClosedError):
        pane.signal("INT")


def test_a_loop_in_the_shell_itself_is_interrupted_and_not_killed(phux, pane):
    started = pane.start("while :; do :; done")
    pane.wait(state="running", timeout_s=10)
    with pytest.raises(RefusedError):
        pane.signal("KILL")
    assert pane.signal("INT").through == "tty"
    assert phux.wait_command(started.command_id, timeout_s=10).exit_code == 130


def test_an_unknown_signal_is_refused(phux, pane):
    for name in ("STOP", "ALRM", "9", ""):
        with pytest.raises(BadRequestError):
            pane.signal(name)


# The ledger


@pytest.mark.parametrize("shell", [name for name in SHELLS if name != "dash"])
def test_typed_commands_are_in_the_ledger(phux, shell, tmp_path):
    pane = phux.new_session("work", command=[shutil.which(shell)], cwd=str(tmp_path)).pane
    pane.run("echo by a client")
    pane.send_keys("echo by hand; false", "Enter")
    pane.wait(until="by hand", output_only=True, timeout_s=10)
    pane.wait(state="prompt", idle_ms=None, timeout_s=10)
    eventually(lambda: len(pane.commands()) == 2 and pane.commands()[-1].state == "finished")
    by_client, by_hand = pane.commands()
    assert (by_client.by, by_client.client, by_client.command) == ("run", "phux_client/0.1.0", "echo by a client")
    assert (by_hand.by, by_hand.client, by_hand.exit_code) == ("typed", "phux_client/0.1.0", 1)
    assert by_hand.command == "echo by hand; false"
    assert by_hand.cwd == str(tmp_path)
    assert pane.output(by_hand.id).content == "by hand"
    assert by_client.started_at <= by_client.ended_at <= by_hand.started_at


def test_the_ledger_records_who_ran_or_typed_a_command(phux, pane, tmp_path):
    cli = Cli(phux.socket, tmp_path)
    cli.json("run", "work", "echo by the command line")
    with blocking.connect(phux.socket, client="my-tool/2.0\n\x1b[31m" + "x" * 200) as tool:
        tool.pane("work").run("echo by a tool")
        tool.pane("work").send_keys("echo typed by a tool", "Enter")
        tool.pane("work").wait(until="typed by a tool", output_only=True, timeout_s=10)
    with Host(cli.env, cli.cwd) as host:
        agent = {"name": "agent", "version": "3"}
        host.result("initialize", {"protocolVersion": "2025-11-25", "clientInfo": agent})
        host.call("phux_run", target="work", command="echo by an agent")
    with attached(phux.socket, "work") as terminal:
        terminal.shows("[work]")
        terminal.type("echo by a person\r")
        eventually(lambda: len(pane.commands()) == 5)
    assert [(command.by, command.client) for command in pane.commands()] == [
        ("run", "phux/0.1.0"),
        ("run", "my-tool/2.0[31m" + "x" * 85),
        ("typed", "my-tool/2.0[31m" + "x" * 85),
        ("run", "phux-mcp/0.1.0 agent/3"),
        ("typed", "phux-attach/0.1.0"),
    ]
    assert cli("commands", "work").out.splitlines()[4].split("\t")[3:] == [
        *("typed", "phux-attach/0.1.0", '"echo by a person"')
    ]


def test_the_ledger_has_the_runs_of_a_shell_without_marks(phux):
    pane = phux.new_session("work", command=["dash"]).pane
    pane.run("echo run in dash")
    started = pane.start("echo started in dash; false")
    assert phux.wait_command(started.command_id, timeout_s=10).exit_code == 1
    assert [command.command for command in pane.commands()] == ["echo run in dash", "echo started in dash; false"]
    assert pane.output("1.1").content == "run in dash"


def test_a_line_that_the_shell_rejects_is_in_the_ledger_with_its_exit_code(phux, pane):
    assert pane.run("echo )").exit_code == 2
    (command,) = pane.commands()
    assert (command.state, command.exit_code) == ("finished", 2)


@pytest.mark.parametrize("shell", ["bash", "dash"])
def test_the_ledger_survives_kills_of_the_service_exactly_once(phux, shell):
    pane = phux.new_session("work", command=[shell]).pane
    for number in range(5):
        pane.run(f"echo {number}")
        if number in {1, 3}:
            kill_service(phux)
    running = pane.start("head -n 1; echo done")
    pane.wait(state="awaiting_input", timeout_s=10)
    kill_service(phux)
    before = pane.commands()
    assert [command.id for command in before] == [f"1.{number}" for number in range(1, 7)]
    assert [command.command for command in before] == [
        *(f"echo {number}" for number in range(5)),
        "head -n 1; echo done",
    ]
    assert [command.exit_code for command in before] == [0, 0, 0, 0, 0, None]
    assert [command.by for command in before] == ["run"] * 5 + ["start"]
    assert before[-1].state == "running"
    pane.send_keys("y", "Enter")
    assert phux.wait_command(running.command, timeout_s=10).exit_code == 0
    kill_service(phux)
    after = pane.commands()
    assert after[:5] == before[:5]
    assert len(after) == 6
    assert pane.output("1.3").content == "2"
    assert pane.run("echo next").output == "next"
    assert pane.commands()[-1].id == "1.7"


def test_typed_commands_survive_a_kill_of_the_service_exactly_once(phux, pane):
    for number in range(4):
        pane.send_keys(f"echo typed {number}", "Enter")
        pane.wait(until=f"typed {number}", output_only=True, timeout_s=10)
        kill_service(phux)
    eventually(lambda: all(command.state == "finished" for command in pane.commands()))
    assert [command.command for command in pane.commands()] == [f"echo typed {number}" for number in range(4)]


def test_waiting_for_a_command_survives_a_kill_of_the_service(phux, pane):
    started = pane.start("read x; exit_with() { return 7; }; exit_with")
    pane.wait(state="awaiting_input", timeout_s=10)
    results = []

    def wait():
        with blocking.connect(phux.socket) as other:
            results.append(other.wait_command(started.command_id, timeout_s=30).exit_code)

    thread = threading.Thread(target=wait)
    thread.start()
    kill_service(phux)
    pane.send_keys("x", "Enter")
    thread.join(timeout=30)
    assert results == [7]


def test_a_command_that_ends_its_shell_has_the_exit_code_of_the_pane(phux, pane):
    phux.new_session("keep")
    started = pane.start("exit 9")
    command = phux.wait_command(started.command_id, timeout_s=10)
    assert (command.state, command.exit_code) == ("finished", 9)


def test_an_unknown_id_is_reported_and_an_invalid_one_rejected(phux, pane):
    unknown = dict.fromkeys(("1.99", "99.1"), NoSuchTargetError)
    bad = ("", "1", "x", "1.", ".1", "1.x", "-1.1", "1.1.1", "9" * 50 + ".1", "../1")
    for id_, kind in (unknown | dict.fromkeys(bad, BadRequestError)).items():
        with pytest.raises(kind):
            phux.wait_command(id_, timeout_s=1)
        with pytest.raises(kind):
            pane.output(id_)


def test_the_old_name_of_the_parameter_command_id_is_accepted_with_a_warning(phux, pane):
    started = pane.start("echo hi")
    assert started.command == started.command_id
    with pytest.warns(DeprecationWarning, match="'command' is called 'command_id' now") as warned:
        command = phux.wait_command(command=started.command_id, timeout_s=10)
    assert warned[0].filename == __file__
    assert command.id == command.command_id == started.command_id
    with pytest.warns(DeprecationWarning, match="'command' is called 'command_id' now"):
        assert pane.output(command=started.command_id).content == "hi"


def test_the_old_names_of_flags_are_accepted_and_not_in_the_help(cli):
    cli.json("new", "-s", "work")
    cli("run", "work", r"printf '\033[31mred\033[0m\n'")
    assert cli("output", "1.1", "--strip-ansi").out == "red\n"
    assert cli("wait", "--command", "1.1", "--timeout", "10").code == 0
    assert "--strip-ansi" not in cli("output", "--help").out
    assert "--command ID" not in cli("wait", "--help").out


def test_the_output_of_a_command_stays_within_every_limit(phux, pane):
    pane.run("seq 1 1000")
    assert pane.output(head=2, tail=2).content == "1\n2\n[phux: 996 lines left out]\n999\n1000"
    assert pane.output(grep="^5.$", context=1, head=3).content == "49\n50\n51"
    assert len(pane.output(max_bytes=100).content) < 150
    text = pane.output()
    assert (text.returned_lines, text.total_lines, text.truncated) == (1000, 1000, False)
    pane.run(r"printf '\033[31mred\033[0m\n'")
    assert pane.output().content == "red"
    assert pane.output(mode="stripped").content == "red"
    assert "\x1b[31mred" in pane.output(mode="raw").content


# Shells of new panes


def test_a_session_can_have_a_login_shell_or_another_shell(phux, tmp_path):
    (tmp_path / ".bash_profile").write_text("export FROM_PROFILE=yes\n")
    (tmp_path / ".bashrc").write_text("export FROM_RC=yes\n")
    bash = shutil.which("bash")
    login = phux.new_session("login", shell=bash, login=True, env={"HOME": str(tmp_path)}).pane
    assert login.run('echo "$FROM_PROFILE-$FROM_RC-$0"').output.startswith("yes--")
    plain = phux.new_session("plain", shell=bash, env={"HOME": str(tmp_path)}).pane
    assert plain.run('echo "$FROM_PROFILE-$FROM_RC"').output == "-yes"
    assert plain.run("shopt -q login_shell || echo no").output == "no"
    with pytest.raises(BadRequestError):
        phux.new_session("both", shell=bash, command=["sh"])


def test_the_default_shell_is_read_from_the_environment(phux, monkeypatch):
    monkeypatch.setenv("SHELL", shutil.which("bash"))
    pane = phux.new_session("work").pane
    assert pane.run('echo "$SHELL $BASH"').output == f"{shutil.which('bash')} {shutil.which('bash')}"


@pytest.mark.parametrize("engine", ["pyte", "ghostty"])
def test_the_history_limit_applies_at_once_and_survives_a_restart(engine):
    pytest.importorskip("pyghostty" if engine == "ghostty" else "pyte")
    with embedded_server(engine) as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("work", command=["bash"]).pane
        pane.run("seq 1 3000")
        pane.set_history_limit(100)
        assert len(pane.snapshot(scrollback=0).scrollback) == 100
        pane.run("seq 1 3000")
        kill_service(phux)
        assert len(pane.snapshot(scrollback=0).scrollback) == 100
        pane.run("seq 1 3000")
        assert len(pane.snapshot(scrollback=0).scrollback) == 100
        pane.set_history_limit(0)
        assert pane.snapshot(scrollback=0).scrollback == []
        pane.set_history_limit(1_000_000)
        pane.run("seq 1 20000")
        assert len(pane.snapshot(scrollback=0).scrollback) > 19_900
        with pytest.raises(BadRequestError):
            pane.set_history_limit(1_000_001)


# The command line


def test_processes_are_controlled_through_the_cli(cli):
    cli.json("new", "-s", "work")
    assert cli("run", "work", "--detach", "sleep 1000").out == "1.1\n"
    assert cli.json("signal", "work", "TERM")["command"] == "sleep"
    assert cli("wait", "--command-id", "1.1", "--timeout", "10").code == 0
    started = cli.json("start", "work", "sleep 1000")
    assert started["command"] == "1.2"
    assert cli("wait", "--command-id", "1.2", "--timeout", "0.2").code == 124
    assert cli("stop", "work").out == "stopped sleep with INT\n"
    assert cli("stop", "work").out == "nothing was running\n"
    assert cli("signal", "work").code == 2
    cli.json("run", "work", "seq 1 10")
    assert cli("output", "1.3", "--tail", "2").out == "9\n10\n"
    assert cli("output", "1.3", "--grep", "1", "--head", "1", "--json").document["content"] == "1"
    listed = [line.split("\t") for line in cli("commands", "work").out.splitlines()]
    assert [(line[0], line[2], line[3]) for line in listed] == [
        ("1.1", "finished 143", "start"),
        ("1.2", "finished 130", "start"),
        ("1.3", "finished 0", "run"),
    ]
    assert cli.json("commands")["commands"][0]["id"] == "1.1"
    assert cli("history-limit", "work", "10").code == 0
    assert cli("history-limit", "work", "1000001").code == 2
    assert cli("output", "9.9", "--json").error["error"]["code"] == "no_such_target"
    assert cli("wait", "--command-id", "x", "--json").error["error"]["code"] == "bad_request"
