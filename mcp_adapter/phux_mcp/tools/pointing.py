"""The mouse of ``phux_act``: check the argument, and make the flow that clicks, drags or scrolls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.errors import BadRequestError
from phux_core.kinds import Kind, Param

if TYPE_CHECKING:
    from phux_client.flows import Caller, Document, Flow

_FIELDS = {
    **dict.fromkeys(("click", "double_click"), ("at", "button", "modifiers")),
    "drag": ("at", "to", "button", "modifiers"),
    "scroll": ("at", "direction", "times", "modifiers"),
}
MOUSE = Param(
    "mouse",
    Kind("an object", lambda value: isinstance(value, dict), {"type": "object"}, "dict[str, Any]"),
    'first use the mouse: {"action": "click", "at": text or [row, col]}, or double_click, drag (`to`), scroll '
    "(`direction`, `times`)",
)


class Gesture:
    """A use of the mouse, as a model describes it.

    Raises:
        BadRequestError: An unknown action or field, or a place is missing or not a place.
    """

    def __init__(self, described: Document) -> None:
        given = {name: value for name, value in described.items() if value is not None}
        self._action = action = given.pop("action", "click")
        if not isinstance(action, str) or action not in _FIELDS:
            raise BadRequestError(
                f"there is no mouse action {action!r:.80}", remedy=f"use one of: {', '.join(_FIELDS)}"
            )
        if unknown := given.keys() - set(_FIELDS[action]):
            remedy = f"use some of: {', '.join(_FIELDS[action])}"
            raise BadRequestError(f"the mouse action {action} has no {min(unknown)!r:.80}", remedy=remedy)
        needed = {"scroll": set(), "drag": {"at", "to"}}.get(action, {"at"})
        for name in sorted(needed | (given.keys() & {"at", "to"})):
            if not isinstance(given.get(name), (str, list)) or not given[name]:
                remedy = "give a text of the screen, or [row, column]"
                raise BadRequestError(f"`{name}` of the mouse action {action} is not a place", remedy=remedy)
        self._options = given

    def on(self, caller: Caller, pane: int, timeout_s: float) -> Flow[Document]:
        """Return the flow that uses the mouse in a pane."""
        options: dict[str, Any] = {**self._options, "timeout_s": min(timeout_s, flows.POINT_TIMEOUT_S)}
        if self._action == "scroll":
            return flows.scroll(caller, pane, **options)
        at = options.pop("at")
        if self._action == "drag":
            return flows.drag(caller, pane, at, options.pop("to"), **options)
        return flows.click(caller, pane, at, times=2 if self._action == "double_click" else 1, **options)
