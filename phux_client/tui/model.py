"""The state that the server has reported: the session's windows, the active one's layout, and the panes' screens."""

from phux_client.tui.canvas import BLANK, row_of
from phux_core.layout import arrange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.tui.canvas import Row
    from phux_core.layout import Arrangement

_NO_MODES: "Document" = {"mouse": "off", "focus_events": False, "bracketed_paste": False, "alt_screen": False}


class PaneModel:
    """The screen of one pane.

    Attributes:
        cursor: Column, row, whether the cursor is visible, and the DECSCUSR number of its shape.
        modes: The modes that the pane's program set: ``mouse``, ``focus_events``, ``bracketed_paste``, ``alt_screen``.
    """

    __slots__ = ("cols", "cursor", "modes", "rows", "title")

    def __init__(self) -> None:
        self.cols = 0
        self.rows: list[Row] = []
        self.cursor: tuple[int, int, bool, int] = (0, 0, False, 0)
        self.modes = _NO_MODES
        self.title = ""

    def apply(self, frame: "Document") -> None:
        """Apply changes."""
        if "size" in frame:
            self.cols, rows = frame["size"]
            self.rows = [[BLANK] * self.cols for _ in range(rows)]
        for y, runs in frame.get("rows", ()):
            if 0 <= y < len(self.rows):
                self.rows[y] = row_of(runs, self.cols)
        if "cursor" in frame:
            x, y, visible, shape = frame["cursor"]
            self.cursor = (x, y, visible, shape)
        self.modes = frame.get("modes", self.modes)
        self.title = frame.get("title", self.title)

    @property
    def wants_mouse(self) -> bool:
        """Whether the pane's program enabled mouse reports."""
        return bool(self.modes["mouse"] != "off")


class Model:
    """The state of an attached client.

    Attributes:
        view: The latest view of the session; None before the first.
        panes: The visible panes, by id.
    """

    def __init__(self) -> None:
        self.view: Document | None = None
        self.panes: dict[int, PaneModel] = {}
        self.arrangement: Arrangement | None = None

    def take_view(self, view: "Document") -> None:
        """Replace the view of the session."""
        self.view = view
        window = view["window"]
        self.arrangement = arrange(window["layout"], window["cols"], window["rows"], window["zoomed"])
        shown = self.arrangement.panes
        self.panes = {pane: self.panes.get(pane) or PaneModel() for pane in shown}

    def take_frame(self, frame: "Document") -> None:
        """Apply the changes of one pane."""
        pane = self.panes.get(frame["pane"])
        if pane is not None:
            pane.apply(frame)

    @property
    def active_pane(self) -> int | None:
        """The pane that receives keys."""
        return None if self.view is None else int(self.view["window"]["active_pane"])
