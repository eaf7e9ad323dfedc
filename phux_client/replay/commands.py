"""The commands and states of a recording, by time. No I/O."""

from bisect import bisect_left, bisect_right

from phux_client.moments import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from phux_client.flows._types import Document

    Entry: TypeAlias = tuple[float, int, str, Document]
    """An entry of a timeline, as on the wire."""


_NOTABLE = frozenset(("awaiting_input", "awaiting_secret", "dead"))


class Commands:
    """What a replay shows and uses besides the screens.

    Args:
        entries: The entries of the timeline.
    """

    def __init__(self, entries: "Iterable[Entry]") -> None:
        self._changed: list[float] = []
        self._shown: list[str] = []
        self._started: list[Place] = []
        command, ending, state, last = "", "", "", None
        for at, seq, kind, fields in entries:
            if kind == "command_started":
                self._started.append(Place(seq, at))
                command, ending, last = f"$ {fields.get('command') or ''}", "", fields.get("command_id")
            elif kind == "command_finished" and fields.get("command_id") == last:
                ending = f"exit {fields.get('exit_code')}"
            elif kind == "state_changed":
                state = str(fields.get("state") or "")
            else:
                continue
            asks = state if not command or state in _NOTABLE else ""
            self._changed.append(at)
            self._shown.append("  ".join(filter(None, (command, ending, asks))))

    def shown_at(self, moment: float) -> str:
        """Return the last command with a ``$``, its exit code if it has ended, and the state if that is notable."""
        index = bisect_right(self._changed, moment)
        return self._shown[index - 1] if index else ""

    def next_after(self, place: Place) -> Place | None:
        """Return the place at which the next command starts."""
        index = bisect_right(self._started, _order(place), key=_order)
        return self._started[index] if index < len(self._started) else None

    def last_before(self, place: Place) -> Place | None:
        """Return the place at which the last command before a place starts."""
        index = bisect_left(self._started, _order(place), key=_order)
        return self._started[index - 1] if index else None


def _order(place: Place) -> tuple[float, int]:
    """Return the order of a place: short commands may have the same time."""
    return place.at, place.seq
