"""The terminal of a pane: its engine, which rests while nobody needs it, and what was seen of its screen."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from weakref import ReferenceType, ref

from phux_core.server.screen.alt_screen_changes import Looks
from phux_core.server.screen.attach_frames import Picture
from phux_core.server.screen.hibernation import Rest
from phux_core.server.screen.row_changes import RowClock

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, MutableSequence

    from phux_core.engine.protocol import Effect, Engine, Span

_log = logging.getLogger("phux.pane")


class Terminal:
    """The terminal of one pane.

    Args:
        pane_id: The pane's id.
        loop: The event loop.
        engine: Its engine, which nobody else uses from now on.
        feed_mark: Where to note whose engine is at work, in case it ends the process.
        make_successor: Makes a blank engine if this one fails; see ``RestingEngine``.

    Attributes:
        engine: The engine to use; it stays the same when it rests or is replaced.
        rest: Puts the engine to rest, and frees it.
        clock: When each row was last seen to change.
        looks: What was seen on the alternate screen.
    """

    def __init__(
        self,
        pane_id: int,
        loop: asyncio.AbstractEventLoop,
        engine: Engine,
        feed_mark: MutableSequence[int] | memoryview[int],
        make_successor: Callable[[Exception, int], Engine],
    ) -> None:
        self._id, self._feed_mark = pane_id, feed_mark
        self._picture: ReferenceType[Picture] | None = None
        self.rest = Rest(loop, engine, self.is_seen, make_successor)
        self.engine = self.rest.engine
        self.clock, self.looks = RowClock(), Looks()

    def feed(self, data: bytes) -> list[Effect]:
        """Parse output, and return what it does besides what it shows."""
        self._feed_mark[0] = self._id
        effects = self.engine.feed(data)
        self._feed_mark[0] = 0
        return effects

    def resize(self, cols: int, rows: int) -> list[Effect]:
        """Change its size, and return what that does besides what it shows."""
        self._feed_mark[0] = self._id
        effects = self.engine.resize(cols, rows)
        self._feed_mark[0] = 0
        return effects

    def checkpoint(self) -> bytes:
        """Return a checkpoint of it; an empty one if the engine cannot make any."""
        marked, self._feed_mark[0] = self._feed_mark[0], self._id
        try:
            return self.engine.checkpoint()
        except Exception:  # noqa: BLE001  without one, a restart shows what came since; that is no reason to end
            _log.exception("the engine of @%d cannot be written down", self._id)
            return b""
        finally:
            self._feed_mark[0] = marked

    def is_seen(self) -> bool:
        """Return True while an attached client sees it."""
        return self._picture is not None and self._picture() is not None

    def picture(self) -> Picture:
        """Return the picture that all clients share; it lives as long as one of them sees the pane."""
        picture = None if self._picture is None else self._picture()
        if picture is None:
            self.engine.forget_changes()  # changes reported to an earlier picture are not reported again
            picture = Picture()
            self._picture = ref(picture)
        return picture

    def changed_rows(self) -> dict[int, list[Span]]:
        """Return the rows that may have changed since the last call; only the picture reads them."""
        self.rest.later()
        return self.engine.changed()
