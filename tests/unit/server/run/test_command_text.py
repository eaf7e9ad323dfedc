"""Command lines: whether a command is complete, how it is quoted, and how its output is marked."""

from __future__ import annotations

import asyncio
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_core.server.run import command_text as run_lines
from phux_core.server.run.source_files import SourceFiles
from phux_core.server.run.syntax import judge

COMPLETE = [
    "true",
    "cargo test",
    "ls -la /tmp | head -3",
    "echo 'a b' \"c $HOME\" && false",
    "sleep 5 &",
    "echo hi;",
    "echo \\&&",
    "FOO=1 make test 2>&1 | tee log.txt",
    "git commit -m 'it is; done'",
    "grep -E 'a|b' file > out 2>&1",
    "cd /tmp && pwd",
]
OPEN = [
    "if true",
    'echo "open',
    "echo 'open",
    "a |",
    "a &&",
    "echo `x",
    "echo x \\",
    "for i in 1",
    "cat <<EOF",
    "(a",
    "{ a",
    "x[",
    "a[1",
    "echo a[",
]


@pytest.mark.parametrize("command", COMPLETE)
def test_common_commands_are_surely_complete(command):
    assert run_lines.is_surely_complete(command)


@pytest.mark.parametrize("command", [*OPEN, "echo a\necho b", "echo !!", "x" * 5000, "echo $(date)", "", " "])
def test_commands_that_may_be_incomplete_are_not_surely_complete(command):
    assert not run_lines.is_surely_complete(command)


@pytest.mark.parametrize("key", ["\x1b", "\r", "\x03", "\x7f", "\x9b"])
def test_commands_with_control_characters_are_not_surely_complete(key):
    assert not run_lines.is_surely_complete(f"printf %s 'a{key}b'")


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash"])
@settings(max_examples=60, deadline=None)
@given(command=st.text(alphabet="ab '\"$&|;<>(){}[]\\`!#*=-1~\n", min_size=1, max_size=20))
def test_surely_complete_commands_are_complete_for_the_shell(shell, command):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    if run_lines.is_surely_complete(command):
        assert asyncio.run(judge(command, 0, shell)) == (True, True)


def test_the_completeness_check_does_not_backtrack_exponentially():
    """A pattern that backtracks exponentially would hang on these commands."""
    for piece in ("$a", "a1>", "'a' ", "a=b ", "1>&2 ", "\\ ", '"$a"'):
        run_lines.is_surely_complete(piece * 300 + "(")
        run_lines.is_surely_complete((piece * 300)[:990] + "\x00")


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "fish"])
@settings(max_examples=40, deadline=None)
@given(
    words=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=12),
        min_size=1,
        max_size=4,
    )
)
def test_a_shell_parses_a_quoted_line_into_the_same_words(shell, words):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    line = run_lines.quote(["printf", "%s\\0", *words], shell)
    flags = ["--no-config"] if shell == "fish" else []
    done = subprocess.run([shell, *flags, "-c", line], capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == words


def test_plain_words_are_not_quoted_except_for_zsh():
    assert run_lines.quote(["git", "log", "-1", "--format=%h", "a.b/c:d"], "bash") == "git log -1 --format=%h a.b/c:d"
    assert run_lines.quote(["ls", "-l"], "zsh") == "ls '-l'", "zsh may have an alias for any word"


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "ksh", "busybox"])
@pytest.mark.parametrize(
    "command",
    [
        "echo one; false",
        "echo 'it''s'",
        "if",
        "echo two # x",
        "cat <<E\nhi\nE",
        "x" * 3000,
        "exit_() { return 7; }; exit_",
    ],
)
def test_an_inline_command_marks_its_start_and_end_in_posix_shells(shell, command):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    line = run_lines.inline(command, "abcd", "posix")
    argv = [shell, "sh"] if shell == "busybox" else [shell]
    out = subprocess.run([*argv, "-s"], input=(line + "\n").encode(), capture_output=True, check=False).stdout.decode()
    begin, _, rest = out.partition("\x1b]7748;abcd;C\x07")
    assert begin == ""
    if command == "if" and shell in {"dash", "busybox", "ksh"}:
        return  # these shells exit on a syntax error if they have no terminal
    assert "\x1b]7748;abcd;D;" in rest


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "ksh", "busybox"])
def test_a_shell_without_a_terminal_writes_marks_to_its_standard_output(shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    kind = shell if shell in {"bash", "zsh", "ksh"} else "posix"
    path = SourceFiles(str(tmp_path)).add(run_lines.wrapper("echo one; (exit 7)", kind, "abcd"))
    line = run_lines.source_line(path, kind)
    argv = [shell, "sh"] if shell == "busybox" else [shell]
    done = subprocess.run([*argv, "-c", line], capture_output=True, check=False, start_new_session=True)
    assert done.stdout == b"\x1b]7748;abcd;C\x07one\n\x1b]7748;abcd;D;7\x07"
    assert (done.returncode, done.stderr) == (7, b"")


def test_inline_commands_are_split_into_lines_shorter_than_500_characters():
    for shell in ("posix", "fish"):
        assert max(map(len, run_lines.inline("x" * 20_000, "abcd", shell).split("\n"))) < 500


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash", "ksh", "mksh", "busybox"])
def test_every_shell_reports_its_kind_and_prints_nothing_visible(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    argv = [shell, "sh"] if shell == "busybox" else [shell]
    done = subprocess.run([*argv, "-c", run_lines.kind_query("abcd")], capture_output=True, check=True)
    begin, data, end = done.stdout[:7], done.stdout[7:-1], done.stdout[-1:]
    assert (begin, end, done.stderr) == (b"\x1b]7748;", b"\x07", b"")
    assert run_lines.parse_kind(data, "abcd") == ("fish" if shell == "fish" else "posix")
    assert run_lines.parse_kind(data, "efgh") is None


@given(st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" \n\t'\"\\$;"), max_size=600))
@settings(max_examples=30, deadline=None)
def test_an_inline_command_for_fish_contains_the_exact_command(command):
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    line = run_lines.inline(command, "abcd", "fish").replace(";eval ", ";echo -n ")
    done = subprocess.run(["fish", "--no-config", "-c", line], capture_output=True, check=True)
    begin, end = b"\x1b]7748;abcd;C\x07", b"\x1b]7748;abcd;D;0\x07"
    assert done.stdout == begin + command.encode() + end
