"""The methods of MCP, in each revision."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.errors import PhuxError
from phux_core.version import __version__
from phux_mcp import completing, prompts, resources
from phux_mcp.calling import Calls, has_extension
from phux_mcp.icon import ICONS
from phux_mcp.jsonrpc import INVALID_PARAMS, INVALID_REQUEST, NO_METHOD, RpcError
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
from phux_mcp.tasks import EXTENSION, NO_CAPABILITY, RELATED

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from phux_mcp.catalog import Toolset
    from phux_mcp.jsonrpc import RequestId
    from phux_mcp.links import Links
    from phux_mcp.resources import Resource
    from phux_mcp.tasks import Task

    Params = dict[str, Any]

MAX_SUBSCRIPTIONS = 200
_LONGEST_NAME = 80
_DESCRIPTION = "Real terminals that outlive the conversation: run commands, drive interactive programs, read logs."


class Methods:
    """The methods of one connection to a host.

    Attributes:
        revision: The revision of the handshake; None without one.
    """

    def __init__(
        self,
        toolset: Toolset,
        links: Links,
        notify: Callable[[str, Params], None],
        request: Callable[[str, Params], Awaitable[object]],
    ) -> None:
        self.revision: Revision | None = None
        self._toolset = toolset
        self._links = links
        self._notify = notify
        self._stateless = False
        self._host_capabilities: object = None
        self._tools = Calls(toolset, links, notify, request)
        self._subscriptions: dict[str, asyncio.Task[None]] = {}
        self._following_list: asyncio.Task[None] | None = None

    async def close(self) -> None:
        """End every subscription and every task."""
        await self._tools.close()
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
        if "tasks" in properties and not revision.stateless and not revision.tasks:
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
        resource = {"subscribe": True, "listChanged": True}
        found: Params = {"tools": {}, "resources": resource, "prompts": {}, "completions": {}}
        if revision.stateless:
            found["extensions"] = {EXTENSION: {}}
        elif revision.tasks:
            found["tasks"] = {"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}}
        return found

    def _on_initialize(self, params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        # Never fail, even after a `server/discover`: a host whose probe took too long falls back to `initialize`.
        revision = self.revision = with_handshake(params.get("protocolVersion"))
        self._record_name(params.get("clientInfo"))
        self._host_capabilities = params.get("capabilities")
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
        return await self._tools.call(params, revision, self._capabilities_of_host(params, revision))

    def _capabilities_of_host(self, params: Params, revision: Revision) -> Params:
        found = params["_meta"][META_CAPABILITIES] if revision.stateless else self._host_capabilities
        return found if isinstance(found, dict) else {}

    # Tasks

    def _task(self, params: Params, revision: Revision) -> Task:
        if revision.stateless and not has_extension(self._capabilities_of_host(params, revision)):
            required: Params = {"requiredCapabilities": {"extensions": {EXTENSION: {}}}}
            raise RpcError(NO_CAPABILITY, f"tasks need the capability {EXTENSION}", data=required)
        return self._tools.tasks.find(params.get("taskId"))

    def _on_tasks_get(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
        task = self._task(params, revision)
        return task.details() if revision.stateless else task.describe()

    async def _on_tasks_result(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
        task = self._task(params, revision)
        return {**await task.result(), "_meta": {RELATED: {"taskId": task.id}}}

    def _on_tasks_list(self, _params: Params, _revision: Revision, _request_id: RequestId) -> Params:
        return {"tasks": self._tools.tasks.listing()}

    def _on_tasks_update(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
        self._task(params, revision).update(params.get("inputResponses"))
        return {}

    async def _on_tasks_cancel(self, params: Params, revision: Revision, _request_id: RequestId) -> Params:
        task = self._task(params, revision)
        if task.has_ended and not revision.stateless:
            raise RpcError(INVALID_PARAMS, f"the task {task.id} has already ended: {task.status}")
        await self._tools.tasks.cancel(task)
        return {} if revision.stateless else task.describe()

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
    "tasks/get": {"tasks"},
    "tasks/result": {"tasks", "handshake"},
    "tasks/list": {"tasks", "handshake"},
    "tasks/update": {"tasks", "stateless"},
    "tasks/cancel": {"tasks"},
}
