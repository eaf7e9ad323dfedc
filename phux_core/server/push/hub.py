"""Subscriptions, and the events published to them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from phux_core.server.push.text_follower import Follower

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from phux_core.server.clients.connection import Connection
    from phux_core.server.pane import Pane
    from phux_core.server.push.attachments import Attachments


class EventHub:
    """Every subscription of every client.

    Args:
        first_number: The first subscription number; different in each run of the service, so that a client cannot
            mistake a number of an earlier run for a new one.

    Attributes:
        observer: The attachments, which are notified of all events and output.
    """

    def __init__(self, first_number: int = 1) -> None:
        self._subscriptions: dict[int, tuple[Connection, int | None]] = {}
        self._followers: dict[int | None, dict[int, Follower]] = {}
        self._at_end: dict[int, Callable[[], None]] = {}
        self._next = first_number
        self.observer: Attachments | None = None

    def subscribe(self, subscriber: Connection, pane: int | None, at_end: Callable[[], None] | None = None) -> int:
        """Push events to a client from now on.

        Args:
            subscriber: The client.
            pane: The pane whose events to push; None for all events.
            at_end: Called when the subscription ends, for any reason.

        Returns:
            The number of the subscription.
        """
        number = self._next
        self._next += 1
        self._subscriptions[number] = (subscriber, pane)
        if at_end is not None:
            self._at_end[number] = at_end
        return number

    def follow(
        self, subscriber: Connection, pane: Pane, *, since: int | None, output_only: bool, screen: bool
    ) -> tuple[int, int]:
        """Push a pane's events and its output as text.

        Args:
            subscriber: The client.
            pane: The pane.
            since: The sequence number to start at; see ``Follower``.
            output_only: Whether to omit prompts and the echo of typed input.
            screen: Whether to push the screen with the text.

        Returns:
            The number of the subscription, and the sequence number at which the text starts.
        """
        number = self.subscribe(subscriber, pane.id)
        follower = Follower(subscriber, number, pane, since=since, output_only=output_only, screen=screen)
        self._followers.setdefault(pane.id, {})[number] = follower
        follower.push_soon()  # after the reply
        return number, follower.begins

    def written(self, pane: Pane) -> None:
        """Push new output of a pane."""
        for follower in list(self._followers.get(pane.id, {}).values()):
            follower.push()
        if self.observer is not None:
            self.observer.written(pane)

    def resumed(self, subscriber: Connection) -> None:
        """Push pending text to a client that reads again."""
        for followers in self._followers.values():
            for follower in followers.values():
                if follower.subscriber is subscriber:
                    follower.push_soon()

    def unsubscribe(self, subscriber: Connection, number: int) -> bool:
        """End a subscription of a client.

        Returns:
            Whether it existed.
        """
        if self._subscriptions.get(number, (None,))[0] is not subscriber:
            return False
        self._end(number)
        return True

    def drop_subscriber(self, subscriber: Connection) -> None:
        """End all subscriptions of a client that has disconnected."""
        for number in self.numbers_of(subscriber):
            self._end(number)

    def _end(self, number: int) -> None:
        _subscriber, pane = self._subscriptions.pop(number)
        if number in self._at_end:
            self._at_end.pop(number)()
        followers = self._followers.get(pane, {})
        if number in followers:
            followers.pop(number).end()
            if not followers:
                del self._followers[pane]

    def numbers_of(self, subscriber: Connection) -> list[int]:
        """List the subscriptions of a client."""
        return [number for number, (who, _pane) in self._subscriptions.items() if who is subscriber]

    def emit_to_all(self, name: str, payload: dict[str, object]) -> None:
        """Publish an event that is not about one pane to the subscriptions without a pane."""
        for number, subscriber in self._listeners(None):
            subscriber.push_event(number, _event(name, None, None, payload))

    def emit(self, name: str, /, *, pane: int | None = None, seq: int | None = None, **payload: object) -> None:
        """Publish an event.

        Args:
            name: The event's name, from schemas/event.v1.json.
            pane: The pane it is about, if any.
            seq: The current sequence number of the pane.
            payload: The other fields of the event.
        """
        if self._subscriptions:  # usually there are none, and every command has four events
            event = _event(name, pane, seq, payload)
            followers = self._followers.get(pane, {}) if name == "pane_closed" else {}
            for number, subscriber in self._listeners(pane):
                if number in followers:
                    followers[number].finish(event)
                else:
                    subscriber.push_event(number, event)
        if self.observer is not None:
            self.observer.happened(name, pane)

    def push_end(self, subscriber: Connection, number: int, pane: Pane) -> None:
        """Push the end of a dead pane to a new subscription, so that its client does not wait for it."""
        event = _event("pane_closed", pane.id, pane.seq, pane.record.ending())
        follower = self._followers.get(pane.id, {}).get(number)
        if follower is not None:
            follower.finish(event)
        else:
            asyncio.get_running_loop().call_soon(subscriber.push_event, number, event)  # after the reply

    def _listeners(self, pane: int | None) -> Iterator[tuple[int, Connection]]:
        for number, (subscriber, wanted) in list(self._subscriptions.items()):
            if wanted is None or wanted == pane:
                yield number, subscriber


def _event(name: str, pane: int | None, seq: int | None, payload: dict[str, object]) -> dict[str, Any]:
    event: dict[str, Any] = {"event": name}
    if pane is not None:
        event["terminal"] = f"@{pane}"
    event |= payload
    if seq is not None:
        event["seq"] = seq
    return event
