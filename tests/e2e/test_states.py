"""The states of panes, from the kernel and the marks: in the tree, in screens, in the status, and as events."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess

import pytest

from phux_client import blocking
from servers import embedded_server
from shell_panes import MARKED, SHELLS
from validation import to_document, validate

PROGRAMS = {
    "cat": (["cat"], "awaiting_input", "cat"),
    "input()": (["python3", "-c", "input('name? ')"], "awaiting_input", "python3"),
    "getpass": (["python3", "-c", "import getpass; getpass.getpass()"], "awaiting_secret", "python3"),
    "read -s": (["bash", "-c", "read -s x"], "awaiting_secret", "bash"),
    "sleep": (["sleep", "60"], "running", "sleep"),
    "vim": (["vim", "-u", "NONE"], "fullscreen", "vim"),
    "less": (["less", "/etc/passwd"], "fullscreen", "less"),
    "bash": (["bash"], "prompt", "bash"),
    "zsh": (["zsh"], "prompt", "zsh"),
    "fish": (["fish"], "prompt", "fish"),
    "dash": (["dash"], "prompt", "dash"),
    "a python REPL": (["python3", "-q"], "awaiting_input", "python3"),
    "a node REPL": (["node"], "awaiting_input", "node"),
    "readline": (["python3", "-c", "import readline\nwhile True: input('db=> ')"], "awaiting_input", "python3"),
    "fzf": (["sh", "-c", "seq 9 | fzf"], "fullscreen", "sh"),
    "fzf without the alternate screen": (["sh", "-c", "seq 9 | fzf --height 5"], "awaiting_input", "sh"),
    "a pager behind a pipe": (["sh", "-c", "seq 999 | less"], "fullscreen", "sh"),
    "git commit with an editor": (["git", "commit", "--allow-empty"], "fullscreen", "git"),
    "a loop": (["sh", "-c", "while :; do :; done"], "running", "sh"),
    "a pipe that reads no input": (["sh", "-c", "sleep 60 | cat"], "running", "sh"),
    "a program that follows a file": (["tail", "-f", "/dev/null"], "running", "tail"),
    "a reader under nice": (["nice", "cat"], "awaiting_input", "cat"),
    "openssl passwd": (["openssl", "passwd"], "awaiting_secret", "openssl"),
}


@pytest.fixture(scope="module")
def phux(tmp_path_factory):
    with embedded_server() as server, blocking.Phux(server.socket) as phux:
        phux.new_session("keep", command=["cat"])
        yield phux


@pytest.fixture
def home(tmp_path):
    # Without this directory, fish reads all manual pages.
    (tmp_path / ".local/share/fish/generated_completions").mkdir(parents=True)
    (tmp_path / ".zshrc").write_text("")
    return {"HOME": str(tmp_path)}


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_program_has_the_expected_state(phux, home, name):
    command, state, program = PROGRAMS[name]
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    if name == "git commit with an editor":
        home |= {"GIT_EDITOR": "vim -u NONE", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b"}
        home |= {"GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
        subprocess.run(["git", "init", "-q", home["HOME"]], check=True)
    session = phux.new_session(None, command=command, env=home, cwd=home["HOME"])
    screen = session.pane.wait(state=state, timeout_s=20)
    assert screen.state == state
    info = session.pane.info()
    assert info.state == state
    assert info.foreground.command.startswith(program)
    assert info.foreground.pid == info.pid
    assert info.foreground.cwd == info.cwd
    assert getattr(phux.status().states, state) >= 1
    session.kill()


# The line typed at a prompt, the state, the foreground program (None: the shell itself), and the keys that end the line.
TYPED = {
    "cat": ("cat", "awaiting_input", "cat", ["C-d"]),
    "cat that is interrupted": ("cat", "awaiting_input", "cat", ["C-c"]),
    "input()": ("python3 -c 'input()'", "awaiting_input", "python3", ["C-c"]),
    "getpass": ("python3 asks.py", "awaiting_secret", "python3", ["C-c"]),
    "read -s": ("read -s x", "awaiting_secret", None, ["x", "Enter"]),
    "read -s that is interrupted": ("read -s x", "awaiting_secret", None, ["C-c"]),
    "sleep": ("sleep 100", "running", "sleep", ["C-c"]),
    "vim": ("vim -u NONE -N", "fullscreen", "vim", [":q!", "Enter"]),
}
# dash has no `read -s`, and in ksh `read -s` saves the line in the history.
SILENT_READ = [shell for shell in SHELLS if shell not in {"dash", "ksh"}]
SLEEPS_ITSELF = "ksh"  # sleep is a builtin


@pytest.mark.parametrize(
    ("shell", "name"),
    [(shell, name) for shell in SHELLS for name in TYPED if shell in SILENT_READ or "read -s" not in name],
)
def test_state_changes_of_a_shell_and_its_programs_are_reported(phux, open_shell, tmp_path, shell, name):
    line, state, program, end = TYPED[name]
    if program == "sleep" and shell == SLEEPS_ITSELF:
        program = None
    (tmp_path / "asks.py").write_text("import getpass\ngetpass.getpass()\n")
    pane = open_shell(shell)
    pane.wait(state="prompt", timeout_s=20)
    own = pane.info().foreground
    told = []

    def expect(state, program):
        while not told or (told[-1].state, told[-1].command) != (state, program or own.command):
            event = events.next(timeout_s=20)
            if event.event == "state_changed":
                told.append(event)

    with phux.watch(pane.selector) as events:
        pane.send_keys(line, "Enter")
        expect(state, program)
        info = pane.info()
        assert (info.state, info.foreground.command) == (state, program or own.command)
        assert (info.foreground.pid == own.pid) == (program is None)
        pane.send_keys(*end)
        expect("prompt", None)
        assert pane.info().foreground == own
        result = pane.run("echo usable; sh -c 'exit 3'", timeout_s=20)
        assert (result.output, result.exit_code) == ("usable", 3)
        pane.send_keys("exit", "Enter")
        expect("dead", None)


@pytest.mark.parametrize("shell", MARKED)
def test_commands_typed_at_a_prompt_are_reported(open_shell, phux, shell):
    pane = open_shell(shell)
    pane.wait(state="prompt", timeout_s=20)
    told = {}
    with phux.watch(pane.selector) as events:
        pane.send_keys("cd /usr; printf '\\033]2;a title\\007\\007'; sleep 0.2; sh -c 'exit 3'", "Enter")
        while not {"cwd_changed", "command_finished", "title_changed", "bell", "state_changed"} <= told.keys():
            event = events.next(timeout_s=20)
            validate("event", to_document(event))
            told.setdefault(event.event, event)
        pane.resize(cols=70, rows=20)
        pane.send_keys("exit", "Enter")
        while "pane_closed" not in told:
            event = events.next(timeout_s=20)
            told.setdefault(event.event, event)
    assert told["command_started"].command.startswith("cd /usr; printf")
    assert told["command_finished"].exit_code == (None if shell == "bash --norc" else 3)
    assert told["cwd_changed"].cwd == "/usr"
    assert told["title_changed"].title
    assert (told["resized"].cols, told["resized"].rows) == (70, 20)
    assert told["pane_closed"].exit_status is not None
    assert {"dirty", "command_started"} <= told.keys()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"])
def test_a_stopped_job_leaves_a_prompt(phux, home, shell):
    session = phux.new_session(None, command=[shell], env=home)
    pane = session.pane
    pane.wait(state="prompt", timeout_s=20)
    pane.send_keys("env sleep 60", "Enter")
    pane.wait(state="running", timeout_s=20)
    while pane.info().foreground.command != "sleep":  # until then, C-z would have no effect
        pane.wait(idle_ms=20, timeout_s=20)
    pane.send_keys("C-z")
    assert pane.wait(state="prompt", timeout_s=20).state == "prompt"
    assert pane.run("echo usable", timeout_s=20).output == "usable"
    session.kill()


def test_states_are_the_same_under_load(phux, home):
    load = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(3 * (os.cpu_count() or 1))]
    try:
        for name in ("cat", "getpass", "sleep", "vim", "bash"):
            test_each_program_has_the_expected_state(phux, dict(home), name)
    finally:
        for process in load:
            process.send_signal(signal.SIGKILL)
            process.wait()
