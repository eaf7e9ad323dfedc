"""The panes of a grid, their order, their screens and the selection. No I/O, and no clock."""

from phux_client.grid.arranging import Arrangement
from phux_client.overview import ORDER, Overview
from phux_client.tui.model import PaneModel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.overview import Attention, OverviewPane

_SETTLED_S = 1.0
"""How long a pane must have been running, or not running, before its tile moves: short commands would move it twice."""


class GridModel:
    """What a grid shows.

    Attributes:
        overview: The panes of the server.
        panes: The panes in the order of their tiles.
        screens: The screens that were read, by pane.
        selected: The id of the selected pane; None without panes.
        arrangement: The places of the tiles.
    """

    def __init__(self) -> None:
        self.overview = Overview()
        self.panes: list[OverviewPane] = []
        self.screens: dict[int, PaneModel] = {}
        self.selected: int | None = None
        self.arrangement = Arrangement(0, 1, 1)
        self._at = 0
        self._line = 0
        self._attention: dict[int, Attention] = {}
        self._changed: dict[int, float] = {}

    @property
    def visible(self) -> "list[OverviewPane]":
        """The panes whose tiles are visible."""
        first = self._line * self.arrangement.across
        return self.panes[first : first + self.arrangement.shown]

    @property
    def due(self) -> float | None:
        """When a tile has to move; None if none has to."""
        return min(self._changed.values()) + _SETTLED_S if self._changed else None

    def take_frame(self, frame: "Document") -> None:
        """Apply the reply of the call ``frame``."""
        screen = self.screens.setdefault(frame["pane"], PaneModel())
        screen.apply(frame if frame["whole"] else {name: value for name, value in frame.items() if name != "size"})

    def update(self, cols: int, rows: int, now: float) -> None:
        """Put the tiles in order and arrange them on a screen, with the selected one visible."""
        panes = self.overview.panes
        for known in (self.screens, self._attention, self._changed):
            for gone in known.keys() - panes.keys():
                del known[gone]
        for pane in panes.values():
            self._settle(pane, now)
        self.panes = sorted(panes.values(), key=lambda pane: ORDER.index(self._attention[pane.id]))
        ids = [pane.id for pane in self.panes]
        self._at = ids.index(self.selected) if self.selected in ids else min(self._at, max(0, len(ids) - 1))
        self.selected = ids[self._at] if ids else None
        self.arrangement = Arrangement(len(ids), cols, rows)
        line, down = self._at // self.arrangement.across, self.arrangement.down
        last = -(-len(ids) // self.arrangement.across) - down
        self._line = max(0, min(max(self._line, line - down + 1), line, last))

    def _settle(self, pane: "OverviewPane", now: float) -> None:
        before = self._attention.setdefault(pane.id, pane.attention)
        if pane.attention == before:
            self._changed.pop(pane.id, None)
        elif pane.attention == "needed" or now - self._changed.setdefault(pane.id, now) >= _SETTLED_S:
            self._attention[pane.id] = pane.attention
            self._changed.pop(pane.id, None)

    def move(self, key: str) -> bool:
        """Move the selection; return False if the key does not move it."""
        across, page = self.arrangement.across, self.arrangement.shown
        everything = len(self.panes)
        steps = {
            **dict.fromkeys(("Left", "h"), -1),
            **dict.fromkeys(("Right", "l"), 1),
            **dict.fromkeys(("Up", "k"), -across),
            **dict.fromkeys(("Down", "j"), across),
            "PageUp": -page,
            "PageDown": page,
            **dict.fromkeys(("Home", "g"), -everything),
            **dict.fromkeys(("End", "G"), everything),
        }
        if key not in steps:
            return False
        step = steps[key]
        to = self._at + step
        if abs(step) == across and not 0 <= to < everything:
            to = self._at  # there is no tile above or below
        if self.panes:
            self._at = min(max(0, to), everything - 1)
            self.selected = self.panes[self._at].id
        return True

    def select_next_needed(self) -> bool:
        """Select the next pane that awaits input or a secret; return False if there is none."""
        following = self.panes[self._at + 1 :] + self.panes[: self._at + 1]
        needed = next((pane for pane in following if pane.attention == "needed"), None)
        self.selected = self.selected if needed is None else needed.id
        return needed is not None
