"""The size of a window under each size policy."""

from __future__ import annotations

import pytest

from phux_core.server.tree.arranger import decide

OWN = (80, 24)
WIDE, TALL, SMALL = (200, 20), (60, 50), (70, 30)


@pytest.mark.parametrize("policy", ["smallest", "largest", "latest", "manual"])
def test_a_window_without_views_keeps_its_size(policy):
    assert decide(policy, [], OWN) == OWN


@pytest.mark.parametrize(
    ("policy", "size"), [("smallest", (60, 20)), ("largest", (200, 50)), ("latest", (60, 50)), ("manual", OWN)]
)
def test_each_policy_chooses_its_size(policy, size):
    assert decide(policy, [WIDE, SMALL, TALL], OWN) == size


@pytest.mark.parametrize("policy", ["smallest", "largest", "latest"])
def test_a_single_view_determines_the_size(policy):
    assert decide(policy, [TALL], OWN) == (60, 50)
