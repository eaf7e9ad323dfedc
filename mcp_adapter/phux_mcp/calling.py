"""Calls of tools: their limit, and how they end: with a result, as a task, or after the person was asked."""

from __future__ import annotations

import asyncio
import secrets
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_client.flows.running import new_run_id
from phux_core.errors import LimitError, NoServerError, PhuxError
from phux_core.hosts import is_remote, server_address
from phux_mcp.answers import to_failure, to_result
from phux_mcp.asking import Asking, InputRequiredError, Pages, Suspended
from phux_mcp.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, NO_METHOD, RpcError
from phux_mcp.progress import Progress
from phux_mcp.tasks import EXTENSION, RELATED, Task, Tasks, action_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeVar

    from phux_client import Phux
    from phux_client.flows import Flow
    from phux_mcp.catalog import Tool, Toolset
    from phux_mcp.links import Links
    from phux_mcp.revisions import Revision

    Params = dict[str, Any]
    Result = TypeVar("Result")

MAX_CALLS = 128
"""The most concurrent calls; the server stops reading from a connection at twice as many."""
# A call that takes longer becomes a task, if the host lets us decide.
_AT_ONCE_S = 2.0


class Call:
    """A tool call.

    Attributes:
        revision: The revision it was made in.
        progress: Reports its progress.
        asking: Asks the person for secrets.
        run_id: The id of its run, which the repetition of the call continues.
        task: The task that it is; None if the host waits for the result.
    """

    def __init__(
        self,
        revision: Revision,
        progress: Progress,
        links: Links,
        socket: str | None,
        asking: Asking,
        run_id: str,
        task: Task | None,
    ) -> None:
        self.revision = revision
        self.progress = progress
        self.asking = asking
        self.run_id = run_id
        self.task = task
        self._links = links
        self._socket = socket
        self._phux: Phux | None = None

    async def phux(self) -> Phux:
        """Return the client of the server, which is started if it does not run and the host allows that."""
        if self._phux is None:
            start = not self.revision.seed if self._links.start is None else self._links.start
            self._phux = await self._links.phux(self._socket, start=start)
        return self._phux

    async def drive(self, flow: Callable[..., Flow[Result]], *args: object, **named: object) -> Result:
        """Run a flow with these arguments, and return its result."""
        phux = await self.phux()
        return await phux.drive(flow(phux.caller, *args, **named))

    async def read(
        self,
        flow: Callable[..., Flow[Result]],
        *args: object,
        stored: Callable[[], Result] | None = None,
        **named: object,
    ) -> Result:
        """Run a flow that reads logs; if no server is running, read the stored logs.

        Args:
            stored: Reads the stored logs, if the flow cannot.
        """
        phux = await self._links.phux(self._socket)
        try:
            return await phux.drive(flow(phux.caller, *args, **named))
        except NoServerError:
            if is_remote(phux.socket):
                raise
            from phux_client import stored_logs

            if stored is None:
                stored = partial(stored_logs.drive, flow(phux.caller, *args, **named))
            return await asyncio.to_thread(stored)


class Calls:
    """The tool calls of one connection.

    Args:
        request: Sends a request to the host, and returns its result.

    Attributes:
        tasks: The calls that are tasks.
    """

    def __init__(
        self,
        toolset: Toolset,
        links: Links,
        notify: Callable[[str, Params], None],
        request: Callable[[str, Params], Awaitable[object]],
    ) -> None:
        self.tasks = Tasks(notify)
        self._toolset = toolset
        self._links = links
        self._notify = notify
        self._request = request
        self._pages = Pages()
        self._suspended = Suspended()
        self._running = 0

    async def close(self) -> None:
        """End all tasks, and close the pages for secrets."""
        self._pages.close()
        await self.tasks.close()

    async def call(self, params: Params, revision: Revision, capabilities: Params) -> Params:
        """Call a tool; return its result, or a task.

        Args:
            capabilities: Those of the host.
        """
        name, given = params.get("name"), params.get("arguments")
        given = {} if given is None else given  # some hosts send null instead of omitting `arguments`
        if not isinstance(name, str) or not isinstance(given, dict):
            raise RpcError(INVALID_PARAMS, "tools/call needs a `name`, and `arguments` must be an object")
        tool = self._toolset.find(name, revision)
        if tool is None:
            names = ", ".join(tool["name"] for tool in self._toolset.listing(revision))
            raise RpcError(INVALID_PARAMS, f"there is no tool {name!r:.80}; the tools are {names}")
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        progress = Progress(self._notify, token, with_message=revision.annotations)
        begin = partial(self._run, tool, given, revision, progress)
        if revision.tasks and isinstance(params.get("task"), dict):
            if not tool.tasks:
                raise RpcError(NO_METHOD, f"{name} cannot be called as a task; leave out `task`")
            return self._as_task(begin, revision, capabilities)
        if tool.tasks and has_extension(capabilities) and revision.stateless and "requestState" not in params:
            return await self._perhaps_as_task(begin, revision, capabilities, progress)
        run_id, answer = new_run_id(), None
        if revision.stateless and "requestState" in params:
            run_id = self._suspended.take(params["requestState"], name, given)
            responses = params.get("inputResponses")
            answer = action_of(responses.get("secret") if isinstance(responses, dict) else None)
        elicit = self._elicitation(revision, capabilities, None)
        try:
            return await begin(Asking(self._pages, elicit, self._complete, answer), run_id, None)
        except InputRequiredError as error:
            state = self._suspended.add(name, given, run_id)
            return {"resultType": "input_required", "inputRequests": error.requests, "requestState": state}

    async def _run(
        self,
        tool: Tool,
        given: Params,
        revision: Revision,
        progress: Progress,
        asking: Asking,
        run_id: str,
        task: Task | None,
    ) -> Params:
        self._running += 1
        try:
            if self._running > MAX_CALLS:
                raise LimitError(f"{MAX_CALLS} calls are running", remedy="wait for some of them, or cancel some")
            arguments = tool.check(given, revision)
            socket, host = arguments.pop("socket", None), arguments.pop("host", None)
            address = server_address(socket, host) if host else socket
            call = Call(revision, progress, self._links, address, asking, run_id, task)
            found = await tool.run(call, **arguments)
            return to_result(found, revision, tool.text_for(given, revision))
        except PhuxError as error:
            return to_failure(error, structured=revision.structured and self._toolset.beside_tools)
        finally:
            self._running -= 1
            progress.end()

    # Tasks

    def _as_task(self, begin: Callable[..., Awaitable[Params]], revision: Revision, capabilities: Params) -> Params:
        try:
            task = self.tasks.new(revision)
        except LimitError as error:
            raise RpcError(INVALID_REQUEST, f"{error.message}; {error.remedy}") from None
        self._start(task, begin, capabilities)
        return {"task": task.describe()}

    def _start(self, task: Task, begin: Callable[..., Awaitable[Params]], capabilities: Params) -> None:
        asking = Asking(self._pages, self._elicitation(task.revision, capabilities, task), self._complete)
        task.worker = asyncio.get_running_loop().create_task(task.work(begin(asking, new_run_id(), task)))

    async def _perhaps_as_task(
        self, begin: Callable[..., Awaitable[Params]], revision: Revision, capabilities: Params, progress: Progress
    ) -> Params:
        """Return the result if it is there at once, otherwise a task."""
        task = self.tasks.new(revision)
        self._start(task, begin, capabilities)
        assert task.worker is not None
        try:
            await asyncio.wait([task.worker], timeout=_AT_ONCE_S)
        except asyncio.CancelledError:
            self.tasks.forget(task)
            task.worker.cancel()
            raise
        if not task.has_ended:
            progress.end()  # tasks have none in this revision
            return {"resultType": "task", **task.describe()}
        self.tasks.forget(task)
        return await task.result()

    # The person

    def _elicitation(
        self, revision: Revision, capabilities: Params, task: Task | None
    ) -> Callable[[Params], Awaitable[str]] | None:
        """Return how the host is made to offer a URL to the person; None if it cannot."""
        offers = capabilities.get("elicitation")
        if not revision.elicits or not isinstance(offers, dict) or not isinstance(offers.get("url"), dict):
            return None
        if revision.stateless:
            return _suspend if task is None else task.elicit
        return partial(self._elicit, task)

    async def _elicit(self, task: Task | None, params: Params) -> str:
        params["elicitationId"] = secrets.token_hex(16)
        meta = {} if task is None else {"_meta": {RELATED: {"taskId": task.id}}}
        if task is not None:
            task.set("input_required")
        try:
            return action_of(await self._request("elicitation/create", {**params, **meta}))
        finally:
            if task is not None:
                task.set("working")

    def _complete(self, params: Params) -> None:
        """Report that the person has typed a secret."""
        if "elicitationId" in params:
            self._notify("notifications/elicitation/complete", {"elicitationId": params["elicitationId"]})


def has_extension(capabilities: Params) -> bool:
    """Return whether a host of the stateless revision knows tasks."""
    extensions = capabilities.get("extensions")
    return isinstance(extensions, dict) and EXTENSION in extensions


async def _suspend(params: Params) -> str:
    raise InputRequiredError(params)
