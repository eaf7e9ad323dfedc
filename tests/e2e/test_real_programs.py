"""Real programs in real panes: they start quickly, react to keys, and end."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time

import pytest

from phux_client import blocking
from phux_core import engine as engines
from phux_core import shapes

PATIENCE_S = 20
FIRST_SCREEN_S = 3  # a program waits a second or more for each query without a reply

# Sends the queries of real programs, one at a time, and prints whether each was answered within a second.
ASKING = r"""
import os, re, select, sys, termios, time, tty
QUESTIONS = {
    "DA1": (b"\x1b[c", rb"\x1b\[\?[\d;]+c"),
    "DA2": (b"\x1b[>c", rb"\x1b\[>[\d;]+c"),
    "DSR": (b"\x1b[5n", rb"\x1b\[0n"),
    "CPR": (b"\x1b[6n", rb"\x1b\[\d+;\d+R"),
    "DECRQM": (b"\x1b[?2026$p", rb"\x1b\[\?2026;[12]\$y"),
    "foreground": (b"\x1b]10;?\x1b\\", rb"\x1b\]10;rgb:[0-9a-f/]+\x1b\\"),
    "background": (b"\x1b]11;?\x07", rb"\x1b\]11;rgb:[0-9a-f/]+\x07"),
    "XTVERSION": (b"\x1b[>0q", rb"\x1bP>\|phux [^\x1b]+\x1b\\"),
    "DECRQSS": (b"\x1bP$qm\x1b\\", rb"\x1bP1\$r[\d;]*m\x1b\\"),
    "size": (b"\x1b[18t", rb"\x1b\[8;24;80t"),
    "kitty": (b"\x1b[?u", rb"\x1b\[\?\d+u"),
}
before = termios.tcgetattr(0)
tty.setraw(0)
told = []
try:
    for name, (question, wanted) in QUESTIONS.items():
        asked, answer = time.monotonic(), b""
        os.write(1, question)
        while not re.fullmatch(wanted, answer):
            left = asked + 1 - time.monotonic()
            if left <= 0 or not select.select([0], [], [], left)[0]:
                break
            answer += os.read(0, 1000)
        told.append(f"{name} {'answered' if re.fullmatch(wanted, answer) else 'got ' + repr(answer)}")
finally:
    termios.tcsetattr(0, termios.TCSAFLUSH, before)
print("\n".join(told))
print("asked everything")
"""
QUESTIONS = 11


@pytest.fixture(scope="module", params=engines.ENGINES)
def phux(request):
    """One private server for each engine."""
    if request.param == "ghostty":
        pytest.importorskip("pyghostty")
    with blocking.embedded(engine=request.param) as phux:
        assert phux.status().engine == request.param
        yield phux


@pytest.fixture
def start(phux, tmp_path):
    """Start programs in panes, in a separate directory; they are killed after the test."""
    sessions = []

    def start(*command):
        if shutil.which(command[0]) is None:
            pytest.skip(f"{command[0]} is not installed")
        env = {"HOME": str(tmp_path), "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "LESSHISTFILE": "-", "LESS": ""}
        sessions.append(phux.new_session(cwd=str(tmp_path), command=command, env=env))
        return sessions[-1].pane

    yield start
    for session in sessions:
        session.kill()


def see(pane, text):
    """Wait for a text and return the screen."""
    return pane.wait(until=text, timeout_s=PATIENCE_S)


def ended(pane):
    """Wait for the program's end and return its exit status."""
    return pane.wait(exit=True, timeout_s=PATIENCE_S).exit_status


def test_vim_edits_a_file_and_saves_it(start, tmp_path):
    pane = start("vim", "-u", "NONE", "-i", "NONE", "-N", "-n", "note.txt")
    # Vim redraws the screen without the message if the terminal's replies are late.
    pane.wait(until='"note.txt"', since=0, timeout_s=PATIENCE_S)
    pane.send_keys("i", "first line", "Enter", "second 日本語 line", "Enter", "third", "Escape")
    see(pane, "third")
    pane.send_keys("ggdd", "P", "G$x", ":set number", "Enter")
    see(pane, "  3 thir")
    pane.send_keys(":wq", "Enter")
    assert ended(pane) == 0
    assert (tmp_path / "note.txt").read_text() == "first line\nsecond 日本語 line\nthir\n"


def test_vim_uses_the_alternate_screen_and_leaves_it(start):
    pane = start("sh", "-c", "echo before; vim -u NONE -i NONE -N -n; echo after")
    shown = see(pane, "VIM - Vi IMproved")
    assert shown.alt_screen
    assert not any("before" in line for line in shown.lines)
    pane.send_keys(":q", "Enter")
    assert ended(pane) == 0
    left = pane.snapshot()
    assert [line for line in left.lines if line] == ["before", "after"]
    assert not left.alt_screen


def test_less_pages_searches_and_quits(start, tmp_path):
    (tmp_path / "lines.txt").write_text("".join(f"line {n:03}\n" for n in range(1, 301)))
    pane = start("less", "lines.txt")
    assert see(pane, "line 023").lines[0] == "line 001"
    pane.send_keys("Space")
    assert see(pane, "line 046").lines[0] == "line 024"
    pane.send_keys("b")
    assert see(pane, "line 001").lines[22] == "line 023"
    pane.send_keys("/ne 150", "Enter")
    assert see(pane, "line 172").lines[0] == "line 150"
    pane.send_keys("G")
    see(pane, "line 300")
    pane.send_keys("q")
    assert ended(pane) == 0


def test_htop_sorts_by_memory_and_quits(start):
    pane = start("htop")
    see(pane, "CPU%▽")
    pane.send_keys("M")
    see(pane, "MEM%▽")
    pane.send_keys("q")
    assert ended(pane) == 0


def test_a_fish_prompt_appears_and_runs_a_command(start):
    pane = start("fish", "--no-config", "-C", "function fish_prompt; echo 'demo> '; end")
    see(pane, "demo>")
    pane.send_keys("math 6 x 7; echo $TERM", "Enter")
    see(pane, "xterm-256color")
    assert "42" in pane.snapshot().lines
    pane.send_keys("exit 3", "Enter")
    assert ended(pane) == 3


def test_a_zsh_prompt_appears_and_runs_a_command(start, tmp_path):
    (tmp_path / ".zshrc").write_text("PS1='demo%% '\nautoload -Uz compinit; compinit -D\n")
    (tmp_path / "only-one-such-file").touch()
    pane = start("zsh", "-d")
    see(pane, "demo%")
    pane.send_keys("echo $((6 * 7)) only-o", "Tab")
    see(pane, "only-one-such-file")
    pane.send_keys("Enter")
    see(pane, "42 only-one-such-file")
    pane.send_keys("exit 3", "Enter")
    assert ended(pane) == 3


def test_fzf_filters_and_selects(start, tmp_path):
    if shutil.which("fzf") is None:
        pytest.skip("fzf is not installed")
    (tmp_path / "choices").write_text("apple\nbanana\ncherry\nblue banner\n")
    pane = start("sh", "-c", "fzf <choices >chosen")
    see(pane, "4/4")
    pane.send_keys("ban")
    see(pane, "2/4")
    pane.send_keys("ner")
    see(pane, "1/4")
    pane.send_keys("Enter")
    assert ended(pane) == 0
    assert (tmp_path / "chosen").read_text() == "blue banner\n"


def test_the_python_repl_runs_and_recalls_lines(start):
    pane = start(sys.executable, "-q")
    see(pane, ">>>")
    pane.send_keys("n = 41", "Enter", "n += 1; print('n is', n)", "Enter")
    see(pane, "n is 42")
    pane.send_keys("Up", "Enter")
    see(pane, "n is 43")
    pane.send_keys("C-d")
    assert ended(pane) == 0


def test_nano_edits_and_saves(start, tmp_path):
    (tmp_path / "note.txt").write_text("old\n")
    pane = start("nano", "--ignorercfiles", "note.txt")
    see(pane, "Exit")
    pane.send_keys("new text with 日本語", "Enter", "C-o")
    see(pane, "File Name to Write")
    pane.send_keys("Enter")
    see(pane, "Wrote 2 lines")
    pane.send_keys("C-x")
    assert ended(pane) == 0
    assert (tmp_path / "note.txt").read_text() == "new text with 日本語\nold\n"


def test_git_log_pages_a_colored_graph_through_less(start, tmp_path):
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    who = "Ada <ada@example.org> 981173106 +0000"
    stream = "".join(
        f"commit refs/heads/main\ncommitter {who}\ndata <<END\nStep {n:03}\nEND\n\n" for n in range(1, 101)
    )
    subprocess.run(["git", "init", "-q", "-b", "main", tmp_path], check=True, timeout=20)
    subprocess.run(["git", "-C", tmp_path, "fast-import", "--quiet"], input=stream.encode(), check=True, timeout=20)
    pane = start("git", "-c", "core.pager=less -R", "log", "main", "--graph", "--color=always", "--format=%C(red)%s")
    assert see(pane, "Step 078").lines[0] == "* Step 100"
    cells = {(cell.row, cell.col): cell.style.fg for cell in pane.snapshot(cells=True).cells}
    assert cells[0, 2] == shapes.PaletteColor(index=1)
    pane.send_keys("Space")
    assert see(pane, "Step 055").lines[0] == "* Step 077"
    pane.send_keys("G")
    see(pane, "Step 001")
    pane.send_keys("q")
    assert ended(pane) == 0


def test_every_terminal_query_is_answered_within_a_second(start, tmp_path):
    (tmp_path / "asking.py").write_text(ASKING)
    pane = start(sys.executable, "asking.py")
    shown = see(pane, "asked everything")
    answers = [line for line in shown.lines if line][:-1]
    assert len(answers) == QUESTIONS
    assert [answer for answer in answers if not answer.endswith(" answered")] == []
    assert ended(pane) == 0


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (["vim", "--clean"], "VIM - Vi IMproved"),
        (["fish", "--private", "-C", "function fish_prompt; echo 'demo> '; end"], "demo>"),
        (["htop"], "F10Quit"),
        (["zsh", "-f"], "$"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_the_first_screen_appears_quickly(start, command, text):
    begun = time.monotonic()
    pane = start(*command)
    pane.wait(until=text, timeout_s=PATIENCE_S)
    assert time.monotonic() - begun < FIRST_SCREEN_S
