"""A turn that can be had without waiting, among those who wait for it."""

from __future__ import annotations

import asyncio

from phux_core.server.sync.pane_lock import PaneLock


def test_a_free_lock_is_acquired_at_once():
    async def play():
        turn = PaneLock()
        assert turn.try_acquire()
        assert turn.locked()
        assert not turn.try_acquire()
        turn.release()
        assert turn.try_acquire()

    asyncio.run(play())


def test_waiters_are_served_in_order():
    async def play():
        turn, order = PaneLock(), []
        assert turn.try_acquire()

        async def wait(name):
            async with turn:
                order.append(name)

        waiting = [asyncio.ensure_future(wait(name)) for name in "ab"]
        await asyncio.sleep(0)
        assert not turn.try_acquire()
        turn.release()
        assert not turn.try_acquire(), "it is free, but promised"
        await asyncio.gather(*waiting)
        assert order == ["a", "b"]
        assert turn.try_acquire()

    asyncio.run(play())
