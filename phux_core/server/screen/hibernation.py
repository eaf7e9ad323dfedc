"""When a pane's terminal is put to rest: after it was quiet for a while, if it is small and nobody looks at it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

from phux_core.engine.resting import RestingEngine

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from phux_core.engine.protocol import Engine

REST_AFTER_S = 10.0
"""How long a terminal stays awake after it was needed."""
# One that has more would take long to wake, and so does the alternate screen with the history below it.
_MOST_ROWS = 500
_MOST_BYTES = 64 * 1024
# glibc keeps what libghostty frees until it is told to give it back; told once for all that go to rest together.
_TRIM_AFTER_S = 1.0
_give_back = getattr(ctypes.CDLL(None), "malloc_trim", None)
_trimming: set[asyncio.AbstractEventLoop] = set()


class Rest:
    """Puts one terminal to rest.

    Args:
        loop: The event loop.
        engine: The terminal, awake.
        is_seen: Tells whether somebody looks at it, and would have to wait until it is awake.
        make_successor: Makes a blank one if it fails; see ``RestingEngine``.

    Attributes:
        engine: The same, to be used in its place.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        engine: Engine,
        is_seen: Callable[[], bool],
        make_successor: Callable[[Exception, int], Engine],
    ) -> None:
        self._loop = loop
        self._is_seen = is_seen
        self._needed_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self.engine = RestingEngine(engine, self.later, make_successor)
        self.later()

    def later(self) -> None:
        """Take note that it is needed now, and see to its rest when it was not needed for a while."""
        self._needed_at = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(REST_AFTER_S, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._is_seen():
            self._needed_at = self._loop.time()
        wake_s = self._needed_at + REST_AFTER_S - self._loop.time()
        if wake_s > 0:
            self._timer = self._loop.call_later(wake_s, self._look)
        elif not self.engine.alt_screen and self.engine.history_rows <= _MOST_ROWS:
            self.engine.rest(_MOST_BYTES)
            _trim_soon(self._loop)
        else:
            self.engine.forget_changes()

    def close(self) -> None:
        """Free the terminal."""
        if self._timer is not None:
            self._timer.cancel()
        self.engine.close()


def _trim_soon(loop: asyncio.AbstractEventLoop) -> None:
    if loop not in _trimming:
        _trimming.add(loop)
        loop.call_later(_TRIM_AFTER_S, _trim, loop)


def _trim(loop: asyncio.AbstractEventLoop) -> None:
    _trimming.discard(loop)
    if _give_back is not None:
        _give_back(0)
