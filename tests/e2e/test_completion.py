"""Completion of command lines in real shells."""

from __future__ import annotations

import subprocess

import pytest

from servers import BIN, clean_environment

SETUP = {
    "bash": 'eval "$(phux completion bash)"',
    "zsh": 'autoload -U compinit; compinit -u -d "$HOME/.dump"; eval "$(phux completion zsh)"',
    "fish": "phux completion fish | source",
}


@pytest.mark.parametrize("shell", SETUP)
def test_tab_completes_verbs_flags_values_and_targets(shell, phux, open_shell):
    work = phux.new_session("my work", command=["sleep", "1000"])
    pane = open_shell(shell)
    pane.wait(state="prompt", timeout_s=20)
    pane.run(f'export PATH="{BIN}:$PATH"', timeout_s=20)
    assert pane.run(SETUP[shell], timeout_s=20).exit_code == 0
    for typed, completed in (
        ("phux snapsh", "phux snapshot"),
        ("phux kill --serv", "phux kill --server"),
        ("phux snapshot --format sv", "phux snapshot --format svg"),
        ("phux wait --state awaiting_s", "phux wait --state awaiting_secret"),
        ("phux tree my", "phux tree my\\ work"),
        ("phux zoom my\\ work:", "phux zoom my\\ work:0"),
        (f"phux kill @{work.pane.id}", f"phux kill @{work.pane.id}"),
    ):
        pane.send_keys(typed, "Tab")
        pane.wait(until=completed, timeout_s=20)
        pane.send_keys("C-u")
        pane.wait(gone=completed, timeout_s=20)
    work.kill()


def test_words_are_completed_without_a_server(tmp_path):
    finished = subprocess.run(
        [BIN / "phux", "completion", "--", "kill", ""],
        env=clean_environment() | {"PHUX_SOCKET": str(tmp_path / "phux.sock")},
        capture_output=True,
        timeout=60,
    )
    assert (finished.returncode, finished.stdout, finished.stderr) == (0, b"", b"")
