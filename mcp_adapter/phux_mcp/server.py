"""One conversation with a host: what each method answers, calls side by side, cancelling, progress.

Takes lines and gives lines; who reads and writes them is ``main``'s business. Nothing that arrives raises out of here.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.errors import LimitError, PhuxError
from phux_core.version import __version__
from phux_mcp import arguments, jsonrpc, prompts
from phux_mcp.answers import to_failure, to_result
from phux_mcp.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, NO_METHOD, RpcError
from phux_mcp.progress import Progress
from phux_mcp.revisions import (
    CACHE_MS,
    META_CAPABILITIES,
    META_REVISION,
    META_SERVER,
    META_SUBSCRIPTION,
    NEWEST,
    OLDEST,
    REVISIONS,
    UNSUPPORTED_REVISION,
    Revision,
    with_handshake,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from phux_mcp.catalog import Toolset
    from phux_mcp.jsonrpc import Message, RequestId
    from phux_mcp.links import Links

    Params = dict[str, Any]
    Deliver = Callable[[Message | None], None]
    Method = Callable[..., Any]

MAX_CALLS = 128
"""Calls that may run at the same time; the server stops listening to a connection at twice as many."""
MAX_SUBSCRIPTIONS = 200


class Call:
    """What a tool knows of the call besides its arguments.

    Attributes:
        revision: The revision it was made in.
        links: The way to servers.
        progress: Where to tell how it goes on.
    """

    __slots__ = ("links", "progress", "revision")

    def __init__(self, revision: Revision, links: Links, progress: Progress) -> None:
        self.revision = revision
        self.links = links
        self.progress = progress


class Server:
    """The server's side of one conversation.

    Args:
        toolset: What is served.
        links: The way to phux servers.
        send: Takes each line that is to be sent.
    """

    def __init__(self, toolset: Toolset, links: Links, send: Callable[[bytes], None]) -> None:
        self._toolset = toolset
        self._links = links
        self._send_line = send
        self._revision: Revision | None = None
        self._stateless = False
        self._running: dict[RequestId, asyncio.Task[Params]] = {}
        self._subscriptions: dict[str, asyncio.Task[None]] = {}

    @property
    def running(self) -> set[asyncio.Task[Params]]:
        """The calls that have not been answered yet."""
        return set(self._running.values())

    def take_line(self, line: bytes | None) -> None:
        """Take a line from the host, None for one that was too long."""
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
        tasks = [*self._running.values(), *self._subscriptions.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    # Messages

    def _send(self, message: object) -> None:
        self._send_line(jsonrpc.encode(message))

    def _deliver(self, reply: Message | None) -> None:
        if reply is not None:
            self._send(reply)

    def _notify(self, method: str, params: Params) -> None:
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def _take_batch(self, messages: list[object]) -> None:
        """Answer an array with an array, once all of it is answered; in the one revision that has them."""
        if self._revision is None or not self._revision.batches:
            name = "before `initialize`" if self._revision is None else f"in {self._revision.name}"
            self._send(RpcError(INVALID_REQUEST, f"there are no batches {name}; send one message a line").to_reply())
            return
        if not messages:
            self._send(RpcError(INVALID_REQUEST, "the batch is empty").to_reply())
            return
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
        """Take one message; ``deliver`` is given its reply, now or later, or None when there is to be none."""
        request_id: RequestId | None = None
        try:
            checked = jsonrpc.check(message)
            method, params = checked.get("method"), checked.get("params", {})
            if method is None:  # a response, and we asked nothing
                deliver(None)
                return
            if "id" not in checked:
                self._take_notification(method, params)
                deliver(None)
                return
            request_id = checked["id"]
            if request_id in self._running:
                raise RpcError(INVALID_REQUEST, f"a request with the id {request_id!r} is still being answered")
            answer = self._answer(method, params, request_id)
            if isinstance(answer, dict):
                deliver({"jsonrpc": "2.0", "id": request_id, "result": answer})
            else:
                task = asyncio.get_running_loop().create_task(answer)
                self._running[request_id] = task
                task.add_done_callback(partial(self._finish, request_id, deliver))
        except RpcError as error:
            deliver(error.to_reply(request_id))
        except Exception as error:  # noqa: BLE001  a bug of ours ends this request, not the conversation
            deliver(_bug(error).to_reply(request_id))

    def _finish(self, request_id: RequestId, deliver: Deliver, task: asyncio.Task[Params]) -> None:
        del self._running[request_id]
        if task.cancelled():
            deliver(None)
            return
        error = task.exception()
        if error is None:
            deliver({"jsonrpc": "2.0", "id": request_id, "result": task.result()})
        else:
            deliver((error if isinstance(error, RpcError) else _bug(error)).to_reply(request_id))

    def _take_notification(self, method: str, params: Params) -> None:
        if method == "notifications/cancelled":
            wanted = params.get("requestId")
            task = self._running.get(wanted) if isinstance(wanted, (str, int, float)) else None
            if task is not None:
                task.cancel()

    # Methods

    def _answer(self, method: str, params: Params, request_id: RequestId) -> Params | Coroutine[Any, Any, Params]:
        revision = self._revision_of(method, params)
        found = _METHODS.get(method)
        if found is None or not found[1](revision, self._toolset):
            where = "" if found is None else f" in {revision.name}"
            raise RpcError(NO_METHOD, f"there is no method {method!r:.80}{where}")
        if inspect.iscoroutinefunction(found[0]):
            return self._finished_later(found[0], params, method, revision, request_id)
        return self._finished(found[0](self, params, revision, request_id), method, revision)

    async def _finished_later(
        self, answer: Method, params: Params, method: str, revision: Revision, request_id: RequestId
    ) -> Params:
        return self._finished(await answer(self, params, revision, request_id), method, revision)

    def _finished(self, result: Params, method: str, revision: Revision) -> Params:
        """Add what the stateless revision wants in every result."""
        if not revision.stateless:
            return result
        if method in _CACHEABLE:
            result = {**result, "ttlMs": CACHE_MS, "cacheScope": "private"}
        meta = {**result.get("_meta", {}), META_SERVER: self._info(revision)}
        return {"resultType": "complete", **result, "_meta": meta}

    def _revision_of(self, method: str, params: Params) -> Revision:
        """Find which revision a request is made in.

        Raises:
            RpcError: It says none where it must, or one that is not served so.
        """
        meta = params.get("_meta")
        if method == "initialize":
            return self._revision or OLDEST
        if isinstance(meta, dict) and META_REVISION in meta:
            wanted = meta[META_REVISION]
            if not isinstance(wanted, str):
                raise RpcError(INVALID_PARAMS, f"`{META_REVISION}` in `_meta` must be a string")
            if not isinstance(meta.get(META_CAPABILITIES), dict):
                raise RpcError(INVALID_PARAMS, f"`_meta` needs `{META_CAPABILITIES}`, an object")
            revision = REVISIONS.get(wanted)
            if revision is None or not revision.stateless:
                raise RpcError(
                    UNSUPPORTED_REVISION,
                    f"the revision {wanted!r:.80} is not served without a handshake",
                    data={"supported": [NEWEST.name], "requested": wanted},
                )
            self._stateless = True
            return revision
        if method in _STATELESS_ONLY or (self._stateless and self._revision is None):
            raise RpcError(INVALID_PARAMS, f"`params` needs a `_meta` with `{META_REVISION}` and `{META_CAPABILITIES}`")
        return self._revision or OLDEST

    def _info(self, revision: Revision) -> Params:
        return {"name": "phux", **({"title": "phux"} if revision.structured else {}), "version": __version__}

    def _capabilities(self, revision: Revision) -> Params:
        if revision.seed or not self._toolset.beside_tools:
            return {"tools": {}}
        return {"tools": {}, "resources": {"subscribe": True}, "prompts": {}}

    def _initialize(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        if self._stateless:
            raise RpcError(
                UNSUPPORTED_REVISION,
                f"this conversation is in {NEWEST.name}, which has no handshake",
                data={"supported": [NEWEST.name], "requested": params.get("protocolVersion")},
            )
        revision = self._revision = with_handshake(params.get("protocolVersion"))
        result = {
            "protocolVersion": revision.name,
            "capabilities": self._capabilities(revision),
            "serverInfo": self._info(revision),
        }
        return result if revision.seed else {**result, "instructions": self._toolset.instructions}

    def _discover(self, _params: Params, revision: Revision, _request_id: RequestId) -> Params:
        return {
            "supportedVersions": [NEWEST.name],
            "capabilities": self._capabilities(revision),
            "instructions": self._toolset.instructions,
        }

    def _ping(self, _params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        return {}

    def _list_tools(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
        _refuse_cursor(params)
        return {"tools": self._toolset.listing(revision)}

    async def _call_tool(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
        name, given = params.get("name"), params.get("arguments", {})
        if not isinstance(name, str) or not isinstance(given, dict):
            raise RpcError(INVALID_PARAMS, "tools/call needs a `name`, and `arguments` that are an object")
        tool = self._toolset.find(name, revision)
        if tool is None:
            names = ", ".join(tool["name"] for tool in self._toolset.listing(revision))
            raise RpcError(INVALID_PARAMS, f"there is no tool {name!r:.80}; there are {names}")
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        call = Call(revision, self._links, Progress(self._notify, token, with_message=revision.annotations))
        try:
            if len(self._running) > MAX_CALLS:
                raise LimitError(f"{MAX_CALLS} calls are running", remedy="wait for some of them, or cancel them")
            checked = arguments.check(tool.schema(revision), given)
            return to_result(await tool.run(call, checked), revision)
        except PhuxError as error:
            return to_failure(error)
        finally:
            call.progress.end()

    def _list_prompts(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        _refuse_cursor(params)
        return {"prompts": prompts.listing()}

    def _get_prompt(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        return prompts.get(params.get("name"), params.get("arguments", {}))

    def _list_templates(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        from phux_mcp import resources

        _refuse_cursor(params)
        return {"resourceTemplates": resources.templates()}

    async def _list_resources(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        from phux_mcp import resources

        _refuse_cursor(params)
        return {"resources": await resources.listing(self._links)}

    async def _read_resource(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
        from phux_mcp import resources

        return {"contents": [await resources.read(self._links, params.get("uri"), revision)]}

    async def _subscribe(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
        from phux_mcp import resources

        resource = await resources.find(self._links, params.get("uri"), revision)
        if resource.uri not in self._subscriptions:
            if len(self._subscriptions) >= MAX_SUBSCRIPTIONS:
                raise RpcError(INVALID_REQUEST, f"there are {MAX_SUBSCRIPTIONS} subscriptions; end some of them")
            task = asyncio.get_running_loop().create_task(self._follow(resource, {}))
            self._subscriptions[resource.uri] = task
            task.add_done_callback(lambda _task: self._subscriptions.pop(resource.uri, None))
        return {}

    def _unsubscribe(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        task = self._subscriptions.pop(str(params.get("uri")), None)
        if task is not None:
            task.cancel()
        return {}

    async def _follow(self, resource: Any, meta: Params) -> None:
        """Tell whenever a resource has changed."""
        more = {"_meta": meta} if meta else {}
        with contextlib.suppress(PhuxError):  # it is not there any more
            await resource.follow(
                lambda: self._notify("notifications/resources/updated", {"uri": resource.uri, **more})
            )

    async def _listen(self, params: Params, revision: Revision, request_id: RequestId) -> Params:
        """Serve the stateless revision's subscriptions: a request that is answered when there is nothing more to tell."""
        from phux_mcp import resources

        wanted = params.get("notifications")
        uris = wanted.get("resourceSubscriptions", []) if isinstance(wanted, dict) else None
        if not isinstance(uris, list) or len(uris) > MAX_SUBSCRIPTIONS:
            raise RpcError(
                INVALID_PARAMS,
                f"subscriptions/listen needs `notifications`, an object; `resourceSubscriptions` in it is a list of at "
                f"most {MAX_SUBSCRIPTIONS} URIs",
            )
        found = {str(uri): await resources.find(self._links, uri, revision) for uri in uris}
        meta = {META_SUBSCRIPTION: request_id}
        honoured = {"resourceSubscriptions": list(found)} if found else {}
        self._notify("notifications/subscriptions/acknowledged", {"_meta": meta, "notifications": honoured})
        async with asyncio.TaskGroup() as tasks:
            for resource in found.values():
                tasks.create_task(self._follow(resource, meta))
            if not found:
                await asyncio.Event().wait()
        return {"_meta": meta}


def _bug(error: BaseException) -> RpcError:
    traceback.print_exception(error)
    return RpcError(INTERNAL_ERROR, f"phux-mcp failed, and its stderr says where: {error!r:.200}")


def _refuse_cursor(params: Params) -> None:
    if params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "there is no such `cursor`: lists come whole")


def _always(_revision: Revision, _toolset: Toolset) -> bool:
    return True


def _with_handshake(revision: Revision, _toolset: Toolset) -> bool:
    return not revision.stateless


def _beside_tools(revision: Revision, toolset: Toolset) -> bool:
    return toolset.beside_tools and not revision.seed


def _subscribing(revision: Revision, toolset: Toolset) -> bool:
    return _beside_tools(revision, toolset) and not revision.stateless


_STATELESS_ONLY = ("server/discover", "subscriptions/listen")
_CACHEABLE = frozenset(
    ("server/discover", "tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read")
)
# What each method does, and where there is such a method.
_METHODS: dict[str, tuple[Method, Callable[[Revision, Toolset], bool]]] = {
    "initialize": (Server._initialize, _always),
    "ping": (Server._ping, _with_handshake),
    "server/discover": (Server._discover, _always),
    "tools/list": (Server._list_tools, _always),
    "tools/call": (Server._call_tool, _always),
    "prompts/list": (Server._list_prompts, _beside_tools),
    "prompts/get": (Server._get_prompt, _beside_tools),
    "resources/list": (Server._list_resources, _beside_tools),
    "resources/templates/list": (Server._list_templates, _beside_tools),
    "resources/read": (Server._read_resource, _beside_tools),
    "resources/subscribe": (Server._subscribe, _subscribing),
    "resources/unsubscribe": (Server._unsubscribe, _subscribing),
    "subscriptions/listen": (Server._listen, _beside_tools),
}
