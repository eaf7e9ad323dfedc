"""Events that wait to be read, bounded: what does not fit is counted, and told in one ``dropped`` event."""

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Document

MAX_EVENTS = 4096
"""Events of one subscription that may wait."""


class EventBuffer:
    """The events of one subscription."""

    __slots__ = ("_dropped", "_events")

    def __init__(self) -> None:
        self._events: deque[Document] = deque()
        self._dropped = 0

    def __len__(self) -> int:
        """Count what can be taken."""
        return len(self._events) + (self._dropped > 0)

    def put(self, event: "Document") -> None:
        """Add an event, or count it as dropped when too many wait."""
        if len(self._events) >= MAX_EVENTS or self._dropped:
            self._dropped += 1
        else:
            self._events.append(event)

    def take(self) -> "Document":
        """Take the oldest; the word on dropped ones comes where they would have been."""
        if self._events:
            return self._events.popleft()
        count, self._dropped = self._dropped, 0
        return {"event": "dropped", "count": count}
