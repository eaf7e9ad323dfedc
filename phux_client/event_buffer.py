"""A bounded buffer of unread events; those that do not fit are counted and reported in one ``dropped`` event."""

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

MAX_EVENTS = 4096
"""The most events to buffer for one subscription."""
MAX_TEXT = 16 * 1024 * 1024
"""The most characters of text to buffer for one subscription."""


class EventBuffer:
    """The events of one subscription."""

    __slots__ = ("_dropped", "_events", "_text")

    def __init__(self) -> None:
        self._events: deque[Document] = deque()
        self._dropped = 0
        self._text = 0

    def __len__(self) -> int:
        """Return the number of events that can be taken."""
        return len(self._events) + (self._dropped > 0)

    def put(self, event: "Document") -> None:
        """Add an event, or count it as dropped if the buffer is full."""
        if len(self._events) >= MAX_EVENTS or self._text >= MAX_TEXT or self._dropped:
            self._dropped += 1
        else:
            self._events.append(event)
            self._text += _text_size(event)

    def take(self) -> "Document":
        """Remove and return the oldest event; a ``dropped`` event takes the place of the dropped events."""
        if self._events:
            event = self._events.popleft()
            self._text -= _text_size(event)
            return event
        count, self._dropped = self._dropped, 0
        return {"event": "dropped", "count": count}


def _text_size(event: "Document") -> int:
    return sum(map(len, event["text"])) if "text" in event else 0
