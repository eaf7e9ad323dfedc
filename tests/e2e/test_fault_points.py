"""A system call of the keeper or the service fails once, at points chosen at random; tests/soak/faults.py tries all."""

from __future__ import annotations

import random

import pytest
from fault_points import FaultPoints, Point, Scenario, fault_points

# How often the scenario makes such a call, and how many of the calls to try.
_CALLS = {
    ("keeper", "open"): (3, 1),
    ("keeper", "recvmsg"): (25, 2),
    ("keeper", "sendmsg"): (10, 2),
    ("keeper", "fork"): (4, 2),
    ("keeper", "memfd"): (3, 1),
    ("keeper", "pty"): (2, 1),
    ("keeper", "socketpair"): (6, 1),
    ("service", "open"): (200, 4),
    ("service", "write"): (60, 4),
    ("service", "dup"): (2, 1),
    ("service", "recvmsg"): (18, 2),
    ("service", "fork"): (2, 1),
    ("service", "mmap"): (6, 2),
    ("service", "accept"): (2, 1),
    ("service", "thread"): (3, 1),
}
_RANDOM = random.Random(17)
POINTS = [
    Point(role, kind, nth)
    for (role, kind), (calls, tried) in _CALLS.items()
    for nth in sorted(_RANDOM.sample(range(1, calls + 1), tried))
]


@pytest.fixture(scope="module")
def points(tmp_path_factory):
    with fault_points(tmp_path_factory.mktemp("faults")) as points:
        yield points


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_a_session_loses_nothing_if_one_system_call_fails(points: FaultPoints, point):
    points.arm(point)
    try:
        Scenario().run()
    finally:
        points.disarm()
