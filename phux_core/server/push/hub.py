"""Subscriptions, and the events published to them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from attrs import define

from phux_core.compact_json import to_bytes
from phux_core.server.push.text_follower import Follower, Turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.server.connection import Connection
    from phux_core.server.pane import Pane
    from phux_core.server.push.attachments import Attachments


@define
class _Subscription:
    """One subscription; ``pane`` is None for all events, ``at_end`` is called when it ends, for any reason."""

    subscriber: Connection
    pane: int | None
    at_end: Callable[[], None] | None = None
    follower: Follower | None = None


class EventHub:
    """Every subscription of every client.

    The first number is different in each run of the service, so that a client cannot mistake a number of an earlier run
    for a new one. The observer is notified of all events and output.
    """

    def __init__(self, first_number: int = 1) -> None:
        self._subscriptions: dict[int, _Subscription] = {}
        self._next = first_number
        self._turns = Turns()
        self.observer: Attachments | None = None

    def subscribe(self, subscriber: Connection, pane: int | None, at_end: Callable[[], None] | None = None) -> int:
        """Push events to a client from now on, and return the number of the subscription."""
        number = self._next
        self._next += 1
        self._subscriptions[number] = _Subscription(subscriber, pane, at_end)
        return number

    def follow(
        self, subscriber: Connection, pane: Pane, *, since: int | None, output_only: bool, screen: bool
    ) -> tuple[int, int]:
        """Push a pane's events and its output as text; ``Follower`` describes the parameters.

        Returns:
            The number of the subscription, and the sequence number at which the text starts.
        """
        number = self.subscribe(subscriber, pane.id)
        follower = Follower(subscriber, number, pane, self._turns, since=since, output_only=output_only, screen=screen)
        self._subscriptions[number].follower = follower
        follower.push_soon()  # after the reply
        return number, follower.begins

    def written(self, pane: Pane) -> None:
        if self._subscriptions:
            for one in list(self._subscriptions.values()):
                if one.follower is not None and one.pane == pane.id:
                    self._turns.add(one.follower)
            self._turns.take()
        if self.observer is not None:
            self.observer.written(pane)

    def resumed(self, subscriber: Connection) -> None:
        for one in self._subscriptions.values():
            if one.follower is not None and one.subscriber is subscriber:
                one.follower.push_soon()

    def unsubscribe(self, subscriber: Connection, number: int) -> None:
        one = self._subscriptions.get(number)
        if one is not None and one.subscriber is subscriber:
            self._end(number)

    def drop_subscriber(self, subscriber: Connection) -> None:
        for number in self.numbers_of(subscriber):
            self._end(number)

    def _end(self, number: int) -> None:
        ended = self._subscriptions.pop(number)
        if ended.follower is not None:
            ended.follower.end()
        if ended.at_end is not None:
            ended.at_end()

    def numbers_of(self, subscriber: Connection) -> list[int]:
        return [number for number, one in self._subscriptions.items() if one.subscriber is subscriber]

    def emit_to_all(self, name: str, payload: dict[str, object]) -> None:
        """Publish an event that is not about one pane to the subscriptions without a pane."""
        self._push(None, _event(name, None, None, payload))

    def emit(self, name: str, /, *, pane: int | None = None, seq: int | None = None, **payload: object) -> None:
        """Publish an event of schemas/event.v1.json; ``seq`` is the current sequence number of its pane."""
        if self._subscriptions:  # usually there are none, and every command has four events
            self._push(pane, _event(name, pane, seq, payload))
        if self.observer is not None:
            self.observer.happened(name, pane)

    def push_end(self, subscriber: Connection, number: int, pane: Pane) -> None:
        """Push the end of a dead pane to a new subscription, so that its client does not wait for it."""
        event = _event("pane_closed", pane.id, pane.seq, pane.record.ending())
        follower = self._subscriptions[number].follower
        if follower is not None:
            follower.finish(event)
        else:
            asyncio.get_running_loop().call_soon(subscriber.push_event, number, event)  # after the reply

    def _push(self, pane: int | None, event: dict[str, Any]) -> None:
        encoded = to_bytes(event)
        for number, one in list(self._subscriptions.items()):
            if one.pane is not None and one.pane != pane:
                continue
            if one.follower is not None and event["event"] == "pane_closed":
                one.follower.finish(event)
            else:
                one.subscriber.push_encoded(number, encoded)


def _event(name: str, pane: int | None, seq: int | None, payload: dict[str, object]) -> dict[str, Any]:
    event: dict[str, Any] = {"event": name}
    if pane is not None:
        event["terminal"] = f"@{pane}"
    event |= payload
    if seq is not None:
        event["seq"] = seq
    return event
