"""Commands that a shell cannot parse: the result has the shell's exit code and message, and no trace of phux."""

from __future__ import annotations

import re
import subprocess

import pytest

from shell_panes import SHELLS

ARGV = {**SHELLS, "zsh -f": ["zsh", "-f"], "mksh": ["mksh"]}
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
    "nosuchcommand\n\necho )",
    "cd /nonexistent\nif true\nthen\necho 'open",
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
# Traces of phux: a file, variables, the wrapper.
OURS = re.compile(r"/r[0-9a-f]{6}\b|\b_[pq]\b|7748|command eval|builtin eval|/dev/\./null")
# How shells start their messages: the shell, the option or builtin, the line number.
PREFIX = re.compile(
    r"^(?:E: )?(?:\S*/)?(?:bash|zsh|dash|mksh|ksh|sh|busybox)(?:\[\d+\])?: ?(?:(?:-c|(?:line )?\d+): ?)*"
)
EVAL = re.compile(r"\beval: (?:line \d+: )?")


def truth(argv, command, directory):
    """Run a command with `-c`; return its output and exit code.

    An interactive bash has another code for an open `$(`, and mksh another message at the end of a typed line.
    """
    evaluates = {"bash": "-ic", "mksh": "-c"}.get(argv[0])
    process = subprocess.run(
        [*argv, evaluates, 'eval "$1"', argv[0], command] if evaluates else [*argv, "-c", command],
        cwd=directory,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(directory)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=20,
    )
    return process.returncode, EVAL.sub("", process.stdout) if evaluates else process.stdout


def message(text):
    """Remove what differs between an interactive shell and one with `-c`: its name and line numbers."""
    lines = [PREFIX.sub("", line) for line in text.splitlines() if "terminal process group" not in line]
    lines = [re.sub(r" at line \d+|(?<=cd:) line \d+:|^zsh:(?=cd:)|(?<=cd):\d+", "", line) for line in lines]
    return [line for line in lines if line and line != "no job control in this shell"]


@pytest.mark.parametrize("shell", POSIX)
def test_a_command_that_cannot_be_parsed_ends_as_in_the_shell_itself(open_shell, tmp_path, monkeypatch, shell):
    monkeypatch.setitem(SHELLS, shell, ARGV[shell])
    pane = open_shell(shell)
    wrong = []
    for command in COMMANDS:
        code, text = truth(ARGV[shell], command, tmp_path)
        result = pane.run(command, timeout_s=20)
        usable = pane.run("echo usable", timeout_s=20)
        if (
            (result.exit_code, result.exit_known) != (code, True)
            or message(result.output) != message(text)
            or OURS.search(result.output)
            or (EVAL.search(result.output) and not shell.startswith("bash"))
            or (usable.output, usable.exit_code) != ("usable", 0)
        ):
            wrong.append((command, code, text, result.exit_code, result.output, usable.output))
    assert wrong == []


def scripts(padding):
    """Return commands that cannot be typed, each with errors, with tabs, long lines or many of them."""
    return [
        f"if true; then\n{padding}\tnosuchcommand\n\tcd /nonexistent\nfi",
        f"f() {{\n{padding}\treturn 3\n}}\nf\n\t)\n",
        f"nosuchcommand '{padding}'; false",
        "nosuchcommand 'grüße" + "ä" * 40 + "'; (exit 4)",
        f"cat <<EOF\n\t$((1 + 2)) `echo b`\n{padding}EOF\nnosuchcommand\n",
        f"# comment '\n{padding}cd /nonexistent || nosuchcommand \\\n\tx\n(exit 9)",
        "case a in\n\ta) nosuchcommand;;\nesac; x=${x?gone}",
        f"while read line; do\n\tnosuchcommand \"$line\"\ndone <<'EOF'\n1'\n\t2\nEOF\necho '{padding}'\n)",
    ]


@pytest.mark.parametrize("padding", ["\techo ok\n", "\techo ok\n" * 400, "\techo okay\n" * 9000, "x" * 8000 + "\n"])
@pytest.mark.parametrize("shell", ["dash", "ksh", "busybox"])
def test_messages_of_commands_that_cannot_be_typed_are_those_of_the_shell(open_shell, tmp_path, shell, padding):
    pane = open_shell(shell)
    wrong = []
    for command in scripts(padding):
        code, text = truth(ARGV[shell], command, tmp_path)
        result = pane.run(command, timeout_s=20)
        if (
            (result.exit_code, message(result.output)) != (code, message(text))
            or EVAL.search(result.output)
            or OURS.search(result.output)
            or pane.run("echo usable", timeout_s=20).output != "usable"
        ):
            wrong.append((command[:60], code, text[-300:], result.exit_code, result.output[-300:]))
    assert wrong == []


@pytest.mark.parametrize("shell", ["dash", "ksh", "busybox"])
def test_a_command_that_cannot_be_typed_is_one_command_like_others(phux, open_shell, shell):
    pane = open_shell(shell)
    pane.run("(exit 6)", timeout_s=20)
    with phux.watch(pane.selector) as events:
        assert pane.run("# first\necho\t$?\n(exit 7)", timeout_s=20).output == "6"
        pane.run("echo\t$?; alias | wc -l", timeout_s=20)
        seen = []
        for event in events:
            if event.event in {"command_started", "command_finished"}:
                seen.append((event.event, event.command, getattr(event, "exit_code", None)))
            if len(seen) == 4:
                break
    assert seen == [
        ("command_started", "# first\necho\t$?\n(exit 7)", None),
        ("command_finished", "# first\necho\t$?\n(exit 7)", 7),
        ("command_started", "echo\t$?; alias | wc -l", None),
        ("command_finished", "echo\t$?; alias | wc -l", 0),
    ]
    assert [entry.command for entry in pane.commands()][-2:] == [seen[0][1], seen[2][1]]
    assert pane.run("alias two=echo\n\ttwo lines", timeout_s=20).exit_code == (127 if shell == "ksh" else 0)
    output = pane.run("alias", timeout_s=20).output
    assert len(re.findall("^(?:alias )?r[0-9a-f]{6}=", output, re.MULTILINE)) == 1, "earlier aliases are removed"


@pytest.mark.parametrize("shell", ["dash", "ksh", "busybox", "mksh"])
def test_a_nested_shell_executes_the_lines_before_a_syntax_error(open_shell, shell):
    pane = open_shell("bash")
    pane.wait(state="prompt", timeout_s=20)
    pane.send_keys(" ".join(ARGV[shell]), "Enter")
    pane.wait(state="prompt", timeout_s=20)
    result = pane.run("x=5\necho )", timeout_s=20)
    assert (result.exit_code != 0, OURS.search(result.output), EVAL.search(result.output)) == (True, None, None)
    assert "syntax error" in result.output.lower()
    assert pane.run("echo $x", timeout_s=20).output == "5"


@pytest.mark.parametrize("shell", POSIX)
def test_a_line_that_only_an_alias_makes_valid_is_executed(open_shell, monkeypatch, shell):
    monkeypatch.setitem(SHELLS, shell, ARGV[shell])
    pane = open_shell(shell)
    pane.run("alias begin=if", timeout_s=20)
    assert pane.run("begin true; then x=yes; fi", timeout_s=20).exit_code == 0
    assert pane.run("echo $x", timeout_s=20).output == "yes"


def test_messages_of_several_lines_in_zsh_do_not_mention_eval(open_shell):
    pane = open_shell("zsh")
    assert pane.run("nosuchcommand\nfalse", timeout_s=20).output == "zsh: command not found: nosuchcommand"
    assert pane.run("[[ -o eval_lineno ]]", timeout_s=20).exit_code == 0, "the user's option is restored"
    pane.run("unsetopt eval_lineno", timeout_s=20)
    pane.run("true\nfalse", timeout_s=20)
    assert pane.run("[[ -o eval_lineno ]]", timeout_s=20).exit_code == 1
