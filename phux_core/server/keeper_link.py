"""The service's end of the channel to the keeper."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING, Any

from attrs import define, field

from phux_core.errors import CannotExecuteError
from phux_core.keeper.channel import Channel, ChannelClosedError, Message
from phux_core.keeper.feed_mark import FeedMark
from phux_core.keeper.journal import Journal
from phux_core.keeper.journal import create as create_journal
from phux_core.server.kernel.syscall import Questions
from phux_core.system_limits import limit_error

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping, Sequence

    from phux_core.errors import PhuxError

# The keeper answers at once unless it is stopped or dead.
_KEEPER_S = 2.0


@define
class Child:
    """A program under the keeper: its pane, process, pty master (owned by us), and wait status if it has ended."""

    pane: int
    pid: int
    master: int
    journal: Journal
    status: int | None


@define
class Inheritance:
    """State that the keeper passes to a new service, and messages received meanwhile."""

    hello: dict[str, Any]
    listener: int
    feed_mark: FeedMark
    questions: Questions
    children: list[Child] = field(factory=list)
    journals: dict[int, Journal] = field(factory=dict)
    blobs: dict[str, bytes] = field(factory=dict)
    messages: list[Message] = field(factory=list)

    def take_journal(self, pane: int) -> Journal:
        """Return a pane's journal; an empty one if the keeper has none."""
        return self.journals.pop(pane, None) or Journal(create_journal())


def receive_inheritance(channel: Channel) -> Inheritance:
    """Wait for the state that the keeper passes on; raise ChannelClosedError if the keeper is gone."""
    inheritance: Inheritance | None = None
    while True:
        channel.wait()
        messages = channel.receive()
        for number, message in enumerate(messages):
            header: dict[str, Any] = message.header
            if header["op"] == "hello":
                listener, feed_mark, questions = message.fds
                inheritance = Inheritance(
                    header, listener, FeedMark(feed_mark), Questions(socket.socket(fileno=questions))
                )
                continue
            assert inheritance is not None, "the keeper says hello first"
            if header["op"] == "journal":
                inheritance.journals[header["pane"]] = Journal(message.fds[0])
            elif header["op"] == "child":
                pane = header["pane"]
                journal = inheritance.take_journal(pane)
                inheritance.children.append(Child(pane, header["pid"], message.fds[0], journal, header["status"]))
            elif header["op"] == "blob":
                inheritance.blobs[header["key"]] = message.payload
            elif header["op"] == "begin":
                inheritance.messages = messages[number + 1 :]
                return inheritance


@define(eq=False)
class KeeperLink:
    """Sends requests to the keeper and receives its messages, after the inheritance was received.

    ``on_exit`` is called with a pane and its wait status when a program ends, ``on_listener`` with the descriptor of a
    socket that replaces the listening one, ``on_client`` with the descriptor of a client's connection, and
    ``on_closed`` when the keeper is gone.
    """

    _loop: asyncio.AbstractEventLoop
    _channel: Channel
    _on_exit: Callable[[int, int], None]
    _on_listener: Callable[[int], None]
    _on_client: Callable[[int], None]
    _on_closed: Callable[[], None]
    _spawning: dict[int, asyncio.Future[tuple[int, list[int]]]] = field(factory=dict, init=False)
    # A short-lived program may end before the task that started it runs again.
    _unclaimed: dict[int, int | None] = field(factory=dict, init=False)
    # Sending fails. The keeper's last messages may be unread: the end of the channel is found when reading.
    _is_broken: bool = field(default=False, init=False)
    _next_id: int = field(default=1, init=False)

    def __attrs_post_init__(self) -> None:
        self._loop.add_reader(self._channel, self._on_readable)

    async def spawn(
        self, pane: int, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], cols: int, rows: int, secret: str
    ) -> Child:
        """Make the keeper start a program, which can read the secret.

        Raises:
            CannotExecuteError: The program cannot be executed.
            LimitError: The keeper or the system has no resources for it.
        """
        number = self._next_id
        self._next_id += 1
        future: asyncio.Future[tuple[int, list[int]]] = self._loop.create_future()
        self._spawning[number] = future
        request = {"op": "spawn", "id": number, "pane": pane, "cwd": cwd, "cols": cols, "rows": rows}
        self._send(request | {"argv": list(argv), "env": dict(env), "secret": secret})
        pid, (master, journal_fd) = await future
        status = self._unclaimed.pop(pane)
        try:
            journal = Journal(journal_fd)
        except OSError as error:
            os.close(master)
            self.discard(pane, status)
            raise _spawn_error(error.errno, str(error)) from error
        return Child(pane, pid, master, journal, status)

    def discard(self, pane: int, wait_status: int | None) -> None:
        """End a program that belongs to no pane; once it has ended, release it."""
        if wait_status is None:
            self._send({"op": "end", "pane": pane})
        else:
            self.forget(pane)
            self.release(pane)

    def end(self, pane: int) -> None:
        self._send({"op": "end", "pane": pane})

    def forget(self, pane: int) -> None:
        """Report that a program's exit status was recorded."""
        self._send({"op": "forget", "pane": pane})

    def put(self, key: str, data: bytes, *, append: bool = False) -> None:
        """Store bytes at the keeper for the next service, or append them to those stored before.

        Return when they are sent, so that a crash of the service cannot lose them.
        """
        self._send({"op": "append" if append else "put", "key": key}, data)
        deadline = time.monotonic() + _KEEPER_S
        while self._channel.wants_write and not self._is_broken and time.monotonic() < deadline:
            self._channel.wait(writing=True, timeout_s=_KEEPER_S)
            self._on_writable()

    def ready(self) -> None:
        """Report that the service accepts clients."""
        self._send({"op": "ready"})

    def rebuilt(self) -> None:
        """Report that every terminal was rebuilt."""
        self._send({"op": "rebuilt"})

    def upgrade(self, python: str) -> None:
        """Make the keeper kill this process, and start the next service with a Python interpreter."""
        self._send({"op": "upgrade", "python": python})

    def release(self, pane: int) -> None:
        """Make the keeper release a pane's journal and checkpoint."""
        self._send({"op": "release", "pane": pane})

    def shutdown(self) -> None:
        self._send({"op": "shutdown"})

    def _send(self, header: dict[str, Any], payload: bytes = b"") -> None:
        if self._is_broken:
            return
        try:
            self._channel.send(header, payload)
        except ChannelClosedError:
            self._break()
            return
        if self._channel.wants_write:
            self._loop.add_writer(self._channel, self._on_writable)

    def _on_writable(self) -> None:
        try:
            self._channel.flush()
        except ChannelClosedError:
            self._break()
            return
        if not self._channel.wants_write:
            self._loop.remove_writer(self._channel)

    def _on_readable(self) -> None:
        try:
            messages = self._channel.receive()
        except ChannelClosedError:
            self._loop.remove_reader(self._channel)
            self._break()
            self._on_closed()
        else:
            for message in messages:
                self.take(message)

    def take(self, message: Message) -> None:
        """Process a message, also one that came with the inheritance."""
        header: dict[str, Any] = message.header
        if header["op"] == "exit":
            if header["pane"] in self._unclaimed:
                self._unclaimed[header["pane"]] = header["status"]
            else:
                self._on_exit(header["pane"], header["status"])
        elif header["op"] == "ping":
            self._send({"op": "pong"})
        elif header["op"] == "listener":
            listener, log = message.fds
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.close(log)
            self._on_listener(listener)
        elif header["op"] == "client":
            self._on_client(message.fds[0])
        elif header["op"] == "spawned":
            self._unclaimed[header["pane"]] = None
            self._spawning.pop(header["id"]).set_result((header["pid"], message.fds))
        elif header["op"] == "spawn_failed":
            self._spawning.pop(header["id"]).set_exception(_spawn_error(header.get("errno"), header["message"]))

    def _break(self) -> None:
        self._is_broken = True
        self._loop.remove_writer(self._channel)


def _spawn_error(number: int | None, message: str) -> PhuxError:
    return limit_error(number, f"the program cannot be started: {message}") or CannotExecuteError(message)
