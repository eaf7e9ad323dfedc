"""Complete the arguments of prompts and of resource templates, for people who fill them in."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.errors import NoServerError, PhuxError
from phux_mcp import prompts, resources
from phux_mcp.jsonrpc import INVALID_PARAMS, RpcError

if TYPE_CHECKING:
    from phux_client.flows import Document
    from phux_mcp.links import Links

_MOST = 100
"""The most values in a reply, which the protocol allows."""
_MOST_COMMANDS = 1000


async def complete(links: Links, params: dict[str, Any]) -> Document:
    """Return the result of ``completion/complete``."""
    ref, argument = params.get("ref"), params.get("argument")
    if not isinstance(ref, dict) or not isinstance(argument, dict):
        raise RpcError(INVALID_PARAMS, "completion/complete needs `ref` and `argument`, which are objects")
    name, typed = argument.get("name"), argument.get("value")
    if not isinstance(name, str) or not isinstance(typed, str):
        raise RpcError(INVALID_PARAMS, "`argument` needs a `name` and a `value`, which are strings")
    kind = _kind_of(ref, name)
    try:
        known = await _known(links, kind)
    except PhuxError:  # such as no server
        known = []
    first = [value for value in known if value.startswith(typed)]
    values = first + [value for value in known if typed in value and value not in first]
    return {"completion": {"values": values[:_MOST], "total": len(values), "hasMore": len(values) > _MOST}}


def _kind_of(ref: dict[str, Any], name: str) -> str:
    """Return the kind of values that an argument takes: ``target``, ``command``, ``pane``, ``command id`` or others."""
    if ref.get("type") == "ref/prompt":
        arguments = prompts.arguments(ref.get("name"))
        if name not in arguments:
            raise RpcError(INVALID_PARAMS, f"the prompt has no argument {name!r:.80}; it takes {', '.join(arguments)}")
        return "command" if name == "program" else name
    if ref.get("type") != "ref/resource":
        raise RpcError(INVALID_PARAMS, "the `type` of `ref` must be ref/prompt or ref/resource")
    uris = [template["uriTemplate"] for template in resources.templates()]
    uri = ref.get("uri")
    if uri not in uris or name != "id":
        raise RpcError(INVALID_PARAMS, f"only `id` in one of {', '.join(uris)} can be completed")
    return "command id" if str(uri).startswith("phux://command/") else "pane"


async def _known(links: Links, kind: str) -> list[str]:
    if kind in {"target", "pane"}:
        tree = await (await links.phux()).drive(flows.tree())
        panes = [
            pane["id"] for session in tree["sessions"] for window in session["windows"] for pane in window["panes"]
        ]
        if kind == "pane":
            return [str(pane) for pane in panes]
        return [*(session["name"] for session in tree["sessions"]), *(f"@{pane}" for pane in panes)]
    if kind not in {"command", "command id"}:
        return []
    found = await _commands(links)
    entries = reversed(found["commands"])  # newest first
    return list(dict.fromkeys(entry["command_id" if kind == "command id" else "command"] or "" for entry in entries))


async def _commands(links: Links) -> Document:
    phux = await links.phux()
    try:
        return await phux.drive(flows.commands(phux.caller, everywhere=True, max_commands=_MOST_COMMANDS))
    except NoServerError:
        from phux_client import stored_logs

        flow = flows.commands(phux.caller, everywhere=True, max_commands=_MOST_COMMANDS)
        return await asyncio.to_thread(stored_logs.drive, flow)
