"""I/O of the async client: wait for the socket, sleep, use threads. Runs under asyncio and trio.

``tools/generate_blocking.py`` generates the blocking client from the other modules of this package.
``phux_client.blocking.backend`` defines the same names as this module.

There is no background task. One of the tasks that wait for a reply or an event reads and writes the socket for all of
them, and passes this role on when it is done. So the client puts no task group and no cancel scope around its user's
code, and can be opened in one task and closed in another.
"""

from __future__ import annotations

import contextlib
import socket as socket_module
import time
from typing import TYPE_CHECKING, TypeVar

import anyio

from phux_client.connection import ClientConnection
from phux_client.unix_socket import ServerSocket, is_hung_up, receive_now, send_now
from phux_core import errors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from types import TracebackType

    from phux_client.aio.server import Phux
    from phux_client.connection import Key
    from phux_client.embedding import EmbeddedServer

Argument = TypeVar("Argument")
Result = TypeVar("Result")

sleep = anyio.sleep


class Stream:
    """One connected socket and its protocol state, shared by any number of tasks."""

    def __init__(self, sock: ServerSocket, client: str | None) -> None:
        self.protocol = ClientConnection(client, sock.preamble)
        self._sock = sock
        self._is_pumping = False
        self._wait_of_pump = anyio.CancelScope()
        self._waiting: dict[Key, list[anyio.Event]] = {}

    @property
    def is_usable(self) -> bool:
        """Whether the connection is open; false once the server has closed it, even if there is data left to read."""
        return self.protocol.failure is None and not is_hung_up(self._sock)

    def send_now(self) -> None:
        """Send as much as possible without blocking."""
        send_now(self._sock, self.protocol)

    async def wait_for(self, key: Key, is_here: Callable[[], bool], deadline: float | None) -> bool:
        """Wait until an item has arrived or the connection has ended; send and receive if no other task does.

        Return False after the deadline.
        """
        self.send_now()
        if self.protocol.outgoing:
            self._wait_of_pump.cancel()  # a task that waits only for reading must now also wait for writing
        with anyio.move_on_after(None if deadline is None else deadline - time.monotonic()):
            while not is_here() and self.protocol.failure is None:
                if self._is_pumping:
                    await self._wait_for_pump(key)
                else:
                    await self._pump_until(is_here)
        return is_here() or self.protocol.failure is not None

    async def _wait_for_pump(self, key: Key) -> None:
        event = anyio.Event()
        self._waiting.setdefault(key, []).append(event)
        try:
            await event.wait()
        finally:
            self._waiting[key].remove(event)
            if not self._waiting[key]:
                del self._waiting[key]
            if not self._is_pumping:
                self._hand_on()

    async def _pump_until(self, is_here: Callable[[], bool]) -> None:
        self._is_pumping = True
        try:
            while not is_here() and self.protocol.failure is None:
                await self._wait_ready()
                self.send_now()
                self._receive()
        finally:
            self._is_pumping = False
            self._hand_on()
            self._close_if_over()

    async def _wait_ready(self) -> None:
        """Wait until the socket can be read, or written if something waits to be sent."""
        with anyio.CancelScope() as self._wait_of_pump:
            if not self.protocol.outgoing:
                await anyio.wait_readable(self._sock)
                return
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._wait_writable, tasks.cancel_scope)
                await anyio.wait_readable(self._sock)
                tasks.cancel_scope.cancel()

    async def _wait_writable(self, scope: anyio.CancelScope) -> None:
        await anyio.wait_writable(self._sock)
        scope.cancel()

    def _receive(self) -> None:
        for arrival in receive_now(self._sock, self.protocol):
            if arrival[0] != "push":
                for event in self._waiting.get(arrival, ()):
                    event.set()
        self.send_now()  # requests to end abandoned subscriptions
        if self.protocol.failure is not None:
            self._wake_all()

    def _hand_on(self) -> None:
        """Wake one waiting task, which sends and receives from now on."""
        for events in self._waiting.values():
            events[0].set()
            return

    def _wake_all(self) -> None:
        for events in self._waiting.values():
            for event in events:
                event.set()

    def lose(self, failure: errors.PhuxError) -> None:
        """End the connection; waiting tasks raise the error ``failure``."""
        self.protocol.lose(failure)
        self._wake_all()
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket_module.SHUT_RDWR)  # wakes the task that waits for the socket
        self._close_if_over()

    def leave(self) -> None:
        """Discard a broken connection. A task that is still reading reads the rest and closes the connection."""
        if not self._is_pumping:
            self.lose(errors.DisconnectedError("the server closed the connection"))

    def _close_if_over(self) -> None:
        if self.protocol.failure is not None and not self._is_pumping:
            self._sock.close()


class Slot:
    """The connection in use: one for all tasks."""

    stream: Stream | None = None


class Opening(contextlib.AbstractAsyncContextManager["Phux"]):
    """A context manager that opens a client when its block begins, and closes the client when the block ends."""

    def __init__(self, client: Awaitable[Phux]) -> None:
        self._client = client
        self._phux: Phux | None = None

    async def __aenter__(self) -> Phux:
        self._phux = await self._client
        return self._phux

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._phux is not None:
            self._phux.close()


async def despite_cancellation(action: Callable[[], Awaitable[object]]) -> None:
    """Await an action, also if the task is cancelled."""
    with anyio.CancelScope(shield=True):
        await action()


async def in_thread(function: Callable[[Argument], Result], argument: Argument) -> Result:
    """Call a blocking function in a thread; after a cancellation, do not wait for it."""
    return await anyio.to_thread.run_sync(function, argument, abandon_on_cancel=True)


@contextlib.asynccontextmanager
async def private_server(engine: str | None) -> AsyncIterator[EmbeddedServer]:
    """Run a private server for as long as the block lasts."""
    from phux_client.embedding import Embedding

    embedding = Embedding(engine)
    try:
        server = await anyio.to_thread.run_sync(embedding.start)
    except BaseException:
        # Unlike anyio's, asyncio's own cancellation does not wait for the thread.
        embedding.give_up()
        raise
    try:
        yield server
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(server.close)
