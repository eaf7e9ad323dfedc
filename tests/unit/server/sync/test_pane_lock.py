"""A turn that can be had without waiting, among those who wait for it."""

from __future__ import annotations

import asyncio

from phux_core.server.sync.pane_lock import Turn


def test_it_is_had_at_once_while_nobody_has_it():
    async def play():
        turn = Turn()
        assert turn.take()
        assert turn.locked()
        assert not turn.take()
        turn.release()
        assert turn.take()

    asyncio.run(play())


def test_nobody_who_waits_is_overtaken_or_forgotten():
    async def play():
        turn, order = Turn(), []
        assert turn.take()

        async def wait(name):
            async with turn:
                order.append(name)

        waiting = [asyncio.ensure_future(wait(name)) for name in "ab"]
        await asyncio.sleep(0)
        assert not turn.take()
        turn.release()
        assert not turn.take(), "it is free, but promised"
        await asyncio.gather(*waiting)
        assert order == ["a", "b"]
        assert turn.take()

    asyncio.run(play())
