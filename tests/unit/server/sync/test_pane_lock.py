"""A lock that can be acquired without waiting, but not before tasks that wait for it."""

from __future__ import annotations

import asyncio

from phux_core.server.sync.pane_lock import PaneLock


def test_a_free_lock_is_acquired_at_once():
    async def scenario():
        lock = PaneLock()
        assert lock.try_acquire()
        assert lock.locked()
        assert not lock.try_acquire()
        lock.release()
        assert lock.try_acquire()

    asyncio.run(scenario())


def test_waiting_tasks_acquire_the_lock_in_order():
    async def scenario():
        lock, order = PaneLock(), []
        assert lock.try_acquire()

        async def wait(name):
            async with lock:
                order.append(name)

        waiting = [asyncio.ensure_future(wait(name)) for name in "ab"]
        await asyncio.sleep(0)
        assert not lock.try_acquire()
        lock.release()
        assert not lock.try_acquire(), "the lock is free, but a task waits for it"
        await asyncio.gather(*waiting)
        assert order == ["a", "b"]
        assert lock.try_acquire()

    asyncio.run(scenario())
