"""``click``, ``drag`` and ``scroll``: mouse events, encoded for the mode that the program requested."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.locating import locate
from phux_client.flows.target import pane_id
from phux_core.errors import BadRequestError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence
    from typing import TypeAlias

    from phux_client.flows._types import Document, Flow

    Place: TypeAlias = "str | re.Pattern[str] | Document | tuple[int, int]"
    """A text to find, a Region document, or a row and a column."""

POINT_TIMEOUT_S = 5.0
"""The default time limit for the text to point at to appear."""
BUTTONS = ("left", "middle", "right")
MODIFIERS = ("ctrl", "alt", "shift")
DIRECTIONS = ("up", "down", "left", "right")
_MOST_TIMES = 1000


def click(
    caller: Caller,
    target: "str | int",
    place: "Place",
    *,
    button: str = "left",
    times: int = 1,
    modifiers: "Sequence[str]" = (),
    timeout_s: float = POINT_TIMEOUT_S,
) -> "Flow[Document]":
    """Click a place of the screen, as a Sent document."""
    _check("button", button, BUTTONS)
    held = _held(modifiers)
    number = yield from pane_id(target, caller)
    at = yield from _cell(caller, number, place, timeout_s)
    pressed = [{"kind": kind, "button": button, **at, **held} for kind in ("press", "release")]
    return (yield from _send(number, pressed * _times(times)))


def drag(
    caller: Caller,
    target: "str | int",
    start: "Place",
    end: "Place",
    *,
    button: str = "left",
    modifiers: "Sequence[str]" = (),
    timeout_s: float = POINT_TIMEOUT_S,
) -> "Flow[Document]":
    """Press a button at one place, move to another and release it there, as a Sent document."""
    _check("button", button, BUTTONS)
    held = {"button": button, **_held(modifiers)}
    number = yield from pane_id(target, caller)
    first = yield from _cell(caller, number, start, timeout_s)
    last = yield from _cell(caller, number, end, timeout_s)
    steps = [("press", first), ("move", last), ("release", last)]
    return (yield from _send(number, [{"kind": kind, **at, **held} for kind, at in steps]))


def scroll(
    caller: Caller,
    target: "str | int",
    direction: str = "down",
    *,
    times: int = 1,
    at: "Place | None" = None,
    modifiers: "Sequence[str]" = (),
    timeout_s: float = POINT_TIMEOUT_S,
) -> "Flow[Document]":
    """Turn the wheel at a place of the screen, by default its middle, as a Sent document."""
    _check("direction", direction, DIRECTIONS)
    held = _held(modifiers)
    number = yield from pane_id(target, caller)
    where = yield from _cell(caller, number, at, timeout_s)
    turn = {"kind": "press", "button": f"wheel_{direction}", **where, **held}
    return (yield from _send(number, [turn] * _times(times)))


def _send(number: int, events: "list[Document]") -> "Flow[Document]":
    reply = yield Request("input", pane=number, items=[{"mouse": event} for event in events])
    if not reply["bytes"]:
        screen = yield Request("snapshot", pane=number)
        foreground = screen.get("foreground")
        raise RefusedError(
            f"{foreground['command'] if foreground else 'the program'} in @{number} did not request these mouse events",
            remedy="use its keys instead (send_keys), or turn on its mouse support",
        )
    return {"schema_version": 1, "sent": True, "pane": f"@{number}", "bytes": reply["bytes"]}


def _cell(caller: Caller, number: int, place: "Place | None", timeout_s: float) -> "Flow[Document]":
    """Return the coordinates of a place: of a region, its middle."""
    if place is None or isinstance(place, (tuple, list)):
        screen = yield Request("snapshot", pane=number)
        rows, cols = screen["rows"], screen["cols"]
        row, col = (rows // 2, cols // 2) if place is None else _checked(place, rows, cols)
        return {"x": col, "y": row}
    if not isinstance(place, dict):
        place = yield from locate(caller, number, place, timeout_s=timeout_s)
    return {"x": place["col"] + (place["width"] - 1) // 2, "y": place["row"]}


def _checked(place: "Sequence[object]", rows: int, cols: int) -> tuple[int, int]:
    match place:
        case [int(row), int(col)] if 0 <= row < rows and 0 <= col < cols:
            return row, col
    raise BadRequestError(
        f"the screen has no cell {tuple(place)!r:.80}",
        remedy=f"give a row from 0 to {rows - 1} and a column from 0 to {cols - 1}",
    )


def _held(modifiers: "Sequence[str]") -> "dict[str, bool]":
    for modifier in modifiers:
        _check("modifier", modifier, MODIFIERS)
    return dict.fromkeys(modifiers, True)


def _times(times: int) -> int:
    if times not in range(1, _MOST_TIMES + 1):
        raise BadRequestError(f"times is {times!r:.80}", remedy=f"give a number from 1 to {_MOST_TIMES}")
    return times


def _check(name: str, value: object, known: "tuple[str, ...]") -> None:
    if value not in known:
        raise BadRequestError(f"there is no {name} {value!r:.80}", remedy=f"use one of: {', '.join(known)}")
