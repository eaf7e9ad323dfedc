# Generated from phux_client/aio/acts.py by tools/generate_blocking.py: change that file, not this one.
"""Type, wait and read changes in one call: a part of the pane's handle."""

from __future__ import annotations

from phux_client import flows
from phux_core import shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.blocking.server import Phux


class PaneActs:
    """The methods of a pane's handle that type, wait and read changes."""

    id: int
    _phux: Phux

    def changes(self, since: int, *, cells: bool = False) -> shapes.ScreenChanges:
        """Return the rows of the screen that changed after a sequence number.

        Args:
            since: The ``seq`` of an earlier screen.
            cells: Include the cells of changed rows, and report rows in which only the style changed.

        Example:
            >>> seen = pane.snapshot().seq
            >>> typed = pane.send_keys("hello")
            >>> done = pane.wait(until="hello", timeout_s=10)
            >>> [(row.row, row.text) for row in pane.changes(seen).changed]
            [(0, '$ hello')]
        """
        flow = flows.changes(self._phux.caller, self.id, since, cells=cells)
        return self._phux.load(shapes.ScreenChanges, flow)

    def act(
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
        """Type, wait for a condition, and return the rows that changed, as one step.

        Meanwhile, no ``run`` and no other ``act`` starts in this pane; ``send_keys`` still works. Only output written
        after typing counts. As with ``wait``, the call raises an error if no condition holds. The error's ``changes``
        has the rows that changed.

        Args:
            words: Keys and text, as for ``send_keys``.
            literal: Type every word as text.
            until: A line contains this text.
            regex: A line matches this pattern (``re.search``).
            gone: No visible line contains this text.
            idle_ms: Nothing was written for this long; 300 if no other condition is given.
            state: The pane is in this state, or in one of these.
            stop: Raise StoppedError as soon as a line matches this pattern.
            since: Return changes after this ``seq``; by default, changes since typing.
            cells: Include the cells of changed rows, and report rows in which only the style changed.
            timeout_s: The time limit for the whole call.

        Raises:
            TimedOutError: No condition held in time.
            StoppedError: The pattern of ``stop`` matched first.
            PaneClosedError: The program ended, so no condition can hold; if it had already ended, ``changes`` is None.
            BusyError: Another ``run`` or ``act`` was still in progress when the timeout expired.

        Example:
            >>> done = pane.act("echo $((6*7))", "Enter", regex="^42$")
            >>> done.outcome, done.met_line
            ('met', '42')
        """
        from phux_client import waited

        flow = flows.act(
            self._phux.caller,
            self.id,
            words,
            flows.Conditions(until=until, regex=regex, gone=gone, idle_ms=idle_ms, state=state, stop=stop),
            literal=literal,
            since=since,
            cells=cells,
            timeout_s=timeout_s,
        )
        return waited.load_changes(self._phux.drive(flow), timeout_s, stop)
