"""Who is told what: subscriptions, and the one place events are made.

Bookkeeping does not depend on anybody listening; an event that nobody subscribed to costs one dictionary.
"""

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
        first_number: Where to begin counting; another in each life of the service, so that a number which a
            client still has from an earlier life is never taken for a new one.
    """

    def __init__(self, first_number: int = 1) -> None:
        self._subscriptions: dict[int, tuple[Connection, int | None]] = {}
        self._followers: dict[int | None, dict[int, Follower]] = {}
        self._at_end: dict[int, Callable[[], None]] = {}
        self._next = first_number
        self.observer: Attachments | None = None

    def subscribe(self, subscriber: Connection, pane: int | None, at_end: Callable[[], None] | None = None) -> int:
        """Push events to the subscriber from now on: one pane's, or all.

        Args:
            subscriber: Who is told.
            pane: Of which pane; None for all.
            at_end: Is called when the subscription ends, however it does.

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
        """Push a pane's events, and what it writes as text.

        Args:
            subscriber: Who is told.
            pane: The pane.
            since: Where to begin in its stream; see ``Follower``.
            output_only: Whether to leave out prompts and the echo of what is typed.
            screen: Whether to push the screen with the text.

        Returns:
            The number of the subscription, and where the text begins.
        """
        number = self.subscribe(subscriber, pane.id)
        follower = Follower(subscriber, number, pane, since=since, output_only=output_only, screen=screen)
        self._followers.setdefault(pane.id, {})[number] = follower
        follower.tell_soon()  # the reply goes first
        return number, follower.begins

    def written(self, pane: Pane) -> None:
        """Take note that a pane's program wrote something."""
        for follower in list(self._followers.get(pane.id, {}).values()):
            follower.tell()
        if self.observer is not None:
            self.observer.written(pane)

    def resumed(self, subscriber: Connection) -> None:
        """Take note that somebody who was slow reads again."""
        for followers in self._followers.values():
            for follower in followers.values():
                if follower.subscriber is subscriber:
                    follower.tell_soon()

    def unsubscribe(self, subscriber: Connection, number: int) -> bool:
        """End a subscription of this subscriber.

        Returns:
            Whether there was one.
        """
        if self._subscriptions.get(number, (None,))[0] is not subscriber:
            return False
        self._end(number)
        return True

    def drop_subscriber(self, subscriber: Connection) -> None:
        """End every subscription of somebody who is gone."""
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
        """List the subscriptions of one subscriber."""
        return [number for number, (who, _pane) in self._subscriptions.items() if who is subscriber]

    def tell(self, name: str, payload: dict[str, object]) -> None:
        """Tell everybody who listens to all of the server of something that is not about one pane."""
        for number, subscriber in self._listeners(None):
            subscriber.push_event(number, _event(name, None, None, payload))

    def emit(self, name: str, /, *, pane: int | None = None, seq: int | None = None, **payload: object) -> None:
        """Tell everybody who asked.

        Args:
            name: The event's name, one of schemas/event.v1.json.
            pane: The pane it is about, if it is about one.
            seq: The pane's sequence number at that moment.
            payload: What else the event carries.
        """
        if self._subscriptions:  # mostly there are none, and every command has four events
            event = _event(name, pane, seq, payload)
            followers = self._followers.get(pane, {}) if name == "pane_closed" else {}
            for number, subscriber in self._listeners(pane):
                if number in followers:
                    followers[number].finish(event)
                else:
                    subscriber.push_event(number, event)
        if self.observer is not None:
            self.observer.happened(name, pane)

    def tell_of_death(self, subscriber: Connection, number: int, pane: Pane) -> None:
        """Tell somebody who came late how a pane's program ended, so that nobody waits for it for ever."""
        event = _event("pane_closed", pane.id, pane.seq, pane.record.ending())
        follower = self._followers.get(pane.id, {}).get(number)
        if follower is not None:
            follower.finish(event)
        else:
            asyncio.get_running_loop().call_soon(subscriber.push_event, number, event)  # the reply goes first

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
