"""A run is refused while the line at the prompt has content, however the content got there."""

from __future__ import annotations

import shutil

import pytest

from phux_core import errors
from shell_panes import INTEGRATED, wait_for_program

NOT_INTEGRATED = ["bash --norc", "dash", "ksh", "busybox"]
VI = {
    "bash": "set -o vi",
    "zsh": "bindkey -v",
    "fish": "fish_vi_key_bindings",
}


@pytest.fixture(params=INTEGRATED)
def shell(request):
    return request.param


@pytest.fixture
def pane(open_shell, shell):
    pane = open_shell(shell)
    pane.wait(state="prompt", timeout_s=10)
    return pane


def assert_accepts_a_run(pane):
    result = pane.run("echo mi''ne", timeout_s=10)
    assert (result.exit_code, result.output) == (0, "mine"), pane.snapshot().text


def assert_refuses_a_run(pane, why="partly typed line"):
    with pytest.raises(errors.BusyError, match=why):
        pane.run("echo mi''ne", timeout_s=10)


def in_vi_mode(pane, shell):
    pane.run(VI[shell], timeout_s=10)
    pane.wait(state="prompt", timeout_s=10)


def typed_while_it_runs(pane, *pieces):
    """Type pieces of input while a command runs, and wait for its end."""
    pane.start("env sleep 0.5")
    wait_for_program(pane, "sleep")
    for piece in pieces:
        pane.send_keys(*piece)
    pane.wait(command_done=True, timeout_s=10)


# Keys at the prompt


@pytest.mark.parametrize(
    "keys",
    [
        ["echo danger"],
        ["echo danger", "C-a"],
        ["echo danger", "C-a", "C-f", "C-u"],
        ["echo danger", "Left", "BSpace"],
        ["true", "C-j", "echo danger"],
    ],
)
def test_a_partly_typed_line_blocks_a_run(pane, shell, keys):
    if "C-u" in keys and shell == "zsh":
        pytest.skip("C-u erases the whole line in zsh")
    pane.send_keys(*keys)
    assert_refuses_a_run(pane)
    pane.send_keys("C-c")
    assert_accepts_a_run(pane)


@pytest.mark.parametrize(
    "keys", [["a", "BSpace"], ["echo danger", "C-w", "C-w"], ["echo danger", "C-a", "C-k"], ["C-a"], ["C-l"], ["M-f"]]
)
def test_an_erased_line_does_not_block_a_run(pane, keys):
    pane.send_keys(*keys)
    assert_accepts_a_run(pane)


def test_the_current_content_of_each_line_counts(pane):
    for _ in range(3):
        pane.send_keys("echo danger")
        assert_refuses_a_run(pane)
        assert_refuses_a_run(pane)
        pane.send_keys("C-u")
        assert_accepts_a_run(pane)


def test_a_line_recalled_from_the_history_blocks_a_run(pane):
    pane.run("echo danger", timeout_s=10)
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("Up")
    assert_refuses_a_run(pane)
    pane.send_keys("C-c")
    assert_accepts_a_run(pane)


def test_vi_command_mode_blocks_a_run(pane, shell):
    in_vi_mode(pane, shell)
    assert_accepts_a_run(pane)
    pane.send_keys("Escape")
    assert_refuses_a_run(pane, "vi command mode")
    pane.send_keys("i")
    assert_accepts_a_run(pane)
    pane.send_keys("echo danger", "Escape")
    assert_refuses_a_run(pane)


@pytest.mark.parametrize(
    "keys", [["C-c", "Enter"], ["abc", "C-c", "Enter"], ["C-c", "C-c"], ["Enter", "Enter", "Enter"]]
)
def test_keys_that_leave_the_line_empty_do_not_block_a_run(pane, keys):
    pane.send_keys(*keys)
    assert_accepts_a_run(pane)
    assert_accepts_a_run(pane)


# Lines inserted by the shell


@pytest.mark.parametrize(
    ("shell", "keys"),
    [
        ("zsh", ["print -z echo danger", "Enter"]),
        ("zsh", ["echo danger", "Escape", "q", "true", "Enter"]),
        ("zsh", ["setopt hist_verify", "Enter", "!!", "Enter"]),
        ("bash", ["shopt -s histverify", "Enter", "!!", "Enter"]),
        ("bash", ["echo one", "Enter", "echo two", "Enter", "Up", "Up", "C-o"]),
        ("zsh", ["echo one", "Enter", "echo two", "Enter", "Up", "Up", "C-o"]),
    ],
    indirect=["shell"],
)
def test_a_line_inserted_by_the_shell_blocks_a_run(pane, keys):
    for key in keys:
        pane.send_keys(key)
        if key == "Enter":
            pane.wait(idle_ms=100, timeout_s=10)
    pane.wait(idle_ms=200, timeout_s=10)
    assert_refuses_a_run(pane)
    pane.send_keys("C-c")
    assert_accepts_a_run(pane)


@pytest.mark.parametrize(("shell", "command"), [("zsh", "print -z echo danger")], indirect=["shell"])
def test_a_line_inserted_by_a_run_blocks_a_run(pane, command):
    pane.run(command, timeout_s=10)
    pane.wait(regex="^[$] echo danger$", timeout_s=10)
    assert_refuses_a_run(pane)


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
@pytest.mark.skipif(not shutil.which("fzf"), reason="fzf is not installed")
def test_a_line_chosen_by_a_widget_blocks_a_run(pane, shell, tmp_path):
    (tmp_path / "danger").write_text("")
    (tmp_path / "other").write_text("")
    pane.run(f"source /usr/share/doc/fzf/examples/key-bindings.{shell}", timeout_s=10)
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("C-t")
    pane.wait(state=["awaiting_input", "fullscreen"], until="danger", timeout_s=20)
    pane.wait(until="danger", timeout_s=20)
    pane.send_keys("danger")
    pane.send_keys("Enter")
    pane.wait(regex="^[$] .*danger", timeout_s=20)
    assert_refuses_a_run(pane)


# Keys typed before the prompt


@pytest.mark.parametrize(
    "pieces",
    [
        [["echo danger"]],
        [["echo danger"], ["C-a"]],
        [["dang"], ["C-q"]],
        [["dang"], ["C-s"], ["C-q"]],
        [["dang"], ["C-d"]],
    ],
)
def test_input_typed_ahead_blocks_a_run(pane, pieces):
    typed_while_it_runs(pane, *pieces)
    pane.wait(state="prompt", timeout_s=10)
    if pieces[-1] != ["C-d"]:  # C-d deletes or lists in fish and bash
        assert_refuses_a_run(pane)
    pane.send_keys("C-e", "C-u")  # fish sometimes loses a C-c
    assert_accepts_a_run(pane)


def test_the_output_of_a_run_does_not_contain_that_of_lines_typed_ahead(pane):
    for _ in range(4):
        pane.start("sleep 0.2")
        pane.send_keys("echo person", "Enter")
        result = pane.run("echo mi''ne", queue=True, timeout_s=10)
        assert result.output == "mine"
        pane.send_keys("echo one", "Enter", "echo two", "Enter", "echo three", "Enter")
        result = pane.run("echo mi''ne", queue=True, timeout_s=10)
        assert result.output == "mine"


def test_keys_typed_ahead_and_erased_do_not_block_a_run(pane):
    typed_while_it_runs(pane, ["a", "BSpace"])
    assert_accepts_a_run(pane)


@pytest.mark.parametrize("rc", ["wide", "right"])
def test_a_prompt_of_any_width_does_not_block_a_run(open_shell, shell, tmp_path, rc):
    (tmp_path / "long").write_text("line\n" * 500)
    pane = open_shell(shell)
    pane.resize(cols=20, rows=10)
    prompt = "p" * (20 if rc == "wide" else 2)
    if shell == "fish":
        pane.run(f"function fish_prompt; echo -n {prompt}; end", timeout_s=10)
    else:
        pane.run(f"PS1={prompt}", timeout_s=10)
    if rc == "right" and shell != "bash":
        pane.run("RPROMPT=right" if shell == "zsh" else "function fish_right_prompt; echo -n right; end", timeout_s=10)
    for _ in range(2):
        pane.start("less long")
        pane.send_keys("q")
        result = pane.run("echo mi''ne", queue=True, timeout_s=10)
        assert (result.exit_code, result.output) == (0, "mine")
        assert_accepts_a_run(pane)


def test_a_job_that_writes_at_the_prompt_does_not_block_a_run(pane):
    pane.send_keys("sleep 0.3 && echo from the job &", "Enter")
    pane.wait(regex="^(?!.*&).*from the job", timeout_s=10)
    assert_accepts_a_run(pane)


# In shells without marks


@pytest.mark.parametrize("shell", NOT_INTEGRATED, indirect=True)
def test_a_partly_typed_line_in_a_shell_without_marks_is_not_overwritten(pane):
    pane.run("true", timeout_s=10)
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("echo danger")
    assert_refuses_a_run(pane)
    pane.send_keys("C-u")
    assert_accepts_a_run(pane)
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("echo danger")
    assert_refuses_a_run(pane)
    pane.send_keys("Enter")
    pane.wait(regex="^danger$", timeout_s=10)
    assert_accepts_a_run(pane)
