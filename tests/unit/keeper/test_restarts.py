"""The moments at which the keeper restarts the service, and the panes that it sets aside."""

from __future__ import annotations

import pytest

from phux_core.keeper.restarts import LONGEST_DELAY_S, NOTICE_AFTER_S, QUIET_S, Restarts


def test_the_first_restart_is_immediate_and_later_ones_wait_up_to_two_seconds():
    restarts = Restarts(0.0)
    delays = [restarts.died("was killed", float(number)) for number in range(50)]
    assert delays[:8] == [0.0, 0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0]
    assert set(delays[8:]) == {LONGEST_DELAY_S}
    assert (restarts.count, restarts.in_a_row) == (50, 50)


def test_the_delay_is_reset_after_a_service_was_ready_for_a_while():
    restarts = Restarts(0.0)
    for number in range(5):
        restarts.died("was killed", float(number))
    restarts.ready(10.0)
    assert restarts.died("was killed", 10.0 + QUIET_S) == 0.0
    assert (restarts.count, restarts.in_a_row) == (6, 1)


def test_the_delay_is_not_reset_if_a_service_was_ready_only_briefly():
    restarts = Restarts(0.0)
    for number in range(5):
        restarts.died("was killed", float(number))
    restarts.ready(10.0)
    assert restarts.died("was killed", 10.0 + QUIET_S / 2) == 0.8


def test_clients_receive_an_error_if_no_service_was_ready_for_three_seconds():
    restarts = Restarts(100.0)
    assert restarts.notice_at == 100 + NOTICE_AFTER_S, "before the first service is ready, the start counts"
    restarts.died("was killed", 101.0)
    assert restarts.notice_at == 100 + NOTICE_AFTER_S, "the death of a service that was not ready does not count"
    restarts.ready(102.0)
    assert restarts.notice_at is None
    restarts.died("was killed", 200.0)
    restarts.died("was killed", 201.0)
    assert restarts.notice_at == 200 + NOTICE_AFTER_S


def test_a_pane_is_set_aside_after_the_service_died_twice_while_rebuilding_it():
    restarts = Restarts(0.0)
    restarts.died("exited", 1.0, rebuilding=3)
    assert restarts.set_aside == []
    restarts.died("exited", 2.0, rebuilding=4)
    restarts.died("exited", 3.0)
    assert restarts.set_aside == []
    restarts.died("exited", 4.0, rebuilding=3)
    assert restarts.set_aside == [3]
    restarts.ready(5.0)
    assert restarts.set_aside == [3], "a service is ready before it has rebuilt every pane"
    restarts.rebuilt()
    assert restarts.set_aside == []


def test_a_death_by_an_external_signal_counts_a_tenth():
    restarts = Restarts(0.0)
    for _ in range(19):
        restarts.died("was killed", 1.0, rebuilding=3, from_outside=True)
    assert restarts.set_aside == []
    restarts.died("was killed", 1.0, rebuilding=3, from_outside=True)
    assert restarts.set_aside == [3]


@pytest.mark.parametrize(
    ("deaths", "expected"), [(0, "still starting"), (1, "died once"), (4, "died 4 times in a row")]
)
def test_the_notice_contains_the_number_of_deaths_the_last_cause_and_the_log_path(deaths, expected):
    restarts = Restarts(0.0)
    for _ in range(deaths):
        restarts.died("was killed by SIGKILL", 1.0)
    error = restarts.describe("/run/phux.sock.log")
    assert expected in error["message"]
    assert ("SIGKILL" in error["message"]) == bool(deaths)
    assert "/run/phux.sock.log" in error["message"]
    assert error["log"] == "/run/phux.sock.log"
    assert restarts.describe(None)["log"] is None


def test_the_notice_contains_the_reason_why_no_service_can_be_started():
    restarts = Restarts(0.0)
    restarts.last = "could not be started: no memory"
    assert "could not be started: no memory" in restarts.describe(None)["message"]
