# Generated from phux_client/aio/driver.py by tools/generate_blocking.py: change that file, not this one.
"""Run flows against a server: the base of the blocking client."""

from __future__ import annotations

import os
import time

from phux_client import flows
from phux_client.blocking.link import Link
from phux_client.connection import DEFAULT_TIMEOUT_S
from phux_core import errors, hosts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self, TypeVar

    from phux_client.flows._types import Document, Flow, Result

    Shape = TypeVar("Shape")


class Driver:
    """The connection to a server, and the loop that runs flows over it.

    Args:
        socket: The socket's path; by default ``$PHUX_SOCKET``, or else the user's default path.
        timeout_s: The time limit for one request, including connecting.
        client: The name of this program in the command ledger, such as ``my-tool/1.0``.
        host: The machine of the server, as ssh reaches it; by default ``$PHUX_HOST``, or else this machine.

    Attributes:
        started: The Status document of the server, if ``connect`` started it.
    """

    started: Document | None = None

    def __init__(
        self,
        socket: str | None = None,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        client: str | None = None,
        host: str | None = None,
    ) -> None:
        self._link = Link(hosts.server_address(socket, host), timeout_s, client)
        self._caller = flows.Caller(None, os.environ, self._link.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection. The server and its sessions keep running.

        Example:
            >>> phux.close()
        """
        self._link.close()

    @property
    def socket(self) -> str:
        """The path of the server's socket; on another machine, an address such as ``ssh://box``.

        Example:
            >>> phux.socket.endswith("phux.sock")
            True
        """
        return self._link.path

    @property
    def caller(self) -> flows.Caller:
        """The calling process: its environment and its pane.

        Example:
            >>> phux.caller.pane is None  # this process runs in no pane of this server
            True
        """
        return self._caller

    def request(self, request: flows.Request) -> Document:
        """Send one request of the wire protocol, and return its reply.

        Example:
            >>> from phux_client import flows
            >>> phux.request(flows.Request("status"))["sessions"]
            1
        """
        return self._link.request(request)

    def drive(self, flow: Flow[Result]) -> Result:
        """Run a flow and return its result, with documents as plain dictionaries.

        Raises:
            PhuxError: The flow, the server or the connection failed.

        Example:
            >>> from phux_client import flows
            >>> phux.drive(flows.ls())["schema_version"]
            1
        """
        answer: Any = None
        failure: errors.PhuxError | None = None
        deadline: float | None = None
        subscriptions: list[int] = []
        try:
            while True:
                try:
                    step = flow.send(answer) if failure is None else flow.throw(failure)
                except StopIteration as stop:
                    result: Result = stop.value
                    return result
                answer, failure = None, None
                try:
                    if isinstance(step, flows.Deadline):
                        answer, deadline = deadline, step.at
                    elif isinstance(step, flows.Request):
                        if deadline is not None:
                            step.limit_s = max(0.0, deadline - time.monotonic())
                        answer = self._link.request(step)
                        if step.call == "subscribe":
                            subscriptions.append(answer["subscription"])
                    else:
                        answer = self._link.next_event(step.subscription, step.timeout_s)
                except errors.PhuxError as error:
                    failure = error
        finally:
            # A flow that returned, failed or was cancelled reads no more events.
            for number in subscriptions:
                self._link.unsubscribe(number)

    def load(self, kind: type[Shape], flow: Flow[Document]) -> Shape:
        """Run a flow and return its document as a shape.

        Raises:
            PhuxError: The flow, the server or the connection failed.

        Example:
            >>> from phux_client import SessionList, flows
            >>> phux.load(SessionList, flows.ls()).sessions[0].name
            'work'
        """
        from phux_core import documents

        return documents.load(kind, self.drive(flow))
