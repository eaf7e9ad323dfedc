"""The mouse: focus a pane, drag a divider, scroll, select, or pass events to programs that enabled it."""

import time

from phux_client.tui.keyboard import MouseEvent
from phux_core.layout import Divider

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.tui.app import App
    from phux_core.layout import Rect

_WHEEL_KEYS = {"wheel_up": "Up", "wheel_down": "Down"}
_WHEEL_LINES = 3
_CLICK_S = 0.4
"""The longest time between the clicks of a double or triple click."""


class Mouse:
    """The state of the mouse."""

    def __init__(self, app: "App") -> None:
        self._app = app
        self._dragged: Divider | None = None
        self._goal: int | None = None
        self._is_moving = False
        self._held: int | None = None
        self._pressed_at: MouseEvent | None = None
        self._clicked = (0.0, -1, -1, 0)  # the last click: its time and place, and how many there were

    def take(self, event: MouseEvent) -> None:
        """Handle a mouse event, in cells of the terminal."""
        app = self._app
        arrangement = app.model.arrangement
        if arrangement is None:
            return
        if event.kind == "press" and event.y >= app.screen.area[1]:
            self._on_status(event)
            return
        event = _moved(event, *app.screen.corner)
        if self._dragged is not None:
            self._drag(event)
            return
        under = arrangement.at(event.x, event.y)
        if event.kind == "press" and isinstance(under, Divider):
            if event.button == "left" and not app.read_only:
                self._dragged, self._goal, self._is_moving = under, None, False
            return
        # Until the button is released, its events go to the pane in which it was pressed.
        pane = self._held if self._held is not None and event.kind != "press" else under
        if not isinstance(pane, int) or pane not in arrangement.panes:
            return
        if event.kind == "press" and not (event.button or "").startswith("wheel"):
            self._held = pane
            if pane != app.model.active_pane and not app.read_only:
                app.server.move("select", scope="pane", id=pane)
        elif event.kind == "release":
            self._held = None
        self._in_pane(pane, arrangement.panes[pane], self._counted(event))

    def _counted(self, event: MouseEvent) -> MouseEvent:
        """Return a press of the left button with the number of clicks in the same place."""
        if event.kind != "press" or event.button != "left":
            return event
        now = time.monotonic()
        at, x, y, clicks = self._clicked
        clicks = clicks % 3 + 1 if (x, y) == (event.x, event.y) and now - at <= _CLICK_S else 1
        self._clicked = (now, event.x, event.y, clicks)
        return _moved(event, 0, 0, clicks)

    def _drag(self, event: MouseEvent) -> None:
        divider = self._dragged
        assert divider is not None
        self._goal = event.x if divider.direction == "right" else event.y
        self._pull(divider)
        if event.kind == "release":
            self._dragged = None

    def _pull(self, divider: Divider) -> None:
        """Move a divider to the mouse, one request at a time."""
        app, arrangement, goal = self._app, self._app.model.arrangement, self._goal
        if self._is_moving or goal is None or arrangement is None or app.model.view is None:
            return
        self._goal = None
        here = next((one.rect for one in arrangement.dividers if one.path == divider.path), None)
        by = 0 if here is None else goal - (here.x if divider.direction == "right" else here.y)

        def moved(_reply: object) -> None:
            self._is_moving = False
            self._pull(divider)

        if by:
            self._is_moving = True
            window = app.model.view["window"]["id"]
            app.server.ask("move_divider", moved, window=window, path=list(divider.path), by=by)

    def _in_pane(self, pane: int, place: "Rect", event: MouseEvent) -> None:
        app = self._app
        inside = _moved(
            event,
            min(max(event.x - place.x, 0), place.cols - 1) - event.x,
            min(max(event.y - place.y, 0), place.rows - 1) - event.y,
        )
        known = app.model.panes[pane]
        if app.copying.pane == pane:
            app.copying.take(inside)
        elif known.wants_mouse and not app.read_only:
            app.server.type_into(pane, [{"mouse": _document(inside)}])
        elif event.button in _WHEEL_KEYS:
            self._wheel(pane, inside)
        elif event.button == "left":
            self._select(pane, inside)
        elif event.button == "middle" and event.kind == "press" and app.copying.buffers:
            app.server.type_into(pane, [{"paste": app.copying.buffers[0]}])

    def _wheel(self, pane: int, event: MouseEvent) -> None:
        app = self._app
        if app.model.panes[pane].modes["alt_screen"]:
            if not app.read_only:
                app.server.type_into(pane, [{"key": _WHEEL_KEYS[event.button or ""]}] * _WHEEL_LINES)
        elif event.button == "wheel_up":
            app.copying.begin(pane, event)

    def _select(self, pane: int, event: MouseEvent) -> None:
        """Select a word or line by clicks, or start selecting where the button was pressed, once the mouse moves."""
        if event.kind == "press" and event.clicks > 1:
            self._pressed_at = None
            self._app.copying.begin(pane, event)
        elif event.kind == "press":
            self._pressed_at = event
        elif event.kind == "move" and self._pressed_at is not None:
            self._app.copying.begin(pane, self._pressed_at, event)
            self._pressed_at = None
        elif event.kind == "release":
            self._pressed_at = None

    def _on_status(self, event: MouseEvent) -> None:
        """Select the window whose name was clicked, or the next or previous one with the wheel."""
        if event.button in _WHEEL_KEYS:
            self._app.actions.perform("previous-window" if event.button == "wheel_up" else "next-window")
        elif event.button == "left":
            index = self._app.screen.window_at(event.x)
            if index is not None and not self._app.read_only:
                self._app.server.move("select", scope="window", id=index)


def _moved(event: MouseEvent, x: int, y: int, clicks: int | None = None) -> MouseEvent:
    held = {"ctrl": event.ctrl, "alt": event.alt, "shift": event.shift}
    clicks = event.clicks if clicks is None else clicks
    return MouseEvent(event.kind, event.button, event.x + x, event.y + y, clicks=clicks, **held)


def _document(event: MouseEvent) -> "Document":
    document: Document = {"kind": event.kind, "x": event.x, "y": event.y}
    if event.button is not None:
        document["button"] = event.button
    return document | {name: True for name in ("ctrl", "alt", "shift") if getattr(event, name)}
