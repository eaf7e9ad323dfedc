"""The text that phux types for a command: completeness checks, quoting, and marks around the output."""

from __future__ import annotations

import asyncio
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from phux_core.server.run import command_text
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


def require(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


def start_of(shell):
    """Return the arguments that start a shell; skip the test if the shell is not installed."""
    require(shell)
    return {"busybox": ["busybox", "sh"], "fish": ["fish", "--no-config"]}.get(shell, [shell])


@pytest.mark.parametrize("command", COMPLETE)
def test_common_commands_are_known_to_be_complete(command):
    assert command_text.is_surely_complete(command)


@pytest.mark.parametrize("command", [*OPEN, "echo a\necho b", "echo !!", "x" * 5000, "echo $(date)", "", " "])
def test_commands_that_may_be_incomplete_are_not_known_to_be_complete(command):
    assert not command_text.is_surely_complete(command)


@pytest.mark.parametrize("key", ["\x1b", "\r", "\x03", "\x7f", "\x9b"])
def test_commands_with_control_characters_are_not_known_to_be_complete(key):
    assert not command_text.is_surely_complete(f"printf %s 'a{key}b'")


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash"])
@settings(max_examples=60, deadline=None)
@given(command=st.text(alphabet="ab '\"$&|;<>(){}[]\\`!#*=-1~\n", min_size=1, max_size=20))
def test_the_shell_accepts_commands_that_are_known_to_be_complete(shell, command):
    require(shell)
    if command_text.is_surely_complete(command):
        assert asyncio.run(judge(command, 0, shell)) == (True, True)


def test_the_completeness_check_does_not_backtrack_exponentially():
    """A regular expression that backtracks exponentially would hang on these commands."""
    for piece in ("$a", "a1>", "'a' ", "a=b ", "1>&2 ", "\\ ", '"$a"'):
        command_text.is_surely_complete(piece * 300 + "(")
        command_text.is_surely_complete((piece * 300)[:990] + "\x00")


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
    line = command_text.quote(["printf", "%s\\0", *words], shell)
    done = subprocess.run([*start_of(shell), "-c", line], capture_output=True, check=True)
    assert done.stdout.decode().split("\0")[:-1] == words


def test_only_zsh_gets_quotes_around_plain_words():
    assert (
        command_text.quote(["git", "log", "-1", "--format=%h", "a.b/c:d"], "bash") == "git log -1 --format=%h a.b/c:d"
    )
    assert command_text.quote(["ls", "-l"], "zsh") == "ls '-l'", "zsh may have an alias for any word"


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
    line = command_text.inline(command, "abcd", "posix")
    out = subprocess.run(
        [*start_of(shell), "-s"], input=(line + "\n").encode(), capture_output=True, check=False
    ).stdout.decode()
    begin, _, rest = out.partition("\x1b]7748;abcd;C\x07")
    assert begin == ""
    if command == "if" and shell in {"dash", "busybox", "ksh"}:
        return  # without a terminal, these shells exit on a syntax error
    assert "\x1b]7748;abcd;D;" in rest


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "ksh", "busybox"])
def test_a_shell_without_a_terminal_writes_marks_to_its_standard_output(shell, tmp_path):
    kind = shell if shell in {"bash", "zsh", "ksh"} else "posix"
    path = SourceFiles(str(tmp_path)).add(command_text.wrapper("echo one; (exit 7)", kind, "abcd"))
    line = command_text.source_line(path, kind)
    done = subprocess.run([*start_of(shell), "-c", line], capture_output=True, check=False, start_new_session=True)
    assert done.stdout == b"\x1b]7748;abcd;C\x07one\n\x1b]7748;abcd;D;7\x07"
    assert (done.returncode, done.stderr) == (7, b"")


def test_inline_commands_are_split_into_lines_shorter_than_500_characters():
    for shell in ("posix", "fish"):
        assert max(map(len, command_text.inline("x" * 20_000, "abcd", shell).split("\n"))) < 500


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash", "ksh", "mksh", "busybox"])
def test_every_shell_reports_its_kind_and_prints_nothing_visible(shell):
    done = subprocess.run([*start_of(shell), "-c", command_text.kind_query("abcd")], capture_output=True, check=True)
    begin, data, end = done.stdout[:7], done.stdout[7:-1], done.stdout[-1:]
    assert (begin, end, done.stderr) == (b"\x1b]7748;", b"\x07", b"")
    assert command_text.parse_kind(data, "abcd") == ("fish" if shell == "fish" else "posix")
    assert command_text.parse_kind(data, "efgh") is None


@given(st.text(st.characters(exclude_categories=["C", "Z"], include_characters=" \n\t'\"\\$;"), max_size=600))
@settings(max_examples=30, deadline=None)
def test_an_inline_command_for_fish_contains_the_exact_command(command):
    line = command_text.inline(command, "abcd", "fish").replace(";eval ", ";printf %s ")
    done = subprocess.run([*start_of("fish"), "-c", line], capture_output=True, check=True)
    begin, end = b"\x1b]7748;abcd;C\x07", b"\x1b]7748;abcd;D;0\x07"
    assert done.stdout == begin + command.encode() + end
