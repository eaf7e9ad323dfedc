"""The size of a window under each size policy."""

from __future__ import annotations

import pytest

from phux_core.server.tree.arranger import View, decide

OWN = (80, 24)
WIDE, TALL, SMALL = View(200, 20, 1.0), View(60, 50, 3.0), View(70, 30, 2.0)


@pytest.mark.parametrize("policy", ["smallest", "largest", "latest", "manual"])
def test_a_window_without_views_keeps_its_size(policy):
    assert decide(policy, [], OWN) == OWN


@pytest.mark.parametrize(
    ("policy", "size"), [("smallest", (60, 20)), ("largest", (200, 50)), ("latest", (60, 50)), ("manual", OWN)]
)
def test_the_size_under_each_policy_does_not_depend_on_the_order_of_views(policy, size):
    assert decide(policy, [WIDE, TALL, SMALL], OWN) == size
    assert decide(policy, [SMALL, TALL, WIDE], OWN) == size


@pytest.mark.parametrize("policy", ["smallest", "largest", "latest"])
def test_a_single_view_determines_the_size(policy):
    assert decide(policy, [TALL], OWN) == (60, 50)


@pytest.mark.parametrize("policy", ["smallest", "largest", "latest"])
def test_a_view_with_a_side_of_zero_or_less_is_ignored(policy):
    assert decide(policy, [View(0, 20, 9.0), View(5, 0, 9.0), View(-1, -1, 9.0)], OWN) == OWN
    assert decide(policy, [View(0, 20, 9.0), SMALL], OWN) == (70, 30)


def test_a_window_is_never_larger_than_the_maximum():
    assert decide("largest", [View(5000, 4000)], OWN) == (1000, 1000)
