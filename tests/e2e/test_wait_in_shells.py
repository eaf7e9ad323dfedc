"""``wait`` in every shell: each condition works, and typed input does not count as output."""

from __future__ import annotations

import os
import signal

import pytest

from phux_core import errors
from servers import eventually
from shell_panes import INTEGRATED, MARKED, wait_for_program

SIZES = [(80, 24), (30, 6)]


@pytest.fixture(params=MARKED)
def pane(request, open_shell):
    pane = open_shell(request.param)
    pane.wait(state="prompt", timeout_s=20)
    return pane


@pytest.fixture(params=[name for name in MARKED if name not in INTEGRATED])
def posix_pane(request, open_shell):
    pane = open_shell(request.param)
    pane.wait(state="prompt", timeout_s=20)
    return pane


def output_line(pane, text, **options):
    """Wait for a line of output and return it."""
    return pane.wait(until=text, output_only=True, timeout_s=20, **options).met_line


# Conditions


def test_every_condition_works_in_every_shell(pane, tmp_path):
    os.mkfifo(tmp_path / "go")
    seq = pane.snapshot().seq
    pane.send_keys("cat go; seq 1 300; echo the nee''dle 7; seq 301 600", "Enter")
    assert pane.wait(state="running", timeout_s=20).met == "state"
    (tmp_path / "go").write_text("")
    assert pane.wait(until="the needle", since=seq, timeout_s=20).met_line == "the needle 7"
    assert pane.wait(regex=r"^the \w+ \d$", since=seq, output_only=True, timeout_s=20).met == "regex"
    assert pane.wait(command_done=True, exit=True, until="never", since=seq, timeout_s=20).met == "command_done"
    assert pane.wait(state="prompt", timeout_s=20).met == "state"
    assert pane.wait(idle_ms=100, timeout_s=20).met == "idle"
    with pytest.raises(errors.StoppedError, match="600"):
        pane.wait(until="never", stop="^600$", since=seq, timeout_s=20)
    for since in (pane.snapshot().seq, None):
        with pytest.raises(errors.TimedOutError):
            pane.wait(until="the needle", since=since, timeout_s=0.1)  # the text has scrolled away
    pane.send_keys("printf '\\033[2J\\033[H'", "Enter")
    assert pane.wait(gone="600", timeout_s=20).met == "gone"
    pane.wait(state="prompt", timeout_s=20)
    pane.send_keys("exit 5", "Enter")
    waited = pane.wait(exit=True, timeout_s=20)
    assert (waited.met, waited.exit_status) == ("exit", 5)


# At a prompt


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shell", MARKED)
def test_the_echo_of_a_command_is_not_output(open_shell, shell, size):
    if shell == "busybox":
        size = SIZES[0]  # if a line does not fit, the rows after the first count as output
    pane = open_shell(shell, size=size)
    pane.wait(state="prompt", timeout_s=20)
    for number in range(2):
        line = f"sleep 0.2; echo a nee''dle {number}; echo another needle {number}"
        pane.send_keys(line, "Enter")
        assert output_line(pane, f"needle {number}") == f"a needle {number}"
        pane.wait(state="prompt", timeout_s=20)
        # Word by word, with a pause before Enter.
        since = pane.snapshot().seq
        for word in ("sleep 0.2; ", "echo third", " needle; ec", f"ho nee''dle {number}"):
            pane.send_keys(word, literal=True)
        with pytest.raises(errors.TimedOutError):
            pane.wait(until="needle", output_only=True, since=since, timeout_s=0.2)
        pane.send_keys("Enter")
        assert output_line(pane, "needle", since=since) == "third needle"
        pane.wait(state="prompt", timeout_s=20)


def test_a_prompt_is_not_output(pane):
    for since in (None, pane.snapshot().seq):
        with pytest.raises(errors.TimedOutError):
            pane.wait(regex=r"\$", output_only=True, since=since, timeout_s=0.1)
    pane.send_keys("printf unen''ded", "Enter")
    assert pane.wait(until="unended", output_only=True, timeout_s=20).met == "until"
    pane.wait(state="prompt", timeout_s=20)
    assert output_line(pane, "unended") == "unended"
    with pytest.raises(errors.TimedOutError):
        pane.wait(regex=r"\$", output_only=True, timeout_s=0.1)


@pytest.mark.parametrize("shell", INTEGRATED)
def test_a_prompt_that_changes_is_not_output(open_shell, shell, tmp_path):
    (tmp_path / "needle").mkdir()
    pane = open_shell(shell)
    if shell != "fish":
        pane.run(r"PS1='[${PWD##*/}]$ '; setopt promptsubst 2>/dev/null || true", timeout_s=20)
        pane.wait(state="prompt", timeout_s=20)
    since = pane.snapshot().seq
    pane.send_keys("cd nee''dle; printf 'x\\n'", "Enter")
    pane.wait(until="x", output_only=True, since=since, timeout_s=20)
    with pytest.raises(errors.TimedOutError):
        pane.wait(until="needle", output_only=True, since=since, timeout_s=0.5)
    pane.send_keys("echo nee''dle", "Enter")
    assert output_line(pane, "needle", since=since) == "needle"


@pytest.mark.parametrize("shell", [name for name in MARKED if name != "dash"])  # dash cannot recall lines
def test_a_line_from_the_history_is_not_output(open_shell, shell):
    pane = open_shell(shell)
    pane.wait(state="prompt", timeout_s=20)
    pane.send_keys("sleep 0.2; echo a nee''dle; echo needle", "Enter")
    assert output_line(pane, "needle") == "a needle"
    pane.wait(state="prompt", timeout_s=20)
    since = pane.snapshot().seq
    pane.send_keys("Up")
    pane.wait(until="echo needle", since=since, timeout_s=20)
    pane.send_keys("Enter")
    assert output_line(pane, "needle", since=since) == "a needle"


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("shell", MARKED)
def test_a_line_typed_ahead_is_not_output(open_shell, shell, size):
    if shell == "busybox":
        size = SIZES[0]  # see above
    pane = open_shell(shell, size=size)
    pane.wait(state="prompt", timeout_s=20)
    since = pane.snapshot().seq
    pane.send_keys("env sleep 0.4", "Enter")
    wait_for_program(pane, "sleep")
    pane.send_keys("sleep 0.3; echo nee''dle; echo the needle", "Enter")
    # dash writes the output after its prompt.
    assert output_line(pane, "needle", since=since).removeprefix("$ ") == "needle"


def test_the_line_of_a_run_is_not_output(pane):
    since = pane.snapshot().seq
    pane.run("echo nee''dle; echo ano''ther", timeout_s=20)
    pane.wait(state="prompt", timeout_s=20)
    assert output_line(pane, "e", since=since) == "needle"
    assert output_line(pane, "needle") == "needle"
    for pattern in ("phux", r"\$", "nee'"):
        with pytest.raises(errors.TimedOutError):
            pane.wait(regex=pattern, output_only=True, since=since, timeout_s=0.1)


# Input to programs


def test_a_typed_answer_is_not_output(pane):
    pane.send_keys("sh -c 'read x; sleep 0.2; echo \"got $x\"'", "Enter")
    pane.wait(state="awaiting_input", timeout_s=20)
    since = pane.snapshot().seq
    pane.send_keys("a needle", "Enter")
    assert output_line(pane, "needle", since=since) == "got a needle"


def test_input_typed_in_a_repl_is_not_output(pane):
    pane.send_keys("python3 -q", "Enter")
    pane.wait(until=">>> ", timeout_s=20)
    pane.wait(state="awaiting_input", timeout_s=20)
    since = pane.snapshot().seq
    pane.send_keys("import time; time.sleep(0.2); print('nee' + 'dle'); 'a needle'", "Enter")
    assert output_line(pane, "needle", since=since) == "needle"
    pane.wait(until="'a needle'", output_only=True, since=since, timeout_s=20)
    pane.wait(state="awaiting_input", timeout_s=20)
    since = pane.snapshot().seq
    pane.paste("time.sleep(0.2); print('nee' + 'dle'); 'a needle'")
    pane.wait(until="a needle", since=since, timeout_s=20)
    pane.send_keys("Enter")
    assert output_line(pane, "needle", since=since) == "needle"
    pane.wait(until="'a needle'", output_only=True, since=since, timeout_s=20)


READ_A_KEY = {"bash": "read -n1 k", "bash --norc": "read -n1 k", "zsh": "read -k1 k", "fish": "read -n1 k"}


@pytest.mark.parametrize("shell", MARKED)
def test_a_key_read_by_a_shell_hides_no_output(open_shell, shell):
    pane = open_shell(shell)
    pane.wait(state="prompt", timeout_s=20)
    since = pane.snapshot().seq
    read = READ_A_KEY.get(shell, "bash -c 'read -n1 k'")
    pane.send_keys(f"{read}; echo; echo fir''st", "Enter")
    pane.wait(state="awaiting_input", timeout_s=20)
    pane.send_keys("y")
    assert output_line(pane, "first", since=since) == "first"
    pane.wait(state="prompt", timeout_s=20)
    pane.send_keys("echo sec''ond", "Enter")
    assert output_line(pane, "second", since=since) == "second"


@pytest.mark.parametrize("inner", ["dash", "bash --norc"])
def test_leaving_a_nested_shell_hides_no_output(pane, inner):
    outer = pane.info().foreground.pid
    since = pane.snapshot().seq
    pane.send_keys(inner, "Enter")
    eventually(lambda: (front := pane.info().foreground) is not None and front.pid != outer)
    pane.wait(state="prompt", timeout_s=20)
    pane.send_keys("C-d")
    eventually(lambda: (front := pane.info().foreground) is not None and front.pid == outer)
    pane.wait(state="prompt", timeout_s=20)
    pane.send_keys("echo out''put", "Enter")
    assert output_line(pane, "output", since=since).removeprefix("$ ") == "output"


def test_typed_lines_are_not_output_after_another_program_replaces_the_shell(open_shell):
    for name in INTEGRATED:
        pane = open_shell(name)
        pane.wait(state="prompt", timeout_s=20)
        since = pane.snapshot().seq
        pane.send_keys("echo nee''dle; : the needle", "Enter")
        assert output_line(pane, "needle", since=since) == "needle"
        pane.wait(state="prompt", timeout_s=20)
        pane.send_keys("exec dash", "Enter")
        wait_for_program(pane, "dash")
        pane.wait(state="prompt", timeout_s=20)
        assert output_line(pane, "needle", since=since) == "needle"
        with pytest.raises(errors.TimedOutError):
            pane.wait(until="the needle", output_only=True, since=since, timeout_s=0.2)


# Shells integrated by their prompts


def test_the_end_of_a_typed_command_is_reported_by_the_next_prompt(posix_pane, phux):
    pane, since = posix_pane, posix_pane.snapshot().seq
    code = None if pane.info().foreground.command == "bash" else 1
    with phux.watch(pane.selector) as events:
        pane.send_keys("echo 'a b'; false", "Enter")
        pane.wait(command_done=True, since=since, timeout_s=20)
        names = []
        while "command_finished" not in names:
            event = events.next(timeout_s=20)
            names.append(event.event)
            if event.event == "command_started":
                assert event.command == "echo 'a b'; false"
        assert event.exit_code == code
    assert names.index("command_started") < names.index("command_finished")
    command = pane.commands()[-1]
    assert (command.command, command.by, command.state, command.exit_code) == (
        "echo 'a b'; false",
        "typed",
        "finished",
        code,
    )
    assert pane.output(command.id).content.strip() == "a b"


# Lines that are typed at once, and how many commands they are.
TYPED_AT_ONCE = {
    "for x in a b; do\necho $x\necho y\ndone\n": 1,
    "cat <<EOF\nline 1\nline 2\nEOF\n": 1,
    "echo 'a\nb\nc'\n": 1,
    "echo a \\\n b\n": 1,
    "echo a\necho b\n": 2,
    "if true\nthen sleep 0.1; echo a\nfi\necho b\n": 2,
    "sleep 0.1\necho 'a\nb'\n": 2,
}


@pytest.mark.parametrize("lines", TYPED_AT_ONCE)
def test_each_command_of_lines_typed_at_once_is_reported_once(posix_pane, phux, lines):
    pane, expected = posix_pane, TYPED_AT_ONCE[lines]
    with phux.watch(pane.selector) as events:
        commands = []
        for number, text in ((expected, lines), (expected + 1, "echo last\n")):
            pane.paste(text)
            while len(commands) < 2 * number:
                event = events.next(timeout_s=20)
                commands += [event] if event.event in {"command_started", "command_finished"} else []
    assert [event.event for event in commands] == ["command_started", "command_finished"] * (expected + 1)
    if expected == 1:
        shown = "\n".join(line.removeprefix("> ") for line in commands[0].command.splitlines())
        assert f"{shown}\n".startswith(lines), "dash's terminal may have shown the last line in between"


def test_command_done_waits_as_long_as_the_command_takes(posix_pane, tmp_path):
    for number in range(3):
        since = posix_pane.snapshot().seq
        posix_pane.send_keys(f"sleep 0.2; echo >{number}", "Enter")
        assert posix_pane.wait(command_done=True, since=since, timeout_s=20).met == "command_done"
        assert (tmp_path / str(number)).exists()
        posix_pane.run("true", timeout_s=20)
        assert posix_pane.wait(command_done=True, since=since, timeout_s=20).met == "command_done"


@pytest.mark.parametrize("shell", ["dash", "ksh", "busybox"])  # the editor of bash reads the second line as keys
def test_input_read_by_a_command_is_not_a_command(open_shell, shell):
    pane = open_shell(shell)
    pane.wait(state="prompt", timeout_s=20)
    since = pane.snapshot().seq
    pane.send_keys("read x", "Enter", "hello", "Enter")
    assert pane.wait(command_done=True, since=since, timeout_s=20).met == "command_done"
    assert pane.run("echo $x", timeout_s=20).output == "hello"
    pane.wait(state="prompt", timeout_s=20)
    since = pane.snapshot().seq
    pane.send_keys("echo n''ext", "Enter")
    assert pane.wait(command_done=True, since=since, timeout_s=20).met == "command_done"
    assert output_line(pane, "next", since=since) == "next"


def test_commands_typed_ahead_end_one_after_the_other(posix_pane):
    since = posix_pane.snapshot().seq
    posix_pane.send_keys("echo one", "Enter", "echo two", "Enter", "sleep 0.2; echo thr''ee", "Enter")
    posix_pane.wait(until="three", output_only=True, since=since, timeout_s=20)
    posix_pane.wait(state="prompt", timeout_s=20)
    eventually(lambda: {command.state for command in posix_pane.commands()} == {"finished"})
    assert posix_pane.commands()[0].command == "echo one"


def test_a_shell_that_sets_its_prompt_continues_without_marks(posix_pane):
    for line in ("PS1='> '", "echo a"):
        since = posix_pane.snapshot().seq
        posix_pane.send_keys(line, "Enter")
        posix_pane.wait(regex="^> $", since=since, timeout_s=20)
        posix_pane.wait(state="prompt", timeout_s=20)
    result = posix_pane.run("echo b; (exit 3)", timeout_s=20)
    assert (result.output, result.exit_code) == ("b", 3)


def test_empty_lines_and_incomplete_commands_are_not_reported(posix_pane):
    before = len(posix_pane.commands())
    posix_pane.send_keys("Enter")
    posix_pane.wait(state="prompt", timeout_s=20)
    since = posix_pane.snapshot().seq
    posix_pane.send_keys("echo 'one", "Enter")
    posix_pane.wait(until="> ", since=since, timeout_s=20)
    with pytest.raises(errors.TimedOutError):
        posix_pane.wait(command_done=True, since=since, timeout_s=0.3)
    posix_pane.send_keys("two'", "Enter")
    assert posix_pane.wait(command_done=True, since=since, timeout_s=20).met == "command_done"
    assert len(posix_pane.commands()) <= before + 2


def test_the_next_service_knows_the_input_typed_at_a_prompt(open_shell, phux):
    panes = {name: open_shell(name) for name in MARKED}
    since = {}
    for name, pane in panes.items():
        pane.wait(state="prompt", timeout_s=20)
        since[name] = pane.snapshot().seq
        pane.send_keys("sleep 1; echo nee''dle; echo the needle", "Enter")
        pane.wait(until="echo the needle", since=since[name], timeout_s=20)
        pane.wait(state="running", timeout_s=20)
        eventually(lambda pane=pane: [command.state for command in pane.commands()] == ["running"])
    os.kill(phux.status().service_pid, signal.SIGKILL)
    for name, pane in panes.items():
        assert output_line(pane, "needle", since=since[name]) == "needle", name
        pane.wait(state="prompt", timeout_s=20)
        assert output_line(pane, "needle") == "needle", name
        assert pane.wait(command_done=True, since=since[name], timeout_s=20).met == "command_done"
