"""``run`` in every shell: exit code, complete output, and a usable prompt afterwards."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

from phux_client import blocking, flows
from phux_core import errors
from rawwire import RawClient
from servers import eventually
from shell_panes import INTEGRATED, MARKED, POSIX, SHELLS, files_of_runs, running, wait_for_program


@pytest.fixture(params=SHELLS)
def pane(request, open_shell):
    return open_shell(request.param)


# The result does not depend on the shell: one with hooks, one with marks in its prompt.
two_shells = pytest.mark.parametrize("pane", ["bash", "dash"], indirect=True)


@pytest.fixture(params=POSIX)
def posix_pane(request, open_shell):
    return open_shell(request.param)


@pytest.fixture(params=INTEGRATED)
def integrated_pane(request, open_shell):
    return open_shell(request.param)


# Results


def test_run_returns_exit_code_output_and_positions(pane, tmp_path):
    result = pane.run("echo hello")
    assert (result.exit_code, result.output, result.truncated, result.omitted_bytes) == (0, "hello", False, 0)
    assert result.command == "echo hello"
    assert result.cwd == str(tmp_path)
    assert not result.interleaved
    assert result.seq.start < result.seq.end
    assert 0 <= result.duration_ms < 10_000
    assert pane.run("sh -c 'exit 7'").exit_code == 7
    assert pane.run("false").exit_code == 1
    assert pane.run("no-such-command-at-all").exit_code == 127


def test_long_commands_with_characters_outside_of_ascii_are_executed_as_they_are(pane):
    for text in ("aé 漢😀" * 60, "漢字" * 200, "e\u0301" * 50):
        for command in (f"echo '{text}'", f"echo '{text}' |\ncat"):
            assert pane.run(command, timeout_s=20).output == text, command


def test_bracketed_paste_that_a_killed_program_left_on_does_not_change_commands(pane):
    pane.run(r"printf '\033[?2004h'", timeout_s=20)
    assert pane.run("echo left; sh -c 'exit 3'", timeout_s=20).output == "left"
    assert pane.run("echo a\necho b", timeout_s=20).output == "a\nb"
    pane.run(r"printf '\033[?2004h'", timeout_s=20)
    pane.send_keys("echo ty''ped", "Enter")
    assert pane.wait(until="typed", output_only=True, timeout_s=20).met_line == "typed"


@pytest.mark.parametrize("cols", [20, 80])
def test_output_begins_after_a_line_that_fills_several_rows(open_shell, cols):
    pane = open_shell("ksh", size=(cols, 24))
    for length in range(cols - 6, 2 * cols + 2):
        assert (
            pane.run(f"echo out; : {'x' * (length % 5)} {'a b c ' * length}"[:length] + "end", timeout_s=20).output
            == "out"
        )


@pytest.mark.parametrize("shell", [*POSIX, "zsh -f"])
def test_exit_codes_outside_of_0_to_255_are_returned_as_the_shell_reports_them(open_shell, monkeypatch, shell):
    monkeypatch.setitem(SHELLS, "zsh -f", ["zsh", "-f"])
    pane = open_shell(shell)
    for number in (-1, 256, 321, 1000):
        command = f"f() {{ return {number}; }}; f"
        reported = subprocess.run(
            [*SHELLS[shell], "-c", f"{command}; echo $?"], capture_output=True, text=True, check=False
        )
        result = pane.run(command, timeout_s=20)
        assert result.exit_known
        assert result.exit_code == int(reported.stdout or reported.returncode), number


def test_signals_in_ksh_have_the_exit_codes_of_other_shells(open_shell):
    pane = open_shell("ksh")
    assert pane.run("sh -c 'kill -TERM $$'", timeout_s=20).exit_code == 143
    pane.run("exec ksh", timeout_s=20)  # a shell without marks
    assert pane.run("sh -c 'kill -TERM $$'", timeout_s=20).exit_code == 143


def test_a_result_and_its_events_have_the_id_of_the_command(pane, phux):
    with phux.watch(pane.selector) as events:
        result = pane.run("echo named")
        named = []
        while len(named) < 2:
            event = events.next(timeout_s=10)
            if event.event in {"command_started", "command_finished"}:
                named.append(event.command_id)
    assert named == [result.command_id] * 2
    assert pane.output(result.command_id).content == "named"


def test_a_command_that_starts_a_shell_ends_with_that_shell(open_shell):
    pane = open_shell("bash")
    shell_inside(pane, "dash")
    assert pane.run("echo inside", timeout_s=20).output == "inside"
    pane.send_keys("exit 3", "Enter")
    pane.wait(state="prompt", timeout_s=10)
    outer, inner = pane.commands()
    assert (outer.command, outer.state, outer.exit_code) == ("dash", "finished", 3)
    assert (inner.command, inner.state, inner.exit_code) == ("echo inside", "finished", 0)


def test_long_output_is_complete(pane):
    result = pane.run("seq 1 5000")
    assert result.output.split("\n") == [str(number) for number in range(1, 5001)]
    assert not result.truncated


def test_a_line_wider_than_the_pane_is_one_line(open_shell):
    for name in ("bash", "dash"):
        pane = open_shell(name, size=(20, 5))
        result = pane.run("seq -s , 1 200")
        assert result.output == ",".join(map(str, range(1, 201)))


@pytest.mark.parametrize("size", [(20, 5), (2, 2)])
@pytest.mark.parametrize("shell", SHELLS)
def test_run_works_in_a_tiny_pane(open_shell, shell, size):
    if shell == "zsh" and size == (2, 2):
        size = (2, 24)  # zsh itself aborts in two rows of two columns
    if shell == "busybox":
        size = (80, 2)  # if a line does not fit, the rows after the first count as output
    pane = open_shell(shell, size=size)
    assert pane.run("echo hello world; sh -c 'exit 5'", timeout_s=20).exit_code == 5
    assert pane.run("seq -s , 1 100", timeout_s=20).output == ",".join(map(str, range(1, 101)))
    assert pane.run("echo one\necho 'two  blanks'", timeout_s=20).output == "one\ntwo  blanks"
    assert pane.run("seq 1 300", timeout_s=20).output.split("\n") == [str(number) for number in range(1, 301)]


@two_shells
def test_colors_are_stripped_unless_raw_is_given(pane):
    command = r"printf '\033[31mred\033[0m\n'"
    assert pane.run(command).output == "red"
    raw = pane.run(command, raw=True).output
    assert raw.endswith("\x1b[31mred\x1b[0m\n")
    # fish itself writes to the terminal before each command, the others do not.
    assert raw.startswith("\x1b[31m") or "fish" in pane.info().command


def test_raw_output_equals_the_bytes_that_the_command_wrote(pane):
    for text in ("plain\\n", "a\\tb  \\n", "\\033]0;title\\007x\\n", "\\033[30m\\rred"):
        written = text.encode().decode("unicode_escape")
        assert pane.run(f"printf '{text}'", raw=True).output == written
    assert pane.run("printf 'a\\tb  \\n'").output == "a\tb  "


@pytest.mark.parametrize("term", ["xterm-256color", "screen", "dumb"])
def test_terminal_setup_of_fish_is_in_no_output(open_shell, term):
    pane = open_shell("fish", TERM=term)
    for title in ("true", "function fish_title; end", "function fish_title; echo mine; end"):
        pane.run(title, timeout_s=20)
        assert pane.run("printf 'a\\tb\\n'", raw=True, timeout_s=20).output == "a\tb\n", title


@two_shells
def test_the_output_contains_only_the_last_state_of_a_progress_bar(pane):
    assert pane.run(r"printf '10%%\r50%%\r100%%\ndone\n'").output == "100%\ndone"


def test_run_reports_whether_the_output_ended_with_a_newline(pane):
    for command, ends in {
        "printf abc": False,
        "echo abc": True,
        "printf 'a\\n\\n'": True,
        "true": False,
        "printf 'red\\n\\033[0m'": True,
        "printf 'a\\nb'": False,
        "seq 1 3000": True,
        "echo a\nprintf b": False,
        "no-such-command-at-all": True,
    }.items():
        for raw in (False, True):
            assert pane.run(command, raw=raw, max_bytes=1000).ends_with_newline == ends, (command, raw)


def test_raw_output_has_nothing_of_the_line_editor(posix_pane):
    for command in ("# a comment", "  # another", "#one\n#two", ":", "cd .", "x=1; : # end"):
        assert posix_pane.run(command, raw=True, timeout_s=10).output == "", command
        assert posix_pane.run("printf x", raw=True, timeout_s=10).output == "x", command


def test_raw_output_of_fish_has_nothing_of_its_line_editor(open_shell):
    pane = open_shell("fish")
    for command in ("# a comment", "  # another", "#one\n#two", "cd .", "true # end", ";"):
        assert pane.run(command, raw=True, timeout_s=10).output == "", command
    assert pane.run("echo # a\n# b", raw=True, timeout_s=10).output == "\n"


@pytest.mark.parametrize("nested", [None, "dash", "zsh -f"])
@pytest.mark.parametrize("shell", ["bash", "zsh", "dash", "ksh", "busybox"])
def test_aliases_for_builtins_do_not_affect_run(open_shell, shell, nested):
    pane = open_shell(shell)
    if nested is not None:
        pane.send_keys(nested, "Enter")
        wait_for_program(pane, nested.split()[0])
        pane.wait(state="prompt", timeout_s=20)
    names = ("alias", "builtin", "command", "eval", "printf", "source")
    pane.run("alias " + " ".join(f"{name}=false" for name in names), timeout_s=20)
    for command in ("echo\ta; (exit 3)", "echo a; PS1='$ '; (exit 3)", "# one\necho a\n(exit 3)"):
        result = pane.run(command, timeout_s=20)
        assert (result.exit_code, result.output) == (3, "a"), command


def test_output_may_end_without_a_newline(pane):
    assert pane.run("printf abc").output == "abc"
    assert pane.run("echo next").output == "next"


def test_blank_lines_and_leading_blanks_are_kept(pane):
    assert pane.run(r"printf '\n\n  two\n\nthree\n'").output == "\n\n  two\n\nthree"


@two_shells
def test_the_size_limit_keeps_both_ends_and_reports_the_omitted_bytes(pane):
    result = pane.run("seq 1 5000", max_bytes=1000)
    whole = "\n".join(map(str, range(1, 5001)))
    lines = result.output.split("\n")
    note = next(line for line in lines if "left out" in line)
    kept = [line for line in lines if line != note]
    assert result.truncated
    assert lines[0] == "1"
    assert lines[-1] == "5000"
    assert str(result.omitted_bytes) in note
    cut = lines.index(note)
    head, tail = "\n".join(lines[:cut]) + "\n", "\n".join(lines[cut + 1 :])
    assert len(head) + len(tail) + result.omitted_bytes == len(whole)
    assert len("\n".join(kept)) <= 1000


def test_output_beyond_every_buffer_is_truncated_in_the_middle(open_shell):
    pane = open_shell("bash")
    result = pane.run("yes 0123456789abcdef | head -n 1200000; echo end", timeout_s=120)
    assert result.exit_code == 0
    assert result.truncated
    assert result.output.startswith("0123456789abcdef\n")
    assert result.output.endswith("0123456789abcdef\nend")
    assert len(result.output) <= 1024 * 1024 + 100
    # 18 bytes per line on the terminal; nearly all of them were left out.
    assert 18_000_000 < result.omitted_bytes < 1_200_000 * 18


def test_marks_printed_by_a_program_have_no_effect(pane):
    marks = r"\033]133;D;0\007\033]7748;00;D;0\007\033]7748;;D;0\007\033]133;A\007\033]133;B\007\033]7748;00;B\007"
    result = pane.run(f"printf '{marks}'; sleep 0.2; echo real; false")
    assert (result.exit_code, result.output) == (1, "real")


@two_shells
def test_text_on_the_alternate_screen_is_not_in_the_output(pane):
    result = pane.run(r"printf 'before\n\033[?1049h\033[2Jinside\033[?1049l'; echo after")
    assert result.output == "before\nafter"


# Commands


POSIX_COMMANDS = [
    ("cat <<EOF\none $((1 + 1))\ntwo\nEOF", "one 2\ntwo"),
    ("cat <<'EOF'\n$HOME \"quoted\" `ticks`\nEOF\necho after", '$HOME "quoted" `ticks`\nafter'),
    ("for i in 1 2 3\ndo\n  echo $i\ndone", "1\n2\n3"),
    ("if true; then echo yes; fi", "yes"),
    ('echo $(echo nested "$(echo deeper)")', "nested deeper"),
    ("echo one # a comment", "one"),
    ("# nothing but a comment", ""),
    ("echo 'a # b' # c", "a # b"),
    ('echo "it\'s" \'"quoted"\'', 'it\'s "quoted"'),
    ("echo one\\\ntwo", "onetwo"),
    ("echo back\\", "back"),
    ("echo 'wow!' \"hey!\" !", "wow! hey! !"),
    ("echo ünï → 日本語 🚀", "ünï → 日本語 🚀"),
    ("printf '%s\\n' \"a\tb\"", "a\tb"),
    ("  echo leading blanks", "leading blanks"),
    ("echo one; echo two\n\n\necho three\n", "one\ntwo\nthree"),
    ("f() {\n echo in f $1\n}\nf x", "in f x"),
    ("case x in\n x) echo is x;;\nesac", "is x"),
    ("{ echo a; echo b; } | cat", "a\nb"),
    ("(echo sub; exit 3) || echo code $?", "sub\ncode 3"),
    ("true && echo and || echo or", "and"),
    ("cat /dev/null; echo '%s %d \\n'", None),
]


def test_posix_commands_of_every_kind_run(posix_pane):
    for command, output in POSIX_COMMANDS:
        result = posix_pane.run(command, timeout_s=20)
        if output is not None:
            assert result.output == output, command
        assert result.exit_code == 0, command
        assert posix_pane.run("echo usable").output == "usable", command


FISH_COMMANDS = [
    ("for i in 1 2 3\n  echo $i\nend", "1\n2\n3"),
    ("if true; echo yes; end", "yes"),
    ("echo (echo nested)", "nested"),
    ("echo one # a comment", "one"),
    ("# nothing but a comment", ""),
    ("echo 'it\\'s' \"x\"", "it's x"),
    ("echo ünï → 日本語 🚀", "ünï → 日本語 🚀"),
    ("function f\n echo in f $argv\nend\nf x", "in f x"),
    ("echo one\\\ntwo", "onetwo"),
    ("true; and echo and", "and"),
    ("begin; echo a; echo b; end | cat", "a\nb"),
]


def test_fish_commands_of_every_kind_run(open_shell):
    pane = open_shell("fish")
    for command, output in FISH_COMMANDS:
        result = pane.run(command, timeout_s=20)
        assert (result.output, result.exit_code) == (output, 0), command
        assert pane.run("echo usable").output == "usable", command


def test_a_command_may_have_ten_kilobytes(pane):
    text = "word " * 2000
    assert pane.run(f"echo '{text.strip()}'").output == text.strip()


def test_run_does_not_wait_for_a_background_job(posix_pane):
    started = time.monotonic()
    assert posix_pane.run("sleep 5 &").exit_code == 0
    assert time.monotonic() - started < 4
    posix_pane.run("kill %1; wait 2>/dev/null")
    assert posix_pane.run("echo usable").output == "usable"


def test_shell_state_persists_between_runs(posix_pane, tmp_path):
    (tmp_path / "sub dir").mkdir()
    assert posix_pane.run("cd 'sub dir'").cwd == str(tmp_path / "sub dir")
    posix_pane.run("export COLOR=green; f() { echo f says $1; }; set -o noglob")
    assert posix_pane.run("pwd").output == str(tmp_path / "sub dir")
    assert posix_pane.run("sh -c 'echo $COLOR'").output == "green"
    assert posix_pane.run("f hi").output == "f says hi"
    assert posix_pane.run("echo *").output == "*"
    assert posix_pane.run("false; true").exit_code == 0
    posix_pane.run("false")
    assert posix_pane.run("echo $?").output == "1"


BROKEN = ['echo "open', "if true; then", "echo $(", "cat <(", "fi", "echo ) x", "&& b"]
INCOMPLETE = ["echo a &&", "echo a ||", "echo a |", "x[", "a[1", "for x", "function f", "{ a"]


def test_a_syntax_error_returns_the_message_of_the_shell_at_once(posix_pane):
    for command in [*BROKEN * 2, *INCOMPLETE]:
        started = time.monotonic()
        result = posix_pane.run(command, timeout_s=20)
        if command in BROKEN:
            assert result.exit_code != 0, command
            assert result.output != "", command
        assert posix_pane.run("echo usable", timeout_s=20).output == "usable", command
        assert time.monotonic() - started < 10, command


def test_a_line_that_zsh_accepts_only_in_files_is_not_typed(open_shell):
    pane = open_shell("zsh")
    for command in ("echo (", "ls *(.", "print (a|b", "echo a=(", "repeat 3", "for x in 1", "select x", "if true"):
        pane.run(command, timeout_s=20)
        assert pane.run("echo usable", timeout_s=20).output == "usable", command


def test_a_here_document_without_its_delimiter_ends_with_the_command(posix_pane):
    for command in ("cat <<EOF", "cat <<-E", "cat <<'E'", "cat <<EOF; echo x"):
        posix_pane.run(command, timeout_s=20)
        assert posix_pane.run("echo usable", timeout_s=20).output == "usable", command
    result = posix_pane.run("cat <<EOF\nno end", timeout_s=20)
    assert "no end" in result.output or result.exit_code != 0
    assert posix_pane.run("echo usable").output == "usable"


def test_a_syntax_error_in_fish_returns_the_message_of_fish_at_once(open_shell):
    pane = open_shell("fish")
    for command in ('echo "open', "begin", "end", "echo a[", "echo $a[1", "echo *[", "2>&1", "echo (", "echo a &&"):
        result = pane.run(command, timeout_s=20)
        assert result.exit_code != 0
        assert result.output != ""
        assert pane.run("echo usable", timeout_s=20).output == "usable"


def test_words_reach_the_program_exactly(pane):
    words = ["a b", "", "$HOME", "it's", '"q"', "back\\slash", "new\nline", "*", "~", "-n", "ünï", "!", "#", "a;b", "&"]
    result = pane.run(["printf", "[%s]", *words])
    assert result.output == "".join(f"[{word}]" for word in words)
    words = ["=ls", "==", "%self", "%1", "a=~"]
    assert pane.run(["printf", "[%s]", *words]).output == "".join(f"[{word}]" for word in words)


def test_words_are_not_expanded_as_aliases(open_shell):
    pane = open_shell("zsh")
    pane.run("alias -g G='| grep x'")
    assert pane.run(["echo", "G"]).output == "G"


def test_control_characters_reach_the_program(pane):
    command = "printf %s 'a\x1bb\rc\x03d\x7fe' | od -An -tx1"
    assert pane.run(command).output.split() == ["61", "1b", "62", "0d", "63", "03", "64", "7f", "65"]


@pytest.mark.parametrize("command", ["", "   ", "\n", []])
def test_an_empty_command_is_refused(phux, command):
    with pytest.raises(errors.BadRequestError):
        phux.drive(flows.run(phux.caller, "@1", command))


# Shells that end


def test_exit_ends_the_run_and_the_pane(pane):
    result = pane.run("exit 3", timeout_s=20)
    assert result.exit_code == 3
    pane.wait(exit=True, timeout_s=10)  # fish reports the end of its last line, too
    assert pane.info().state == "dead"
    with pytest.raises(errors.PaneClosedError):
        pane.run("echo more")


def test_exec_returns_the_result_of_the_program_that_replaced_the_shell(pane):
    result = pane.run("exec sh -c 'echo replaced; exit 4'", timeout_s=20)
    assert (result.exit_code, result.output) == (4, "replaced")


def test_a_killed_shell_ends_the_run_with_its_signal(posix_pane):
    result = posix_pane.run("echo dying; kill -9 $$", timeout_s=20)
    assert result.exit_code == 128 + signal.SIGKILL
    assert result.output == "dying"


def shell_inside(pane, command):
    """Start a shell in a pane's shell, and wait until it reads a line."""
    pane.wait(state="prompt", timeout_s=10)
    outer = pane.info().foreground.pid
    pane.send_keys(command, "Enter")
    eventually(lambda: (front := pane.info().foreground) is not None and front.pid != outer)
    pane.wait(state="prompt", timeout_s=10)


@pytest.mark.parametrize("outer", POSIX)
def test_a_command_may_end_a_nested_shell(open_shell, outer):
    pane = open_shell(outer)
    for command in ("echo last; exit 7", "echo last; kill -9 $$"):
        shell_inside(pane, "dash")
        result = pane.run(command, timeout_s=20)
        assert result.output.splitlines()[0] == "last"
        # A shell without marks does not report the exit code.
        assert result.exit_known == (outer != "bash --norc")
        assert result.exit_code in ((7, 128 + signal.SIGKILL) if result.exit_known else (255,))
        assert pane.run("echo usable", queue=True, timeout_s=20).output == "usable"


@pytest.mark.parametrize("outer", ["dash", "bash --norc", "ksh", "busybox"])
def test_another_shell_can_replace_a_shell_without_marks(open_shell, outer):
    pane = open_shell(outer)
    result = pane.run(
        "echo before; exec bash --norc" if outer != "bash --norc" else "echo before; exec dash", timeout_s=20
    )
    assert (result.output, result.exit_code) == ("before", 0)
    assert pane.run("echo usable", queue=True, timeout_s=20).output == "usable"


def test_a_shell_started_by_a_command_does_not_end_the_run(open_shell):
    pane = open_shell("dash")
    with running(pane, "bash --norc; echo back; (exit 3)", timeout_s=30) as outcome:
        wait_for_program(pane, "bash")
        pane.wait(state="prompt", timeout_s=10)
        pane.send_keys("echo in $((1 + 1)) shells", "Enter")
        pane.wait(until="in 2 shells", timeout_s=10)
        assert outcome == []
        pane.send_keys("exit", "Enter")
    assert outcome[0].exit_code == 3
    assert outcome[0].output.splitlines()[-1] == "back"


def test_a_killed_pane_ends_the_run(open_shell, phux):
    pane = open_shell("bash")
    with phux.watch(pane.selector) as events, running(pane, "sleep 60", timeout_s=30) as outcome:
        while events.next(timeout_s=10).event != "command_started":
            pass
        phux.kill(pane.selector)
    assert isinstance(outcome[0], errors.PaneClosedError) or outcome[0].exit_code > 128


# Timeouts


@two_shells
def test_the_command_continues_after_a_timeout(pane, tmp_path):
    with pytest.raises(errors.TimedOutError, match="still running"):
        pane.run("env sleep 1; echo late > late.txt", timeout_s=0.3)
    with pytest.raises(errors.BusyError, match="sleep"):
        pane.run("echo now")
    assert pane.run("cat late.txt", queue=True, timeout_s=20).output == "late"


@two_shells
def test_a_timeout_reports_that_the_command_waits_for_input(pane):
    with pytest.raises(errors.TimedOutError, match="cat waits for input") as raised:
        pane.run("cat", timeout_s=1)
    assert "send-keys" in raised.value.remedy
    pane.send_keys("C-d")


def test_interrupt_ends_the_command_at_the_timeout(pane):
    with pytest.raises(errors.TimedOutError, match="C-c was sent, and the command has ended"):
        pane.run("env sleep 60", timeout_s=0.3, interrupt=True)
    assert pane.run("echo usable", queue=True, timeout_s=20).output == "usable"


def test_c_c_from_another_client_ends_the_run(pane):
    with running(pane, "env sleep 60", timeout_s=30) as outcome:
        wait_for_program(pane, "sleep")
        pane.send_keys("C-c")
    assert outcome[0].exit_code == 130
    assert outcome[0].interleaved
    assert pane.run("echo usable", queue=True, timeout_s=20).output == "usable"


def test_run_works_after_a_command_that_removes_the_shell_hooks(open_shell):
    pane = open_shell("bash")
    result = pane.run("PROMPT_COMMAND=; unset PROMPT_COMMAND", timeout_s=20)
    assert (result.exit_code, result.exit_known) == (0, True)
    assert pane.commands()[-1].exit_code == 0
    assert pane.run("echo usable; false", timeout_s=20).exit_code == 1


@pytest.mark.parametrize("code", [0, 7])
@pytest.mark.parametrize(
    "hooks", ["PROMPT_COMMAND=('history -a')", "unset PROMPT_COMMAND", "PROMPT_COMMAND='history -a'"]
)
def test_a_sourced_file_that_replaces_the_hooks_keeps_the_exit_code(open_shell, tmp_path, hooks, code):
    (tmp_path / "rc1.sh").write_text(f"{hooks}\n")
    pane = open_shell("bash")
    result = pane.run(f"source rc1.sh; echo sourced; (exit {code})", timeout_s=20)
    assert result.output == "sourced"
    assert (result.exit_code, result.exit_known) == (code, True)
    assert pane.commands()[-1].exit_code in {None, code}
    result = pane.run("echo next; (exit 3)", timeout_s=20)
    assert (result.output, result.exit_code, result.exit_known) == ("next", 3, True)


def test_an_exit_code_of_255_is_known(pane):
    result = pane.run("sh -c 'exit 255'", timeout_s=20)
    assert (result.exit_code, result.exit_known) == (255, True)


def test_a_timeout_of_zero_means_no_limit(open_shell):
    assert open_shell("bash").run("sleep 0.5; echo done", timeout_s=0).output == "done"


# Other clients in the same pane


@two_shells
def test_a_busy_error_names_the_foreground_program(pane):
    pane.send_keys("cat", "Enter")
    pane.wait(state="awaiting_input", timeout_s=10)
    with pytest.raises(errors.BusyError, match="cat") as refused:
        pane.run("echo hi")
    assert "send-keys" in refused.value.remedy, "the program may be a REPL"
    pane.send_keys("C-d")
    assert pane.run("echo hi", queue=True, timeout_s=20).output == "hi"


def test_a_program_that_ignored_an_interrupt_is_not_interrupted_again(pane):
    program = "import signal; signal.signal(2, lambda *_: print('INT')); [print('got', input()) for _ in '12']"
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys(f'{sys.executable} -c "{program}"', "Enter")
    pane.wait(state="awaiting_input", timeout_s=10)
    pane.send_keys("C-c")
    pane.wait(regex="INT$", timeout_s=10)
    with pytest.raises(errors.BusyError):
        pane.run("echo no", timeout_s=10)
    pane.send_keys("a", "Enter")
    pane.wait(regex="^got a$", timeout_s=10)
    assert pane.snapshot().text.count("INT\n") == 1
    pane.send_keys("b", "Enter")


@two_shells
def test_a_busy_error_names_a_full_screen_program(pane):
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("vim -u NONE -N", "Enter")
    pane.wait(state="fullscreen", timeout_s=10)
    taken = []
    for _ in range(3):
        began = time.monotonic()
        with pytest.raises(errors.BusyError, match="vim"):
            pane.run("echo hi", timeout_s=20)
        taken.append(time.monotonic() - began)
    assert min(taken) < 0.5
    with pytest.raises(errors.TimedOutError):
        pane.run("echo never", queue=True, timeout_s=0.3)
    with running(pane, "echo queued", queue=True, timeout_s=30) as outcome:
        pane.send_keys(":q!", "Enter")
    assert outcome[0].output == "queued"


@two_shells
def test_runs_of_several_callers_queue_up(pane, phux):
    results = {}

    def run(number):
        with blocking.Phux(phux.socket) as own:
            results[number] = own.pane(pane.id).run(f"echo start {number}; sleep 0.1; echo end {number}")

    threads = [threading.Thread(target=run, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: result.output for number, result in results.items()} == {
        number: f"start {number}\nend {number}" for number in range(5)
    }
    ranges = sorted((result.seq.start, result.seq.end) for result in results.values())
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(ranges))


def test_input_from_other_clients_is_reported(pane):
    with running(pane, "sh -c 'read x; echo got $x'", timeout_s=30) as outcome:
        pane.wait(state="awaiting_input", timeout_s=10)
        pane.send_keys("an answer", "Enter")
    assert outcome[0].interleaved
    assert outcome[0].output == "an answer\ngot an answer"


def test_a_program_that_was_typed_after_a_run_is_refused_at_once(pane):
    pane.run("true", timeout_s=10)
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("sh -c 'sleep 100'", "Enter")
    wait_for_program(pane, "sh", "sleep")
    started = time.monotonic()
    with pytest.raises(errors.BusyError):
        pane.run("echo no", timeout_s=10)
    assert time.monotonic() - started < 1
    pane.send_keys("C-c")


def test_a_partly_typed_line_of_another_client_is_not_overwritten(integrated_pane):
    integrated_pane.send_keys("echo precious")
    integrated_pane.wait(until="precious", timeout_s=10)
    with pytest.raises(errors.BusyError, match="typed"):
        integrated_pane.run("echo hi")
    integrated_pane.send_keys("Enter")
    assert integrated_pane.run("echo hi", queue=True, timeout_s=20).output == "hi"


def test_the_screen_shows_the_command_and_its_output_and_nothing_else(integrated_pane):
    integrated_pane.run("echo hello")
    integrated_pane.run("echo 'a b' | cat")
    integrated_pane.run("true")  # runs after the prompt is drawn
    lines = [line for line in integrated_pane.snapshot().lines if line and line != "$"]
    assert lines[-5:] == ["$ echo hello", "hello", "$ echo 'a b' | cat", "a b", "$ true"]


def test_a_run_in_a_shell_without_marks_shows_one_short_line(open_shell):
    pane = open_shell("bash")
    shell_inside(pane, "dash")
    pane.run("for i in 1 2 3; do\n  echo $i\ndone")
    pane.run("true")  # typed after the prompt is drawn
    lines = [line for line in pane.snapshot().lines if line]
    last = len(lines) - 1 - lines[::-1].index("3")
    assert lines[last - 2 : last + 1] == ["1", "2", "3"]
    assert len(lines[last - 3]) < 60


# Shells in shells


def test_run_works_in_a_shell_started_in_a_shell(integrated_pane):
    for inner in ("bash --norc", "dash"):
        integrated_pane.send_keys(inner, "Enter")
        eventually(lambda: (info := integrated_pane.info()).foreground and info.foreground.pid != info.pid)
        integrated_pane.wait(state="prompt", timeout_s=10)
        assert integrated_pane.run("echo inner; false").exit_code == 1
        assert integrated_pane.run("echo $0").output.endswith(inner.split()[0])
        assert integrated_pane.run("exit 6", timeout_s=20).exit_code == 6, (
            "the outer shell reports the exit code of the inner one"
        )
        eventually(lambda: (info := integrated_pane.info()).foreground and info.foreground.pid == info.pid)
    assert integrated_pane.run("echo outer", queue=True, timeout_s=20).output == "outer"


@pytest.mark.parametrize("inner", ["bash --norc", "dash", "zsh -f", "busybox sh"])
def test_run_works_in_a_shell_in_a_nested_terminal(open_shell, inner):
    """As with ssh or docker exec: a raw terminal, no shell process in the foreground, no shared files."""
    if shutil.which("script") is None:
        pytest.skip("script is not installed")
    pane = open_shell("bash")
    pane.send_keys(f"script -q -c '{inner}' /dev/null", "Enter")
    wait_for_program(pane, "script")
    pane.wait(state="awaiting_input", timeout_s=10)
    pane.wait(idle_ms=300, timeout_s=10)
    result = pane.run("echo far away; false", timeout_s=20)
    assert (result.output, result.exit_code) == ("far away", 1)
    assert pane.run("echo $?", timeout_s=20).output == "1"
    assert pane.run("cat <<EOF\none\ntwo\nEOF\n# comment", timeout_s=20).output == "one\ntwo"
    assert pane.run("X=kept; cd /", timeout_s=20).exit_code == 0
    assert pane.run("echo $X $PWD", timeout_s=20).output == "kept /"
    result = pane.run("if true; then", timeout_s=20)
    assert result.exit_code != 0
    assert result.output != ""
    long = "x" * 6000
    assert pane.run(f"printf %s {long} | wc -c", timeout_s=20).output.strip() == "6000"
    assert pane.run("echo usable", timeout_s=20).output == "usable"


@pytest.fixture
def fish(tmp_path):
    """Return a command that starts fish with a known prompt."""
    if shutil.which("fish") is None:
        pytest.skip("fish is not installed")
    (tmp_path / "prompt.fish").write_text("function fish_prompt; echo -n 'fish> '; end\n")
    return f"fish --no-config -C 'source {tmp_path}/prompt.fish'"


def test_run_works_in_a_fish_in_a_nested_terminal(open_shell, fish):
    pane = open_shell("bash")
    pane.send_keys(f'script -q -c "{fish}" /dev/null', "Enter")
    pane.wait(regex="^fish> $", timeout_s=10)
    result = pane.run("echo far away; false", timeout_s=20)
    assert (result.output, result.exit_code) == ("far away", 1)
    assert pane.run("set kept yes; cd /; function f; echo $kept $PWD $argv; end", timeout_s=20).exit_code == 0
    assert pane.run("f 'it\\'s' \"a\\\\b\"", timeout_s=20).output == "yes / it's a\\b"
    assert (
        pane.run(["printf", "%s|", "it's", "a\\b", "$kept", "two\nlines"], timeout_s=20).output
        == "it's|a\\b|$kept|two\nlines|"
    )
    assert pane.run("for i in 1 2\n  echo $i\nend\n# comment", timeout_s=20).output == "1\n2"
    for broken in ("if true", "echo 'open"):
        result = pane.run(broken, timeout_s=20)
        assert result.exit_code != 0
        assert result.output != ""
    long = "x" * 6000
    assert pane.run(f"printf %s {long} | wc -c", timeout_s=20).output.strip() == "6000"
    assert pane.run("echo usable", timeout_s=20).output == "usable"


def test_another_shell_in_a_remote_one_is_probed_again(far_pane, fish):
    assert far_pane.run("echo one", timeout_s=20).output == "one"
    assert far_pane.run("echo two", timeout_s=20).output == "two"
    assert questions(far_pane) == 1
    far_pane.send_keys(fish, "Enter")
    far_pane.wait(regex="^fish> $", timeout_s=10)
    assert far_pane.run("echo $fish_pid | wc -l; false", timeout_s=20).exit_code == 1
    with pytest.raises(errors.TimedOutError):
        far_pane.run("exec dash", timeout_s=1)
    assert far_pane.run("echo $0", timeout_s=20).output == "dash"
    assert questions(far_pane) == 3, "once more for fish, and once more after the timeout"


def questions(pane):
    """Return how often a remote shell was probed."""
    return "".join(pane.logs().content.splitlines()).count(";S%s")


def test_no_command_is_typed_into_a_remote_program_that_is_not_a_shell(far_pane):
    far_pane.send_keys("sleep 60", "Enter")
    far_pane.wait(idle_ms=300, timeout_s=10)
    with pytest.raises(errors.BusyError, match="no shell has replied"):
        far_pane.run("echo never", timeout_s=30)
    waiting = threading.Timer(0.5, far_pane.send_keys, ["C-c"])
    waiting.start()
    assert far_pane.run("echo queued", queue=True, timeout_s=30).output == "queued"
    waiting.join()
    assert not any("never" in line for line in far_pane.snapshot(scrollback=100).lines)


@pytest.fixture
def far_pane(open_shell):
    """A bash with a slow prompt in a nested terminal."""
    if shutil.which("script") is None:
        pytest.skip("script is not installed")
    pane = open_shell("bash")
    pane.send_keys("PS1='far> ' PROMPT_COMMAND='sleep 0.1' script -q -c 'bash --norc' /dev/null", "Enter")
    pane.wait(regex="^far> $", timeout_s=10)
    return pane


def test_typing_waits_for_the_prompt_of_a_remote_shell(far_pane):
    for number in range(3):
        assert far_pane.run(f"echo {number}", timeout_s=20).output == str(number)
    typed = [line for line in far_pane.snapshot().lines if "_p=" in line]
    assert len(typed) == 3
    assert all(line.startswith("far> ") for line in typed), "input typed ahead would be on a line of its own"


def test_input_typed_ahead_and_discarded_by_c_c_is_not_awaited(far_pane):
    far_pane.send_keys("sleep 60", "Enter")
    far_pane.wait(idle_ms=300, timeout_s=10)
    with pytest.raises(errors.TimedOutError):
        far_pane.run("echo never", timeout_s=1)
    far_pane.send_keys("C-c")
    far_pane.wait(regex="^far> $", timeout_s=10)
    began = time.monotonic()
    assert far_pane.run("echo next", timeout_s=20).output == "next"
    assert time.monotonic() - began < 5


# Faults


def test_no_file_is_left_next_to_the_socket(server, open_shell):
    pane = open_shell("dash")
    pane.run("if")
    # A character that is a key at the prompt needs a file, which exists while the command runs.
    assert pane.run(f"ls -1 {os.path.dirname(server.socket)}/r*; #\a").exit_code == 0
    assert files_of_runs(server.socket) == []


@two_shells
def test_a_secret_can_be_typed_while_a_run_awaits_one(pane):
    with running(pane, "bash -c 'read -s x; echo length ${#x}'", timeout_s=30) as outcome:
        pane.wait(state="awaiting_secret", timeout_s=10)
        pane.send_keys("hunter2", "Enter")
    assert outcome[0].output == "length 7"


# Typed input that was not read yet


def test_a_wait_for_the_prompt_ignores_the_previous_prompt(pane, tmp_path):
    pane.wait(state="prompt", timeout_s=10)
    for number in range(5):
        pane.send_keys(f"sleep 0.1; echo x >{number}", "Enter")
        pane.wait(state="prompt", timeout_s=10)
        assert (tmp_path / str(number)).exists()
        pane.start(f"sleep 0.1; echo x >started-{number}")
        pane.wait(state="prompt", timeout_s=10)
        assert (tmp_path / f"started-{number}").exists()


@pytest.mark.parametrize("key", ["Enter", "C-c"])
def test_a_key_that_starts_no_command_leaves_the_state_at_prompt(pane, key):
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys(key)
    began = time.monotonic()
    pane.wait(state="prompt", timeout_s=10)
    assert time.monotonic() - began < 1.5
    assert pane.run("echo next", timeout_s=10).output == "next"


@pytest.mark.parametrize("shell", MARKED)
def test_no_command_is_typed_at_a_continuation_prompt(open_shell, shell):
    pane = open_shell(shell)
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("echo 'open", "Enter")
    began = time.monotonic()
    pane.wait(state=["prompt", "awaiting_input"], timeout_s=10)
    assert time.monotonic() - began < 1.5
    with pytest.raises(errors.BusyError) as caught:
        pane.run("echo no", timeout_s=10)
    assert "C-c" in caught.value.remedy
    pane.send_keys("closed'")  # typed without Enter, because fish would quote text that is pasted between quotes
    pane.send_keys("Enter")
    pane.wait(until="closed", output_only=True, timeout_s=10)
    assert pane.run("echo yes", timeout_s=10).output == "yes"


def test_an_integrated_shell_reports_a_running_loop(integrated_pane):
    integrated_pane.wait(state="prompt", timeout_s=10)
    fish = integrated_pane.info().foreground.command == "fish"
    integrated_pane.send_keys("begin" if fish else "for i in 1; do", "Enter")
    with pytest.raises(errors.BusyError, match="waits for the rest"):
        integrated_pane.run("echo no", timeout_s=10)
    integrated_pane.send_keys("C-c")
    assert integrated_pane.run("echo yes", timeout_s=10).output == "yes"


@pytest.mark.parametrize("key", ["C-c", "C-u"])
def test_a_run_right_after_a_key_that_clears_the_line_starts_at_once(integrated_pane, key):
    integrated_pane.wait(state="prompt", timeout_s=10)
    for _ in range(3):
        integrated_pane.send_keys(key)
        began = time.monotonic()
        assert integrated_pane.run("echo soon", timeout_s=10).output == "soon"
        assert time.monotonic() - began < 1.9


def test_a_run_right_after_the_key_that_ends_a_program_waits_for_its_end(integrated_pane):
    integrated_pane.wait(state="prompt", timeout_s=10)
    for _ in range(10):
        integrated_pane.send_keys("cat", "Enter")
        assert integrated_pane.wait(state="awaiting_input", timeout_s=10).foreground.command == "cat"
        integrated_pane.send_keys("C-d")
        assert integrated_pane.run("echo over", timeout_s=10).output == "over"
    integrated_pane.send_keys("less /etc/passwd", "Enter")
    integrated_pane.wait(state="fullscreen", timeout_s=10)
    integrated_pane.send_keys("q")
    assert integrated_pane.run("echo over", timeout_s=10).output == "over"


# Unusual situations


def test_a_command_that_has_not_started_blocks_later_ones(open_shell):
    pane = open_shell("bash")
    pid = pane.info().pid
    os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(errors.TimedOutError):
            pane.run("echo A; (exit 9)", timeout_s=0.3)
        with pytest.raises(errors.TimedOutError, match="the command was not typed"):
            pane.run("echo B", timeout_s=0.3, queue=True)
    finally:
        os.kill(pid, signal.SIGCONT)
    result = pane.run("echo C", queue=True, timeout_s=20)
    assert (result.output, result.exit_code) == ("C", 0)


def test_a_line_that_the_terminal_does_not_accept_is_an_error(open_shell):
    pane = open_shell("bash")
    pid = pane.info().pid
    os.kill(pid, signal.SIGSTOP)
    try:
        # More than the kernel holds for a program that does not read; C-l leaves nothing on the line.
        with RawClient(pane._phux.socket) as other:
            other.send({"id": 1, "call": "input", "params": {"pane": pane.id, "items": [{"text": "\x0c" * 50000}]}})
            other.send({"id": 2, "call": "status"})
            assert other.receive()["id"] == 2, "the first request waits"
            with pytest.raises(errors.BusyError, match="is busy"):
                pane.run("echo lost", timeout_s=30)
            assert other.reply(1)["error"]["code"] == "input_blocked"
    finally:
        os.kill(pid, signal.SIGCONT)
    pane.send_keys("C-u")
    assert pane.run("echo mine", queue=True, timeout_s=20).output == "mine"


def test_watchers_get_the_end_of_a_command_before_the_caller(integrated_pane):
    with RawClient(integrated_pane._phux.socket) as client:
        client.get("subscribe", pane=integrated_pane.id)
        for number in range(20):
            reply = client.get("run", pane=integrated_pane.id, id=f"watched-{number}", command="sh -c 'exit 3'")
            told = [frame["event"] for frame in client.events]
            assert reply["exit_code"] == 3
            assert [event["exit_code"] for event in told if event["event"] == "command_finished"] == [3] * (number + 1)


def test_hundreds_of_queued_runs_on_one_connection_all_return(integrated_pane):
    most = 300
    with RawClient(integrated_pane._phux.socket, timeout_s=60) as client:
        for number in range(most):
            params = {"pane": integrated_pane.id, "id": f"many-{number}", "command": f"echo {number}", "queue": True}
            client.send({"id": number, "call": "run", "params": params})
        replies = [client.receive() for _ in range(most)]
    assert {reply["id"]: reply["ok"]["output"] for reply in replies} == {number: str(number) for number in range(most)}


def test_a_run_right_after_enter_returns_its_own_result(integrated_pane):
    for _ in range(5):
        integrated_pane.send_keys("Enter")
        result = integrated_pane.run("echo mine; sh -c 'exit 4'", timeout_s=20)
        assert (result.output, result.exit_code) == ("mine", 4)


def test_an_erased_line_blocks_no_run(open_shell):
    pane = open_shell("bash")
    pane.send_keys("half a line")
    pane.wait(until="half a line", timeout_s=10)
    pane.send_keys("C-u")
    pane.send_keys("C-l")
    assert pane.run("echo mine", timeout_s=20).output == "mine"


def test_lines_with_a_special_meaning_at_the_prompt_are_run_as_commands(open_shell):
    bash = open_shell("bash")
    bash.run("echo hello")
    assert bash.run("^hello^bye", timeout_s=20).exit_code == 127
    fish = open_shell("fish")
    fish.run("echo a |& cat", timeout_s=20)
    assert fish.run("echo usable", timeout_s=20).output == "usable"


def test_a_repeated_run_request_runs_the_command_once(open_shell, phux, tmp_path):
    pane = open_shell("bash")
    request = flows.Request("run", pane=pane.id, id="once", command="echo x >> count; echo ran")
    assert phux.request(request)["output"] == "ran"
    assert phux.request(request)["output"] == "ran"
    assert (tmp_path / "count").read_text() == "x\n"


def test_a_full_directory_is_reported_and_leaves_no_file(server, open_shell, phux):
    import resource

    pane = open_shell("dash")
    service = phux.status().service_pid
    resource.prlimit(service, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    try:
        with pytest.raises(errors.RefusedError, match="cannot be written"):
            pane.run("echo hi #\a", timeout_s=20)
    finally:
        resource.prlimit(service, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert files_of_runs(server.socket) == []
    assert pane.run("echo hi", timeout_s=20).output == "hi"


# Input typed by others


def test_input_typed_ahead_of_the_prompt_is_not_overwritten(integrated_pane):
    integrated_pane.wait(state="prompt", timeout_s=10)
    integrated_pane.start("env sleep 1")
    wait_for_program(integrated_pane, "sleep")
    integrated_pane.send_keys("echo part")
    integrated_pane.wait(state="prompt", timeout_s=10)
    with pytest.raises(errors.BusyError, match="partly typed line"):
        integrated_pane.run("echo no", timeout_s=10)
    integrated_pane.send_keys("ed", "Enter")
    integrated_pane.wait(regex="^parted$", timeout_s=10)
    assert integrated_pane.run("echo yes", timeout_s=10).output == "yes"


def test_a_wait_finds_a_prompt_after_output_without_a_newline(integrated_pane):
    integrated_pane.wait(state="prompt", timeout_s=10)
    assert integrated_pane.run("printf unended", timeout_s=10).output == "unended"
    integrated_pane.wait(state="prompt", timeout_s=10)
    integrated_pane.send_keys("echo x")
    assert integrated_pane.wait(regex="^[$] echo x$", timeout_s=10).met_line == "$ echo x"


@pytest.mark.parametrize("keys", [["q"], ["true", "Enter", "echo q"]])
def test_input_typed_right_after_a_line_is_not_overwritten(integrated_pane, keys):
    integrated_pane.wait(state="prompt", timeout_s=10)
    for start in (lambda: integrated_pane.start("sleep 0.2"), lambda: integrated_pane.send_keys("sleep 0.2", "Enter")):
        start()
        integrated_pane.send_keys(*keys)
        integrated_pane.wait(regex=f"[$] {keys[-1]}$", timeout_s=10)
        with pytest.raises(errors.BusyError, match="partly typed line"):
            integrated_pane.run("echo no", timeout_s=10)
        integrated_pane.send_keys("C-u")
        assert integrated_pane.run("clear; echo yes", timeout_s=10).output.endswith("yes")


def test_a_key_typed_before_its_program_reads_is_not_at_the_prompt(integrated_pane, tmp_path):
    (tmp_path / "long").write_text("line\n" * 500)
    integrated_pane.wait(state="prompt", timeout_s=10)
    for _ in range(5):
        integrated_pane.start("less long")
        integrated_pane.send_keys("q")
        assert integrated_pane.run("echo next", queue=True, timeout_s=10).output == "next"


@pytest.mark.parametrize("key", ["C-u", "C-z", "C-\\"])
def test_a_key_consumed_by_the_terminal_is_not_at_the_prompt(open_shell, key):
    pane = open_shell("bash")
    pane.wait(state="prompt", timeout_s=10)
    pane.start("env sleep 1")
    wait_for_program(pane, "sleep")
    pane.send_keys("x")
    pane.send_keys(key)
    assert pane.run("echo next", queue=True, timeout_s=10).output == "next"


def test_a_key_that_a_program_has_read_is_not_at_the_prompt(integrated_pane):
    integrated_pane.wait(state="prompt", timeout_s=10)
    for keys in (["x", "C-c"], ["x"]):
        integrated_pane.start("sh -c 'stty raw; head -c 1; stty sane; sleep 1'")
        integrated_pane.wait(state="awaiting_input", timeout_s=10)
        for key in keys:
            integrated_pane.send_keys(key)
        assert integrated_pane.run("echo next", queue=True, timeout_s=10).output == "next"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_no_command_is_appended_to_a_line_that_an_ignored_c_c_did_not_clear(open_shell, shell):
    pane = open_shell(shell)
    pane.run("trap '' INT", timeout_s=10)
    pane.wait(state="prompt", timeout_s=10)  # before the prompt, the terminal itself would discard typed input
    pane.send_keys("echo part")
    pane.wait(regex="^[$] echo part$", timeout_s=10)
    pane.send_keys("C-c")
    with pytest.raises(errors.BusyError, match="partly typed line"):
        pane.run("echo no", timeout_s=10)
    pane.send_keys("C-u")
    assert pane.run("echo yes", timeout_s=10).output == "yes"
    pane.send_keys("C-c")
    assert pane.run("echo yes", timeout_s=10).output == "yes"


def test_no_command_is_appended_to_a_line_that_fish_rejected(open_shell):
    pane = open_shell("fish")
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("echo )", "Enter")
    with pytest.raises(errors.BusyError, match="partly typed line"):
        pane.run("echo no", timeout_s=10)
    pane.wait(idle_ms=100, timeout_s=10)  # fish may lose a C-c right after another key
    pane.send_keys("C-c")
    assert pane.run("echo yes", timeout_s=10).output == "yes"
    pane.send_keys("no-such-program", "Enter")
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("Enter")
    pane.wait(state="prompt", timeout_s=10)
    began = time.monotonic()
    assert pane.run("echo yes", timeout_s=10).output == "yes"
    assert time.monotonic() - began < 1.5


def test_run_works_after_a_failed_history_expansion(open_shell):
    for shell in ("bash", "zsh"):
        pane = open_shell(shell)
        pane.wait(state="prompt", timeout_s=10)
        pane.send_keys("echo !nosuch", "Enter")
        pane.wait(until="event not found", timeout_s=10)
        assert pane.run("echo yes", timeout_s=10).output == "yes"
