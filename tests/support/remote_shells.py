"""Checks of ``run`` in a remote shell, reached through ssh or by exec in a container."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from phux_core import errors

if TYPE_CHECKING:
    from phux_client import blocking


def check_runs(pane: blocking.Pane) -> None:
    """Check runs of many kinds of commands in a remote shell."""
    fish = pane.run("echo $FISH_VERSION$version", timeout_s=20).output != ""
    result = pane.run("echo far away; sh -c 'exit 3'", timeout_s=20)
    assert (result.output, result.exit_code) == ("far away", 3)
    assert pane.run("cd /tmp; export KEPT=yes", timeout_s=20).exit_code == 0
    assert pane.run("echo $KEPT; pwd; sh -c 'echo $KEPT'", timeout_s=20).output == "yes\n/tmp\nyes"
    assert pane.run(["printf", "%s|", "it's", "$KEPT", "two\nlines"], timeout_s=20).output == "it's|$KEPT|two\nlines|"
    loop = "for i in 1 2\n  echo $i\nend" if fish else "for i in 1 2; do\n  echo $i\ndone"
    assert pane.run(loop, timeout_s=20).output == "1\n2"
    if not fish:  # fish has no here-documents
        here_document = "cat <<EOF\none $KEPT\n'two'\nEOF\necho after"
        assert pane.run(here_document, timeout_s=20).output == "one yes\n'two'\nafter"
    result = pane.run("seq 5000", timeout_s=20)
    assert result.output.splitlines() == [str(number) for number in range(1, 5001)]
    assert not result.truncated
    result = pane.run("echo 'open", timeout_s=20)
    assert result.exit_code != 0
    assert result.output != ""
    assert pane.run("echo usable", timeout_s=20).output == "usable"


def check_timeout(pane: blocking.Pane) -> None:
    """Check that a run interrupts its command on timeout, and that the next run works."""
    with pytest.raises(errors.TimedOutError, match="C-c was sent"):
        pane.run("sleep 60", timeout_s=0.5, interrupt=True)
    assert pane.run("echo next", timeout_s=20).output == "next"


def check_no_command_is_typed_into_a_program(pane: blocking.Pane) -> None:
    """Check that a run types nothing while a remote program reads the terminal."""
    pane.send_keys("cat", "Enter")
    pane.wait(idle_ms=200, timeout_s=10)
    with pytest.raises(errors.TimedOutError, match="the command was not typed"):
        pane.run("echo never", timeout_s=1)
    assert not any("never" in line for line in pane.snapshot(scrollback=100).lines)
    pane.send_keys("C-d")
    assert pane.run("echo next", timeout_s=20).output == "next"
