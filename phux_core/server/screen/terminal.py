"""The terminal of a pane: its engine, which is suspended while unused, and the screens that clients have read."""

from __future__ import annotations

import ctypes
import logging
import sys
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING
from weakref import ReferenceType, ref

from phux_core.engine.resting import RestingEngine
from phux_core.server.screen.attach_frames import Picture
from phux_core.server.screen.changes import ScreenReads

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, MutableSequence

    from phux_core.engine import Engine
    from phux_core.engine.protocol import Effect, Span
    from phux_core.engine.resting import Rest

REST_AFTER_S = 10.0
"""How long an engine must be unused before it is suspended."""
RETIRED_REST_AFTER_S = 1.0
"""The same once the program has ended: the screen is often read right then, and rarely later."""
# An engine with more rows of history or a larger checkpoint, or on the alternate screen, is not suspended while its
# program runs: it takes too long to wake.
_MOST_ROWS = 500
_MOST_BYTES = 64 * 1024
# glibc keeps the memory that libghostty frees until malloc_trim is called. One call after this delay serves all engines
# that are suspended at about the same time.
_TRIM_AFTER_S = 1.0
_malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
_trimming: set[asyncio.AbstractEventLoop] = set()
_log = logging.getLogger("phux.pane")


class Terminal:
    """The terminal of one pane.

    Args:
        engine: The pane's engine, awake or at rest; the caller must no longer use it.
        feed_mark: Holds the id of the pane whose engine is working, for the keeper to read if the engine crashes the
            service.
        make_successor: Makes a blank engine if this one fails; see ``RestingEngine``.

    Attributes:
        engine: The engine to use; this object stays the same when the engine inside it is suspended or replaced.
        parsing_s: How long it has taken to parse the output, since the owner last set this to 0.
    """

    def __init__(
        self,
        pane_id: int,
        loop: asyncio.AbstractEventLoop,
        engine: Engine | Rest,
        feed_mark: MutableSequence[int] | memoryview[int],
        make_successor: Callable[[Exception, int], Engine],
    ) -> None:
        self._id, self._loop, self._feed_mark = pane_id, loop, feed_mark
        self._picture: ReferenceType[Picture] | None = None
        self._kept_picture: Picture | None = None
        self._used_at = 0.0
        self.parsing_s = 0.0
        self._is_retired, self._rest_after_s = False, REST_AFTER_S
        self._timer: asyncio.TimerHandle | None = None
        self.engine = RestingEngine(engine, self.rest_later, make_successor)
        self.rest_later()

    @cached_property
    def reads(self) -> ScreenReads:
        """The latest reads of the screen; created by the first read."""
        return ScreenReads()

    def feed(self, data: bytes) -> list[Effect]:
        """Parse output, and return its effects besides those on the screen."""
        self._feed_mark[0] = self._id
        began = perf_counter()
        effects = self.engine.feed(data)
        self.parsing_s += perf_counter() - began
        self._feed_mark[0] = 0
        return effects

    def resize(self, cols: int, rows: int) -> list[Effect]:
        self._feed_mark[0] = self._id
        effects = self.engine.resize(cols, rows)
        self._feed_mark[0] = 0
        return effects

    def checkpoint(self) -> bytes:
        """Return a checkpoint, or empty bytes if the engine fails to make one."""
        marked, self._feed_mark[0] = self._feed_mark[0], self._id
        try:
            return self.engine.checkpoint()
        except Exception:  # noqa: BLE001  without a checkpoint, a restart restores only later output
            _log.exception("the engine of @%d cannot make a checkpoint", self._id)
            return b""
        finally:
            self._feed_mark[0] = marked

    def is_seen(self) -> bool:
        """Return True if an attached client shows the pane."""
        return self._picture is not None and self._picture() is not None

    def picture(self, *, keep: bool = False) -> Picture:
        """Return the picture that all clients share; it exists while at least one of them shows the pane.

        Args:
            keep: Keep it for clients that are not attached, until none has asked for it for a while.
        """
        picture = None if self._picture is None else self._picture()
        if picture is None:
            self.engine.forget_changes()  # a new picture needs all rows, not only the changed ones
            picture = Picture()
            self._picture = ref(picture)
        if keep:
            self._kept_picture = picture
        return picture

    def changed_rows(self) -> dict[int, list[Span]]:
        """Return the rows that may have changed since the last call; only the picture reads them."""
        self.rest_later()
        return self.engine.changed()

    def rest_later(self) -> None:
        """Record that the engine is in use, and suspend it once it has been unused for a while."""
        self._used_at = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(self._rest_after_s, self._rest_if_unused)

    def retire(self) -> None:
        """Suspend the engine soon, whatever its size, because the program has ended."""
        self._is_retired, self._rest_after_s = True, RETIRED_REST_AFTER_S
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.rest_later()

    def _rest_if_unused(self) -> None:
        self._timer = None
        if self.engine.at_rest:
            return
        now = self._loop.time()
        if now >= self._used_at + self._rest_after_s:
            self._kept_picture = None
        if self.is_seen():
            self._used_at = now
        left_s = self._used_at + self._rest_after_s - now
        if left_s > 0:
            self._timer = self._loop.call_later(left_s, self._rest_if_unused)
        elif self._is_retired or not (self.engine.alt_screen or self.engine.history_rows > _MOST_ROWS):
            self.engine.rest(sys.maxsize if self._is_retired else _MOST_BYTES)
            if self._loop not in _trimming:
                _trimming.add(self._loop)
                self._loop.call_later(_TRIM_AFTER_S, _trim, self._loop)
        else:
            self.engine.forget_changes()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.engine.close()


def _trim(loop: asyncio.AbstractEventLoop) -> None:
    _trimming.discard(loop)
    if _malloc_trim is not None:
        _malloc_trim(0)
