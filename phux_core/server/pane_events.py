"""Publish the events of one pane, with its id and its sequence number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable


class Events(Protocol):
    """Publishes events."""

    def emit(self, name: str, /, *, pane: int | None = None, seq: int | None = None, **payload: object) -> None:
        """Publish an event."""


class PaneEvents:
    """The events of one pane.

    Args:
        events: The publisher of all events.
        pane: The pane's id.
        position: Returns the pane's current sequence number.
    """

    def __init__(self, events: Events, pane: int, position: Callable[[], int]) -> None:
        self._events, self._pane, self._position = events, pane, position

    def emit(self, name: str, /, **payload: object) -> None:
        """Publish an event."""
        self._events.emit(name, pane=self._pane, seq=self._position(), **payload)
