"""``wait`` finds text that was erased as soon as it was written, even afterwards with ``since``."""

from __future__ import annotations

import pytest

from phux_core import errors
from servers import Cli

# Each command line writes a word that the line itself does not contain, and erases the word.
BURSTS = {
    "a carriage return and EL": r"printf 'ne''edle\r\033[K'",
    "an erased line": r"printf 'ne''edle\033[2K\r'",
    "an overwritten line": r"printf 'ne''edle\rsomething else\n'",
    "backspaces": r"printf 'ne''edle\b\b\b\b\b\bxxxxxx\n'",
    "colors": r"printf 'n\033[31me\033[m\033(Be''dle\r\033[K'",
    "the row above": r"printf 'ne''edle\n\033[A\033[J'",
    "an alternate screen": r"printf '\033[?1049h\033[Hne''edle\033[?1049l'",
    "an older alternate screen": r"printf '\033[?47h\033[5;5Hne''edle\033[?47l'",
    "ED": r"echo ne''edle; printf '\033[2J\033[H'",
    "clear": "echo ne''edle; clear",
    "a reset": r"printf 'ne''edle\033c'",
}
CONDITIONS = [{"until": "needle"}, {"regex": "^needle$"}, {"until": "needle", "output_only": True}]


@pytest.fixture(params=["bash", "zsh", "dash"])
def pane(request, open_shell):
    pane = open_shell(request.param)
    pane.wait(state="prompt", timeout_s=20)
    return pane


@pytest.mark.parametrize("burst", BURSTS)
def test_text_that_was_erased_at_once_is_found(pane, burst):
    marked = pane.info().command != "dash"
    for condition in CONDITIONS:
        if condition.get("output_only") and not marked:
            continue  # dash draws its prompt in the erased row, which then counts as part of the prompt
        acted_since = pane.snapshot().seq
        acted = pane.act(
            BURSTS[burst], "Enter", timeout_s=20, **{k: v for k, v in condition.items() if k != "output_only"}
        )
        assert (acted.outcome, acted.met_line) == ("met", "needle")
        pane.wait(state="prompt", timeout_s=20)
        # Now a wait with since reads the whole text at once.
        assert pane.wait(since=acted_since, timeout_s=20, **condition).met_line == "needle"


def test_the_cli_finds_text_that_was_erased_at_once(pane, server, tmp_path):
    since = pane.snapshot().seq
    pane.send_keys(BURSTS["a carriage return and EL"], "Enter")
    pane.wait(state="prompt", timeout_s=20)
    found = Cli(server.socket, tmp_path).json("wait", pane.selector, "--until", "needle", "--since", str(since))
    assert found["met_line"] == "needle"


def test_text_erased_before_the_wait_is_not_found_without_since(pane):
    pane.send_keys(r"printf 'ne''edle\r\033[K%60s' half; sleep 0.5; echo", "Enter")
    pane.wait(until="half", output_only=True, timeout_s=20)
    with pytest.raises(errors.TimedOutError):
        pane.wait(until="needle", timeout_s=1)
