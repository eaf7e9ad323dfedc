"""What the server has told: the session's windows, how the active one is laid out, and what each pane shows."""

from phux_client.tui.canvas import BLANK, row_of
from phux_core.layout import arrange

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.tui.canvas import Row
    from phux_core.layout import Arrangement

_NO_MODES: "Document" = {"mouse": "off", "focus_events": False, "bracketed_paste": False, "alt_screen": False}


class PaneModel:
    """What one pane shows.

    Attributes:
        cols: Columns of its screen.
        rows: Its rows, as cells.
        cursor: Column, row, whether it is shown, and the DECSCUSR number of its shape.
        modes: What its program asked for: ``mouse``, ``focus_events``, ``bracketed_paste``, ``alt_screen``.
        title: What its program calls it.
        seq: The moment all of this is from.
    """

    __slots__ = ("cols", "cursor", "modes", "rows", "seq", "title")

    def __init__(self) -> None:
        self.cols = 0
        self.rows: list[Row] = []
        self.cursor: tuple[int, int, bool, int] = (0, 0, False, 0)
        self.modes = _NO_MODES
        self.title = ""
        self.seq = 0

    def apply(self, frame: "Document") -> None:
        """Take what changed."""
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
        self.seq = frame["seq"]

    @property
    def wants_mouse(self) -> bool:
        """Whether its program asked for the mouse."""
        return bool(self.modes["mouse"] != "off")


class Model:
    """What an attached client knows.

    Attributes:
        view: The session as it was told last; None before that.
        panes: What the panes that are shown show, by their numbers.
        arrangement: Where they are in the window.
    """

    def __init__(self) -> None:
        self.view: Document | None = None
        self.panes: dict[int, PaneModel] = {}
        self.arrangement: Arrangement | None = None

    def take_view(self, view: "Document") -> None:
        """Take the session as it is now."""
        self.view = view
        window = view["window"]
        self.arrangement = arrange(window["layout"], window["cols"], window["rows"], window["zoomed"])
        shown = self.arrangement.panes
        self.panes = {pane: self.panes.get(pane) or PaneModel() for pane in shown}

    def take_frame(self, frame: "Document") -> None:
        """Take what changed of one pane."""
        pane = self.panes.get(frame["pane"])
        if pane is not None:
            pane.apply(frame)

    @property
    def active_pane(self) -> int | None:
        """The pane that has the keyboard."""
        return None if self.view is None else int(self.view["window"]["active_pane"])

    def pane_at(self, x: int, y: int) -> int | None:
        """Tell which pane a cell of the window belongs to."""
        found = None if self.arrangement is None else self.arrangement.at(x, y)
        return found if isinstance(found, int) else None
