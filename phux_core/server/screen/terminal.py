"""The terminal of a pane: its engine, which rests while nobody needs it, and what was seen of its screen."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ReferenceType, ref

from phux_core.server.screen.alt_screen_changes import Looks
from phux_core.server.screen.attach_frames import Picture
from phux_core.server.screen.hibernation import Rest
from phux_core.server.screen.row_changes import RowClock

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from phux_core.engine.protocol import Engine, Span


class Terminal:
    """The terminal of one pane.

    Args:
        loop: The event loop.
        engine: Its engine, which nobody else uses from now on.
        make_successor: Makes a blank engine if this one fails; see ``RestingEngine``.

    Attributes:
        engine: The engine to use; it stays the same when it rests or is replaced.
        clock: When each row was last seen to change.
        looks: What was seen on the alternate screen.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        engine: Engine,
        make_successor: Callable[[Exception, int], Engine],
    ) -> None:
        self._picture: ReferenceType[Picture] | None = None
        self._rest = Rest(loop, engine, self.is_seen, make_successor)
        self.engine = self._rest.engine
        self.clock, self.looks = RowClock(), Looks()

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
        self._rest.later()
        return self.engine.changed()

    def rest_later(self) -> None:
        """Record that it is needed now; it rests after a while."""
        self._rest.later()

    def close(self) -> None:
        """Free the engine."""
        self._rest.close()
