"""Report focus changes to the programs that requested them (DEC mode 1004)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core.engine.encoding import encode_focus

if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_core.server.pane import Pane


class PaneFocus:
    """The panes that have the focus of an attached client.

    Args:
        panes: All panes, by their ids.
    """

    def __init__(self, panes: Mapping[int, Pane]) -> None:
        self._panes = panes
        self._focused: set[int] = set()

    def update(self, focused: set[int]) -> None:
        """Set the focused panes, and report changes: first to those that lost the focus."""
        before, self._focused = self._focused, focused
        for pane_id in before - focused:
            self._report(pane_id, focused=False)
        for pane_id in focused - before:
            self._report(pane_id, focused=True)

    def _report(self, pane_id: int, *, focused: bool) -> None:
        pane = self._panes.get(pane_id)
        if pane is not None and pane.takes_input:
            data = encode_focus(focused, pane.engine.modes())
            if data:
                # Not as typed input: it does not make the line at a shell's prompt non-empty.
                pane.keyboard.reply(data)
