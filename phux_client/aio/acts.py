"""Acting in a pane, and what changed on its screen: a part of the handle."""

from __future__ import annotations

from phux_client import flows
from phux_core import shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.aio.server import Phux


class PaneActs:
    """What a pane's handle can do and look at in one."""

    id: int
    _phux: Phux

    async def changes(self, since: int, *, cells: bool = False) -> shapes.ScreenChanges:
        """Read what changed on its screen after a moment.

        Args:
            since: A ``seq`` that came with a screen.
            cells: Add the cells of changed rows, and count rows of which only the style changed.

        Example:
            >>> seen = (await pane.snapshot()).seq
            >>> typed = await pane.send_keys("hello")
            >>> done = await pane.wait(until="hello", timeout_s=10)
            >>> [(row.row, row.text) for row in (await pane.changes(seen)).changed]
            [(0, '$ hello')]
        """
        flow = flows.changes(self._phux.caller, self.id, since, cells=cells)
        return await self._phux.load(shapes.ScreenChanges, flow)

    async def act(
        self,
        *words: str,
        literal: bool = False,
        until: str | None = None,
        regex: str | None = None,
        gone: str | None = None,
        idle_ms: int | None = None,
        state: shapes.State | Sequence[shapes.State] | None = None,
        stop: str | None = None,
        since: int | None = None,
        cells: bool = False,
        timeout_s: float = flows.ACT_TIMEOUT_S,
    ) -> shapes.ScreenChanges:
        """Type, wait for what that brings about, and read what changed, with nobody's command in between.

        While it lasts, no ``run`` and no other ``act`` begins in this pane; ``send_keys`` is let through. Only what is
        written after typing counts. ``outcome`` tells whether a condition held, ``stop`` matched, or the program ended.

        Args:
            words: As ``send_keys`` takes them.
            literal: Take every word as text.
            until: A line contains this text.
            regex: A line matches this pattern (``re.search``).
            gone: No visible line contains this text.
            idle_ms: Nothing was written for so long; 300 when no other condition is given.
            state: The pane is in this state, or in one of these.
            stop: A line matches this pattern, and waiting for anything else is in vain.
            since: A ``seq``: tell what changed after it; after the moment before typing when omitted.
            cells: Add the cells of changed rows, and count rows of which only the style changed.
            timeout_s: How long the whole of it may take.

        Raises:
            TimedOutError: No condition held in time; ``changes`` of the error has what changed until then.
            BusyError: Somebody else's ``run`` or ``act`` took all the time.
            PaneClosedError: The pane's program had ended before.

        Example:
            >>> done = await pane.act("echo $((6*7))", "Enter", regex="^42$")
            >>> done.outcome, done.met_line
            ('met', '42')
        """
        from phux_client import waited

        flow = flows.act(
            self._phux.caller,
            self.id,
            words,
            literal=literal,
            until=until,
            regex=regex,
            gone=gone,
            idle_ms=idle_ms,
            state=state,
            stop=stop,
            since=since,
            cells=cells,
            timeout_s=timeout_s,
        )
        return waited.load_changes(await self._phux.drive(flow), timeout_s)
