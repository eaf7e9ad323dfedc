"""``run`` in shells that cannot open files: the command runs, or its caller gets an error at once."""

from __future__ import annotations

import time

import pytest

from phux_core import errors
from shell_panes import MARKED, SHELLS


@pytest.mark.parametrize("shell", [*MARKED, "mksh"])
@pytest.mark.parametrize("limit", [4, 9, 12, 13, 14, 15, 17, 20])
def test_a_shell_with_few_file_descriptors_runs_a_command_or_reports_that_it_did_not(
    open_shell, monkeypatch, shell, limit
):
    monkeypatch.setitem(SHELLS, "mksh", ["mksh"])
    pane = open_shell(shell)
    ran = ("ran", 3)
    commands = {f"ulimit -n {limit}": ("", 0), "echo ran; sh -c 'exit 3'": ran, "echo ran\nsh -c 'exit 3'": ran}
    for command, expected in commands.items():
        began = time.monotonic()
        try:
            result = pane.run(command, timeout_s=20)
        except (errors.RefusedError, errors.PaneClosedError):
            pass  # busybox ends without a free descriptor
        else:
            # bash and zsh need a descriptor to report the code of the command that limits them, and bash prints an error.
            few = limit <= 13 and (not result.exit_known or "Too many open files" in result.output)
            assert (result.output, result.exit_code) == expected or few
        assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("shell", "limit"),
    [("bash", 4), ("bash", 10), ("zsh", 4), ("zsh", 14), ("fish", 4), ("fish", 12), ("dash", 4), ("ksh", 4)],
)
def test_a_run_is_refused_at_once_if_the_shell_has_too_few_file_descriptors(open_shell, shell, limit):
    pane = open_shell(shell)
    pane.send_keys(f"ulimit -n {limit}", "Enter")
    pane.wait(state="prompt", timeout_s=20)
    for command in ("echo hi", "echo a\necho b", "echo hi | cat"):
        began = time.monotonic()
        # bash ends if it cannot open anything.
        with pytest.raises((errors.RefusedError, errors.PaneClosedError)):
            pane.run(command, timeout_s=20)
        assert time.monotonic() - began < 5


def test_a_file_that_the_shell_cannot_open_is_an_error(open_shell):
    pane = open_shell("bash")
    pane.run('.() { builtin . "$1.gone"; }', timeout_s=20)
    with pytest.raises(errors.RefusedError, match="could not open the file"):
        pane.run("echo never\necho ever", timeout_s=20)
    pane.run("unset -f .", timeout_s=20)
    assert pane.run("echo one\necho two", timeout_s=20).output == "one\ntwo"
    assert "could not" not in pane.run("ls /nonexistent/r123456\nfalse", timeout_s=20).output
