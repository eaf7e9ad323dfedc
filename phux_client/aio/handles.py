"""Live handles of the async client: sessions, panes, event streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from phux_client import flows
from phux_core import documents, errors, shapes

if TYPE_CHECKING:
    from phux_client.aio.server import Phux


class EventStream:
    """Events as they happen, for ``async for`` or one at a time."""

    def __init__(self, phux: Phux, pane: int | None) -> None:
        self._phux = phux
        self._pane = pane
        self.subscription = 0

    async def subscribe(self) -> None:
        """Begin, or begin anew on a new connection.

        Example:
            >>> async with phux.events() as events:
            ...     await events.subscribe()
            ...     events.subscription > 0
            True
        """
        reply = await self._phux.request(flows.Request("subscribe", pane=self._pane))
        self.subscription = reply["subscription"]

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> shapes.Event:
        return await self.next()

    async def next(self, timeout_s: float | None = None) -> shapes.Event:
        """Wait for the next event.

        Raises:
            TimedOutError: None came in time.
            NoServerError: The server went away.

        Example:
            >>> async with phux.events("work") as events:
            ...     typed = await pane.send_keys("Enter")
            ...     (await events.next(timeout_s=10)).terminal
            '@1'
        """
        while True:
            try:
                document = await self._phux.drive(flows.next_event(self.subscription, timeout_s))
            except errors.DisconnectedError:
                await self.subscribe()  # which fails in its turn if the server is gone, and not only its service
                return shapes.Dropped(count=0)
            event = documents.load_event(document)
            if event is not None:
                return event


class Session:
    """A session, as a live handle.

    Attributes:
        id: Its number.
        name: Its name when the handle was made.
    """

    def __init__(self, phux: Phux, id: int, name: str, first_pane: int) -> None:  # noqa: A002
        self._phux = phux
        self.id = id
        self.name = name
        self._first_pane = first_pane

    def __repr__(self) -> str:
        return f"<Session {self.id} {self.name!r}>"

    @property
    def pane(self) -> Pane:
        """Its first pane.

        Example:
            >>> session.pane.selector
            '@1'
        """
        return Pane(self._phux, self._first_pane)

    async def kill(self) -> int:
        """End it.

        Returns:
            How many panes were ended.

        Example:
            >>> await session.kill()
            1
        """
        return int((await self._phux.drive(flows.kill_by_id("session", self.id)))["killed"])


class Pane:
    """A pane, as a live handle. Reading and typing never attach and never resize.

    Attributes:
        id: Its number.
    """

    def __init__(self, phux: Phux, id: int) -> None:  # noqa: A002
        self._phux = phux
        self.id = id

    def __repr__(self) -> str:
        return f"<Pane @{self.id}>"

    @property
    def selector(self) -> str:
        """The selector that names it wherever a TARGET is taken.

        Example:
            >>> pane.selector
            '@1'
        """
        return f"@{self.id}"

    async def snapshot(self, *, scrollback: int | None = None, cells: bool = False) -> shapes.ScreenState:
        """Read its screen.

        Args:
            scrollback: History rows: None none, 0 all, N the newest N.
            cells: Whether to add the cells that have a style or a mark.

        Example:
            >>> (await pane.snapshot()).cols
            80
        """
        flow = flows.snapshot(self._phux.caller, self.id, scrollback=scrollback, cells=cells)
        return documents.load(shapes.ScreenState, await self._phux.drive(flow))

    async def send_keys(self, *words: str, literal: bool = False) -> int:
        """Type words: names of keys (``Enter``, ``C-c``) as keys, all else as text; all of it or nothing.

        Args:
            words: As tmux's send-keys takes them.
            literal: Take every word as text.

        Returns:
            How many bytes were typed.

        Raises:
            PaneClosedError, InputTooLongError, InputBlockedError: The program did not get it.

        Example:
            >>> await pane.send_keys("echo hello", "Enter") > 0
            True
        """
        flow = flows.send_keys(self._phux.caller, self.id, words, literal=literal)
        return int((await self._phux.drive(flow))["bytes"])

    async def paste(self, text: str) -> int:
        """Paste text, in brackets if the program asked for them.

        Returns:
            How many bytes were typed.

        Example:
            >>> await pane.paste("two words") > 0
            True
        """
        return int((await self._phux.drive(flows.paste(self._phux.caller, self.id, text)))["bytes"])

    async def wait(
        self,
        *,
        until: str | None = None,
        exit: bool = False,  # noqa: A002
        idle_ms: int | None = None,
        timeout_s: float | None = None,
    ) -> shapes.ScreenState:
        """Wait until a visible line contains a text, the program has ended, or the pane has come to rest.

        Args:
            until: A text to see.
            exit: Wait for the program's end.
            idle_ms: Wait for this long a rest; 500 when no other condition is given.
            timeout_s: Give up after this long.

        Returns:
            The screen at that moment.

        Raises:
            TimedOutError: The time was over first.

        Example:
            >>> (await pane.wait(idle_ms=100)).state
            'running'
        """
        outcome = await self._phux.drive(
            flows.wait(self._phux.caller, self.id, until=until, exit=exit, idle_ms=idle_ms, timeout_s=timeout_s)
        )
        if outcome.met is None:
            raise errors.TimedOutError(f"{self.selector} did not get there within {timeout_s:g} s")
        return documents.load(shapes.ScreenState, outcome.screen)

    async def info(self) -> shapes.PaneInfo:
        """Read its place in the tree.

        Example:
            >>> (await pane.info()).active
            True
        """
        found = await self._phux.drive(flows.find_pane(self.selector, self._phux.caller))
        return documents.load(shapes.PaneInfo, found)

    async def kill(self) -> int:
        """End its program and forget it.

        Returns:
            How many panes were ended.

        Example:
            >>> await pane.kill()
            1
        """
        return int((await self._phux.drive(flows.kill_by_id("pane", self.id)))["killed"])
