"""A promise: a result that is set once and that callers can wait for."""

from __future__ import annotations

import asyncio

import pytest

from phux_core.server.sync import Promise


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
