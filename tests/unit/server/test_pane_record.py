"""The exit status in the record of a pane."""

from __future__ import annotations

import signal

import pytest

from phux_core.server.pane_record import PaneRecord


@pytest.mark.parametrize(
    ("wait_status", "exit_code", "ending"),
    [
        (0, 0, {"exit_status": 0}),
        (7 << 8, 7, {"exit_status": 7}),
        (signal.SIGKILL, 137, {"exit_status": None, "signal": "SIGKILL"}),
    ],
)
def test_the_record_of_a_dead_pane_has_the_exit_status_or_signal_of_its_program(wait_status, exit_code, ending):
    record = PaneRecord(1, 80, 24, "sh", "/", 1, 0.5)
    record.end(wait_status)
    assert record.dead
    assert record.died_at is not None
    assert (record.exit_code, record.ending()) == (exit_code, ending)
