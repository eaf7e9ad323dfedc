"""``run`` in shells that have few file descriptors left."""

from __future__ import annotations

import pytest

from phux_core import errors


@pytest.mark.parametrize("shell", ["bash", "dash", "ksh", "busybox"])
@pytest.mark.parametrize("limit", [12, 14, 20])
def test_a_shell_with_few_file_descriptors_reads_a_file_with_a_command_or_the_run_is_refused(open_shell, shell, limit):
    pane = open_shell(shell)
    pane.run(f"ulimit -n {limit}", timeout_s=20)
    try:
        result = pane.run("echo ran\nsh -c 'exit 3'", timeout_s=20)
    except errors.RefusedError:
        assert limit < 20
    else:
        assert (result.output, result.exit_code) == ("ran", 3)
