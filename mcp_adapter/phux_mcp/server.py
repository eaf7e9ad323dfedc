"""One connection to a host: lines to messages, concurrent calls, cancellation.

``streams`` reads and writes the lines, and ``methods`` answers the requests. No input raises an exception here.
"""

from __future__ import annotations

import asyncio
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_mcp import jsonrpc
from phux_mcp.jsonrpc import INTERNAL_ERROR, INVALID_REQUEST, RpcError
from phux_mcp.methods import Methods

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from phux_mcp.catalog import Toolset
    from phux_mcp.jsonrpc import Message, RequestId
    from phux_mcp.links import Links

    Params = dict[str, Any]
    Deliver = Callable[[Message | None], None]

MAX_BATCH = 256
"""The most messages in one array, because all replies are kept until the last one."""
MAX_UNANSWERED = 1024
"""The most unanswered requests; the limit for tool calls is much lower."""


class Server:
    """The server's side of one connection to a host.

    Args:
        send: Called with each line to send.
        is_behind: Returns whether the host has stopped reading; notifications are then dropped.
    """

    def __init__(
        self, toolset: Toolset, links: Links, send: Callable[[bytes], None], is_behind: Callable[[], bool]
    ) -> None:
        self._send_line = send
        self._is_behind = is_behind
        self._methods = Methods(toolset, links, self._notify, self._request)
        self._asked: dict[str, asyncio.Future[object]] = {}
        self._last_asked = 0
        self._running: dict[RequestId, asyncio.Task[None]] = {}

    @property
    def running(self) -> set[asyncio.Task[None]]:
        """The calls without a reply."""
        return set(self._running.values())

    def take_line(self, line: bytes | None) -> None:
        """Process a line from the host; None stands for one that was too long."""
        if line is not None and not line.strip():
            return
        try:
            message = jsonrpc.parse(line)
        except RpcError as error:
            self._send(error.to_reply())
            return
        if isinstance(message, list):
            self._take_batch(message)
        else:
            self._take(message, self._deliver)

    async def close(self) -> None:
        """End every call and every subscription."""
        for task in self.running:
            task.cancel()
        await asyncio.gather(*self.running, return_exceptions=True)
        await self._methods.close()

    # Messages

    def _send(self, message: object) -> None:
        self._send_line(jsonrpc.encode(message))

    def _deliver(self, reply: Message | None) -> None:
        if reply is not None:
            self._send(reply)

    def _notify(self, method: str, params: Params) -> None:
        if not self._is_behind():
            self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def _request(self, method: str, params: Params) -> object:
        """Send a request to the host, and return its result; None if it failed."""
        self._last_asked += 1
        request_id = f"phux-{self._last_asked}"
        answer = self._asked[request_id] = asyncio.get_running_loop().create_future()
        self._send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        try:
            return await answer
        except asyncio.CancelledError:
            self._notify("notifications/cancelled", {"requestId": request_id})
            raise
        finally:
            del self._asked[request_id]

    def _take_response(self, message: Message) -> None:
        answer = self._asked.get(str(message.get("id")))
        if answer is not None and not answer.done():
            answer.set_result(message.get("result"))

    def _take_batch(self, messages: list[object]) -> None:
        """Answer an array with an array, once all replies are there; only one revision has arrays."""
        revision = self._methods.revision
        if revision is None or not revision.batches:
            when = "before `initialize`" if revision is None else f"in {revision.name}"
            problem = f"batches are not allowed {when}; send one message per line"
        elif not messages:
            problem = "the batch is empty"
        elif len(messages) > MAX_BATCH:
            problem = f"the batch has {len(messages)} messages; send at most {MAX_BATCH} at once"
        else:
            self._answer_batch(messages)
            return
        self._send(RpcError(INVALID_REQUEST, problem).to_reply())

    def _answer_batch(self, messages: list[object]) -> None:
        replies: list[Message] = []
        left = len(messages)

        def deliver(reply: Message | None) -> None:
            nonlocal left
            left -= 1
            if reply is not None:
                replies.append(reply)
            if left == 0 and replies:
                self._send(replies)

        for message in messages:
            self._take(message, deliver)

    def _take(self, message: object, deliver: Deliver) -> None:
        """Process one message; call ``deliver`` with its reply, now or later, or with None if there is no reply."""
        request_id: RequestId | None = None
        try:
            checked = jsonrpc.check(message)
            method, params = checked.get("method"), checked.get("params") or {}  # some hosts send null
            if method is None:
                self._take_response(checked)
                deliver(None)
                return
            if "id" not in checked:
                self._take_notification(method, params)
                deliver(None)
                return
            request_id = checked["id"]
            if request_id in self._running:
                raise RpcError(INVALID_REQUEST, f"a request with the id {request_id!r} is still being answered")
            if len(self._running) >= MAX_UNANSWERED:
                raise RpcError(INVALID_REQUEST, f"{MAX_UNANSWERED} requests are unanswered; wait for some, or cancel")
            answer = self._methods.answer(method, params, request_id)
            if isinstance(answer, dict):
                deliver({"jsonrpc": "2.0", "id": request_id, "result": answer})
            else:
                task = asyncio.get_running_loop().create_task(self._answer(answer, request_id, deliver))
                self._running[request_id] = task
                task.add_done_callback(partial(self._forget_cancelled, request_id, deliver))
        except RpcError as error:
            deliver(error.to_reply(request_id))
        except Exception as error:  # noqa: BLE001  a bug ends this request, not the connection
            deliver(_bug(error).to_reply(request_id))

    async def _answer(self, answer: Awaitable[Params], request_id: RequestId, deliver: Deliver) -> None:
        try:
            reply: Message = {"jsonrpc": "2.0", "id": request_id, "result": await answer}
        except RpcError as error:
            reply = error.to_reply(request_id)
        except Exception as error:  # noqa: BLE001  a bug ends this request, not the connection
            reply = _bug(error).to_reply(request_id)
        del self._running[request_id]
        deliver(reply)

    def _forget_cancelled(self, request_id: RequestId, deliver: Deliver, task: asyncio.Task[None]) -> None:
        if task.cancelled():  # perhaps before it began
            del self._running[request_id]
            deliver(None)

    def _take_notification(self, method: str, params: Params) -> None:
        if method == "notifications/cancelled":
            wanted = jsonrpc.as_id(params.get("requestId"))
            task = None if wanted is None else self._running.get(wanted)
            if task is not None:
                task.cancel()


def _bug(error: BaseException) -> RpcError:
    traceback.print_exception(error)
    return RpcError(INTERNAL_ERROR, f"phux-mcp failed (see its stderr): {error!r:.200}")
