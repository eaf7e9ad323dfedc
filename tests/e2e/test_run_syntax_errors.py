"""Commands that a shell cannot read, or reads only in part: its own exit code and message, and nothing of phux in it."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from shell_panes import SHELLS

ARGV = {**SHELLS, "zsh -f": ["zsh", "-f"]}
POSIX = [name for name in ARGV if name != "fish"]
COMMANDS = [
    "echo )",
    "echo ) x",
    "if",
    "if true; then",
    "if true; then echo a; done",
    "}",
    "{ echo a",
    "{ echo a; } }",
    'echo "open',
    "echo 'open",
    "echo a; echo 'open",
    "echo `open",
    "echo $(open",
    "echo $((1 +",
    "for x in",
    "for x in a b; do",
    "for x in a b; do echo $x; fi",
    "while true; do",
    "case",
    "case x in",
    "case x in x) echo a",
    "case x in x) echo a;; esac esac",
    "&& echo b",
    "echo a &&",
    "| cat",
    "echo a |",
    ";; echo",
    "fi",
    "done",
    "esac",
    "then",
    "()",
    "f() {",
    "( echo a",
    "echo a )",
    "echo a\necho )",
    "echo a\necho b\nif",
    "cat <<EOF\nabc",
    "cat <<EOF\nabc\n",
    "cat <<'EOF'\n$HOME",
    "cat <<EOF; echo after\nabc",
    "cat <<A; cat <<B\na\nA\nb",
    "nosuchcommand\nfalse",
    "cd /nonexistent\nfalse",
    "echo ${x?gone}\necho on",
    "echo *.nothing | cat\n(exit 3)",
    "${",
    "echo ${x",
]
# A file of ours, our variables, our wrapper.
OURS = re.compile(r"/r[0-9a-f]{6}\b|\b_[pq]\b|7748|command eval|builtin eval|/dev/\./null")
# How shells begin their messages: their name, what executes the command, the number of a line.
PREFIX = re.compile(
    r"^(?:(?:\S*/)?(?:bash|zsh|dash|ksh|sh|busybox)|\(eval\)): ?"
    r"(?:(?:-c|eval(?:\[\d+\])?|(?:line )?\d+|\S*/r[0-9a-f]{6}\[\d+\]): ?)*"
)


def truth(argv, command, directory):
    """Run a command by `-c`; what it writes and its code. bash has another code for an open `$(` if it is interactive."""
    bash = argv[0] == "bash"
    process = subprocess.run(
        [*argv, "-ic", 'eval "$1"', "bash", command] if bash else [*argv, "-c", command],
        cwd=directory,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(directory)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=20,
    )
    return process.returncode, process.stdout


def message(text):
    """Leave out what differs between a shell that reads a terminal and one that reads `-c`: its name, numbers of lines."""
    lines = [PREFIX.sub("", line) for line in text.splitlines() if "terminal process group" not in line]
    lines = [re.sub(r" at line \d+|(?<=cd:) line \d+:|^zsh:(?=cd:)|(?<=cd):\d+", "", line) for line in lines]
    return [line for line in lines if line and line != "no job control in this shell"]


@pytest.mark.parametrize("shell", POSIX)
def test_a_command_that_cannot_be_read_ends_as_in_the_shell_itself(open_shell, tmp_path, monkeypatch, shell):
    if shutil.which(ARGV[shell][0]) is None:
        pytest.skip(f"{ARGV[shell][0]} is not installed")
    monkeypatch.setitem(SHELLS, shell, ARGV[shell])
    pane = open_shell(shell)
    wrong = []
    for command in COMMANDS:
        if shell == "ksh" and command.startswith("echo a\necho"):
            continue  # it reads all of what it evals before it executes any
        code, text = truth(ARGV[shell], command, tmp_path)
        result = pane.run(command, timeout_s=20)
        usable = pane.run("echo usable", timeout_s=20)
        if (
            (result.exit_code, result.exit_known) != (code, True)
            or message(result.output) != message(text)
            or OURS.search(result.output)
            or (usable.output, usable.exit_code) != ("usable", 0)
        ):
            wrong.append((command, code, text, result.exit_code, result.output, usable.output))
    assert wrong == []
