"""A promise: a result that is set once and that callers can wait for."""

from __future__ import annotations

import asyncio

import pytest

from phux_core.server.sync import Promise, try_acquire


def test_wait_returns_the_result_raises_the_error_or_times_out():
    async def wait():
        outcome = Promise()
        assert await outcome.wait(0.001) is None
        waiting = [asyncio.ensure_future(outcome.wait(None)) for _ in range(2)]
        await asyncio.sleep(0)
        assert outcome.is_awaited
        outcome.set({"exit_code": 0})
        outcome.set({"exit_code": 2})
        assert await asyncio.gather(*waiting) == [{"exit_code": 0}] * 2
        failed = Promise()
        failed.set(ValueError("no"))
        with pytest.raises(ValueError, match="no"):
            await failed.wait(None)

    asyncio.run(wait())


def test_listeners_get_the_first_result_at_once_and_in_order():
    promise, heard = Promise(), []
    promise.then(lambda result: heard.append(("first", result)))
    unwanted = heard.append
    promise.then(unwanted)
    promise.then(lambda result: heard.append(("last", result)))
    promise.forget(unwanted)
    promise.set({"exit_code": 0})
    promise.cancel()
    assert heard == [("first", {"exit_code": 0}), ("last", {"exit_code": 0})]


def test_a_lock_is_acquired_only_if_nothing_has_to_be_waited_for():
    async def acquire():
        lock = asyncio.Lock()
        assert try_acquire(lock)
        assert not try_acquire(lock)
        waiting = asyncio.ensure_future(lock.acquire())
        await asyncio.sleep(0)
        lock.release()
        assert not try_acquire(lock), "others wait for it"
        assert await waiting

    asyncio.run(acquire())
