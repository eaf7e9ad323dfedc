"""The methods of MCP, in each revision."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.errors import LimitError, NoServerError, PhuxError
from phux_core.hosts import server_address
from phux_core.version import __version__
from phux_mcp import completing, prompts, resources
from phux_mcp.answers import to_failure, to_result
from phux_mcp.icon import ICONS
from phux_mcp.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, NO_METHOD, RpcError
from phux_mcp.progress import Progress
from phux_mcp.revisions import (
    META_CAPABILITIES,
    META_CLIENT,
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
    from typing import TypeVar

    from phux_client import Phux
    from phux_client.flows import Flow
    from phux_mcp.catalog import Toolset
    from phux_mcp.jsonrpc import RequestId
    from phux_mcp.links import Links
    from phux_mcp.resources import Resource

    Params = dict[str, Any]
    Result = TypeVar("Result")

MAX_CALLS = 128
"""The most concurrent calls; the server stops reading from a connection at twice as many."""
MAX_SUBSCRIPTIONS = 200
_LONGEST_NAME = 80
_DESCRIPTION = "Real terminals that outlive the conversation: run commands, drive interactive programs, read logs."


class Call:
    """A tool call.

    Attributes:
        revision: The revision it was made in.
        progress: Reports its progress.
    """

    def __init__(self, revision: Revision, progress: Progress, links: Links, socket: str | None) -> None:
        self.revision = revision
        self.progress = progress
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
            from phux_client import stored_logs

            if stored is None:
                stored = partial(stored_logs.drive, flow(phux.caller, *args, **named))
            return await asyncio.to_thread(stored)


class Methods:
    """The methods of one connection to a host.

    Attributes:
        revision: The revision of the handshake; None without one.
    """

    def __init__(self, toolset: Toolset, links: Links, notify: Callable[[str, Params], None]) -> None:
        self.revision: Revision | None = None
        self._toolset = toolset
        self._links = links
        self._notify = notify
        self._stateless = False
        self._calls = 0
        self._subscriptions: dict[str, asyncio.Task[None]] = {}
        self._following_list: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """End every subscription."""
        tasks = [*self._subscriptions.values(), *([self._following_list] if self._following_list else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def answer(self, method: str, params: Params, request_id: RequestId) -> Params | Coroutine[Any, Any, Params]:
        """Return the result of a request, or a coroutine that returns it."""
        revision = self._revision_of(method, params)
        if not self._has(method, revision):
            raise RpcError(NO_METHOD, f"there is no method {method!r:.80} in {revision.name}")
        if method.endswith("/list") and params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "unknown `cursor`: lists are not paged")
        handle = getattr(self, f"_on_{method.replace('/', '_')}")
        if inspect.iscoroutinefunction(handle):
            return self._finished_later(handle, params, method, revision, request_id)
        return self._finished(handle(params, revision, request_id), method, revision)

    def _has(self, method: str, revision: Revision) -> bool:
        properties = _METHODS.get(method)
        if properties is None or (revision.stateless and "handshake" in properties):
            return False
        return "always" in properties or (self._toolset.beside_tools and not revision.seed)

    async def _finished_later(
        self, handle: Callable[..., Any], params: Params, method: str, revision: Revision, request_id: RequestId
    ) -> Params:
        return self._finished(await handle(params, revision, request_id), method, revision)

    def _finished(self, result: Params, method: str, revision: Revision) -> Params:
        """Add the fields that the stateless revision requires in every result."""
        if not revision.stateless:
            return result
        if "cacheable" in _METHODS[method]:
            result = {**result, "ttlMs": 0, "cacheScope": "private"}  # cheap to request, and may change
        info = self._info(revision) if method == "server/discover" else {"name": "phux", "version": __version__}
        meta = {**result.get("_meta", {}), META_SERVER: info}
        return {"resultType": "complete", **result, "_meta": meta}

    def _revision_of(self, method: str, params: Params) -> Revision:
        """Return the revision of a request."""
        meta = params.get("_meta")
        if method == "initialize":
            return self.revision or OLDEST
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
                    f"the revision {wanted!r:.80} needs a handshake, or is not supported",
                    data={"supported": [NEWEST.name], "requested": wanted},
                )
            self._stateless = True
            self._record_name(meta.get(META_CLIENT))
            return revision
        if "stateless" in _METHODS.get(method, ()) or (self._stateless and self.revision is None):
            raise RpcError(INVALID_PARAMS, f"`params` needs a `_meta` with `{META_REVISION}` and `{META_CAPABILITIES}`")
        return self.revision or OLDEST

    def _record_name(self, client: object) -> None:
        """Record the name of the host, for the command ledger."""
        if isinstance(client, dict) and isinstance(client.get("name"), str):
            version = client.get("version")
            name = f"{client['name']}/{version}" if isinstance(version, str) else client["name"]
            self._links.host = "".join(character for character in name[:_LONGEST_NAME] if character.isprintable())

    def _info(self, revision: Revision) -> Params:
        title = {"title": "phux"} if revision.structured else {}
        more = {"description": _DESCRIPTION, "icons": ICONS} if revision.icons else {}
        return {"name": "phux", **title, "version": __version__, **more}

    def _capabilities(self, revision: Revision) -> Params:
        if revision.seed or not self._toolset.beside_tools:
            return {"tools": {}}
        return {"tools": {}, "resources": {"subscribe": True, "listChanged": True}, "prompts": {}, "completions": {}}

    def _on_initialize(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        # Never fail, even after a `server/discover`: a host whose probe took too long falls back to `initialize`.
        revision = self.revision = with_handshake(params.get("protocolVersion"))
        self._record_name(params.get("clientInfo"))
        result = {
            "protocolVersion": revision.name,
            "capabilities": self._capabilities(revision),
            "serverInfo": self._info(revision),
        }
        return result if revision.seed else {**result, "instructions": self._toolset.instructions}

    def _on_server_discover(self, _params: Params, revision: Revision, _request_id: RequestId) -> Params:
        return {
            "supportedVersions": [NEWEST.name],
            "capabilities": self._capabilities(revision),
            "instructions": self._toolset.instructions,
        }

    def _on_ping(self, _params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        return {}

    def _on_tools_list(self, _params: Params, revision: Revision, _request_id: RequestId) -> Params:
        return {"tools": self._toolset.listing(revision)}

    async def _on_tools_call(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
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
        self._calls += 1
        try:
            if self._calls > MAX_CALLS:
                raise LimitError(f"{MAX_CALLS} calls are running", remedy="wait for some of them, or cancel some")
            arguments = tool.check(given, revision)
            socket, host = arguments.pop("socket", None), arguments.pop("host", None)
            address = server_address(socket, host) if host else socket
            call = Call(revision, progress, self._links, address)
            found = await tool.run(call, **arguments)
            return to_result(found, revision, tool.text_for(given, revision))
        except PhuxError as error:
            return to_failure(error, structured=revision.structured and self._toolset.beside_tools)
        finally:
            self._calls -= 1
            progress.end()

    def _on_prompts_list(self, _params: Params, revision: Revision, _request_id: RequestId) -> Params:
        return {"prompts": _fields_of(revision, prompts.listing())}

    def _on_prompts_get(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        return prompts.get(params.get("name"), {} if params.get("arguments") is None else params["arguments"])

    def _on_resources_templates_list(self, _params: Params, revision: Revision, _request_id: RequestId) -> Params:
        return {"resourceTemplates": _fields_of(revision, resources.templates())}

    async def _on_resources_list(self, _params: Params, revision: Revision, _request_id: RequestId) -> Params:
        if self._following_list is None and not revision.stateless:
            # Before the list is read, so that no change is missed.
            ready = asyncio.Event()
            self._following_list = asyncio.get_running_loop().create_task(self._follow_list({}, ready))
            await ready.wait()
        return {"resources": _fields_of(revision, await resources.listing(self._links))}

    async def _follow_list(self, params: Params, ready: asyncio.Event) -> None:
        """Notify the host whenever the list of resources changes."""
        notify = partial(self._notify, "notifications/resources/list_changed", params)
        await resources.follow_list(self._links, notify, ready)

    async def _on_completion_complete(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        return await completing.complete(self._links, params)

    async def _on_resources_read(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
        return {"contents": [await resources.read(self._links, params.get("uri"), revision)]}

    async def _on_resources_subscribe(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
        resource = await resources.find(self._links, params.get("uri"), revision)
        if resource.uri not in self._subscriptions:
            if len(self._subscriptions) >= MAX_SUBSCRIPTIONS:
                raise RpcError(INVALID_REQUEST, f"there are {MAX_SUBSCRIPTIONS} subscriptions; end some of them")
            task = asyncio.get_running_loop().create_task(self._follow(resource, {}))
            self._subscriptions[resource.uri] = task
            task.add_done_callback(lambda _task: self._subscriptions.pop(resource.uri, None))
        return {}

    def _on_resources_unsubscribe(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        task = self._subscriptions.pop(str(params.get("uri")), None)
        if task is not None:
            task.cancel()
        return {}

    async def _follow(self, resource: Resource, meta: Params) -> None:
        """Notify the host whenever a resource changes."""
        more = {"_meta": meta} if meta else {}
        with contextlib.suppress(PhuxError):  # the resource is gone
            await resource.follow(
                lambda: self._notify("notifications/resources/updated", {"uri": resource.uri, **more})
            )

    async def _on_subscriptions_listen(self, params: Params, revision: Revision, request_id: RequestId) -> Params:
        """Serve the subscriptions of the stateless revision: one request, answered after the last notification."""
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
        honoured: Params = {"resourceSubscriptions": list(found)} if found else {}
        follows_list = isinstance(wanted, dict) and wanted.get("resourcesListChanged") is True
        honoured |= {"resourcesListChanged": True} if follows_list else {}
        async with asyncio.TaskGroup() as tasks:
            if follows_list:
                ready = asyncio.Event()
                tasks.create_task(self._follow_list({"_meta": meta}, ready))
                await ready.wait()
            self._notify("notifications/subscriptions/acknowledged", {"_meta": meta, "notifications": honoured})
            for resource in found.values():
                tasks.create_task(self._follow(resource, meta))
            if not found:
                await asyncio.Event().wait()
        return {"_meta": meta}


def _fields_of(revision: Revision, entries: list[Params]) -> list[Params]:
    """Remove the fields that a revision does not have."""
    if revision.structured:
        return entries
    return [{name: value for name, value in entry.items() if name != "title"} for entry in entries]


# The properties of each method: `always` for those of the first revision and of profiles, `handshake` and `stateless`
# for those of only one kind of revision, `cacheable` for those whose result says how long it may be kept.
_METHODS = {
    "initialize": {"always"},
    "ping": {"always", "handshake"},
    "server/discover": {"always", "stateless", "cacheable"},
    "tools/list": {"always", "cacheable"},
    "tools/call": {"always"},
    "prompts/list": {"cacheable"},
    "prompts/get": set(),
    "completion/complete": set(),
    "resources/list": {"cacheable"},
    "resources/templates/list": {"cacheable"},
    "resources/read": {"cacheable"},
    "resources/subscribe": {"handshake"},
    "resources/unsubscribe": {"handshake"},
    "subscriptions/listen": {"stateless"},
}
