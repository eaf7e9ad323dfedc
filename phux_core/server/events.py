"""Who is told what: subscriptions, and the one place events are made.

Bookkeeping does not depend on anybody listening; an event that nobody subscribed to costs one dictionary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator


class Subscriber(Protocol):
    """Something that events can be pushed to. It must never block."""

    def push_event(self, subscription: int, event: dict[str, Any]) -> None:
        """Take one event for one subscription."""


class EventHub:
    """Every subscription of every client.

    Args:
        first_number: Where to begin counting; another in each life of the service, so that a number which a
            client still has from an earlier life is never taken for a new one.
    """

    def __init__(self, first_number: int = 1) -> None:
        self._subscriptions: dict[int, tuple[Subscriber, int | None]] = {}
        self._next = first_number

    def subscribe(self, subscriber: Subscriber, pane: int | None) -> int:
        """Push events to the subscriber from now on: one pane's, or all.

        Returns:
            The number of the subscription.
        """
        number = self._next
        self._next += 1
        self._subscriptions[number] = (subscriber, pane)
        return number

    def unsubscribe(self, subscriber: Subscriber, number: int) -> bool:
        """End a subscription of this subscriber.

        Returns:
            Whether there was one.
        """
        if self._subscriptions.get(number, (None,))[0] is not subscriber:
            return False
        del self._subscriptions[number]
        return True

    def drop_subscriber(self, subscriber: Subscriber) -> None:
        """End every subscription of somebody who is gone."""
        for number in self.numbers_of(subscriber):
            del self._subscriptions[number]

    def numbers_of(self, subscriber: Subscriber) -> list[int]:
        """List the subscriptions of one subscriber."""
        return [number for number, (who, _pane) in self._subscriptions.items() if who is subscriber]

    def emit(self, name: str, *, pane: int | None = None, seq: int | None = None, **payload: object) -> None:
        """Tell everybody who asked.

        Args:
            name: The event's name, one of schemas/event.v1.json.
            pane: The pane it is about, if it is about one.
            seq: The pane's sequence number at that moment.
            payload: What else the event carries.
        """
        event: dict[str, Any] = {"event": name}
        if pane is not None:
            event["terminal"] = f"@{pane}"
        event |= payload
        if seq is not None:
            event["seq"] = seq
        for number, subscriber in self._listeners(pane):
            subscriber.push_event(number, event)

    def _listeners(self, pane: int | None) -> Iterator[tuple[int, Subscriber]]:
        for number, (subscriber, wanted) in list(self._subscriptions.items()):
            if wanted is None or wanted == pane:
                yield number, subscriber
