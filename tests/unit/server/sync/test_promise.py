"""A result that is set once: listeners are called at once and in order, and callers may wait for it."""

from __future__ import annotations

import asyncio

import pytest

from phux_core.server.sync.promise import Promise


def test_listeners_are_called_at_once_and_in_order():
    outcome, calls = Promise(), []
    outcome.then(lambda result: calls.append(("first", result)))
    outcome.then(lambda result: calls.append(("second", result)))
    assert calls == []
    outcome.set({"exit_code": 0})
    assert calls == [("first", {"exit_code": 0}), ("second", {"exit_code": 0})]


def test_a_late_listener_gets_the_first_result():
    outcome, calls = Promise(), []
    outcome.set({"exit_code": 1})
    outcome.set({"exit_code": 2})
    outcome.then(calls.append)
    assert calls == [{"exit_code": 1}]


def test_a_listener_may_add_another():
    outcome, calls = Promise(), []
    outcome.then(lambda _result: outcome.then(calls.append))
    outcome.set({})
    assert calls == [{}]


def test_wait_returns_the_result_raises_the_error_or_times_out():
    async def wait():
        outcome = Promise()
        assert await outcome.wait(0.001) is None
        waiting = [asyncio.ensure_future(outcome.wait(None)) for _ in range(2)]
        await asyncio.sleep(0)
        outcome.set({"exit_code": 0})
        assert await asyncio.gather(*waiting) == [{"exit_code": 0}] * 2
        failed = Promise()
        failed.set(ValueError("no"))
        with pytest.raises(ValueError, match="no"):
            await failed.wait(None)

    asyncio.run(wait())
