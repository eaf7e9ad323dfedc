"""The tools: what each takes, and the flow it drives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_client.blocking import Phux
from phux_core.errors import BadRequestError

if TYPE_CHECKING:
    from collections.abc import Callable

    Arguments = dict[str, Any]
    Schema = dict[str, Any]

_SOCKET: Schema = {"type": "string", "description": "Path of the server's socket; found by itself when omitted."}
_TARGET: Schema = {
    "type": "string",
    "description": "Which pane: NAME, NAME:WINDOW, NAME:WINDOW.PANE, @ID, `.` (current) or `=` (last focused).",
}
_MOST = 10**9
_KINDS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= _MOST,
    "array": lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
}


def _ls(phux: Phux, _arguments: Arguments) -> Any:
    sessions = [
        {
            "name": session["name"],
            "window_count": len(session["windows"]),
            "attached_client_count": session["attached_clients"],
        }
        for session in phux.drive(flows.tree())["sessions"]
    ]
    return {"sessions": sorted(sessions, key=lambda session: str(session["name"]))}


def _snapshot(phux: Phux, arguments: Arguments) -> Any:
    return phux.drive(
        flows.snapshot(
            phux.caller,
            arguments.get("target"),
            scrollback=arguments.get("scrollback"),
            cells=arguments.get("cells", False),
        )
    )


def _send_keys(phux: Phux, arguments: Arguments) -> Any:
    sent = phux.drive(flows.send_keys(phux.caller, arguments["target"], arguments["keys"]))
    return {"sent": True, "pane": sent["pane"]}


def _wait(phux: Phux, arguments: Arguments) -> Any:
    outcome = phux.drive(
        flows.wait(
            phux.caller,
            arguments.get("target"),
            until=arguments.get("until"),
            idle_ms=arguments.get("idle_ms"),
            timeout_s=arguments.get("timeout_secs"),
        )
    )
    return {"outcome": "timed_out" if outcome.met is None else "met", "polls": outcome.looks}


def _new(phux: Phux, arguments: Arguments) -> Any:
    made = phux.drive(
        flows.new(phux.caller, arguments["name"], cwd=arguments.get("cwd"), command=arguments.get("command"))
    )
    return {"session": made["session"], "terminal_id": made["pane_id"]}


def _tool(description: str, properties: Schema, required: tuple[str, ...] = ()) -> Schema:
    schema: Schema = {"type": "object", "properties": {**properties, "socket": _SOCKET}}
    if required:
        schema["required"] = list(required)
    return {"description": description, "inputSchema": {**schema, "additionalProperties": False}}


_TOOLS: dict[str, tuple[Schema, Callable[[Phux, Arguments], Any]]] = {
    "phux_ls": (_tool("List the sessions of the running phux server.", {}), _ls),
    "phux_snapshot": (
        _tool(
            "Read a pane's screen as structured data. Does not attach or resize.",
            {
                "target": _TARGET,
                "scrollback": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "History rows: 0 all, N the newest N; omit for none.",
                },
                "cells": {"type": "boolean", "description": "Add the cells that have a style or a mark."},
            },
        ),
        _snapshot,
    ),
    "phux_send_keys": (
        _tool(
            "Type into a pane: names of keys (Enter, Tab, C-c) as keys, all else as text.",
            {
                "target": _TARGET,
                "keys": {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "What to type."},
            },
            ("target", "keys"),
        ),
        _send_keys,
    ),
    "phux_wait": (
        _tool(
            "Wait until a visible line contains a text, or the pane has come to rest.",
            {
                "target": _TARGET,
                "until": {"type": "string", "description": "Succeed once a visible line contains this."},
                "idle_ms": {"type": "integer", "minimum": 0, "description": "Succeed after this long a rest."},
                "timeout_secs": {"type": "number", "minimum": 0, "description": "Give up after this long."},
            },
        ),
        _wait,
    ),
    "phux_new": (
        _tool(
            "Make a named session on the running server, without attaching.",
            {
                "name": {"type": "string", "description": "Name of the session; one in use is refused."},
                "command": {
                    "type": "array",
                    "items": {"type": "string"},
                    "description": "Program and arguments; the shell when omitted or empty.",
                },
                "cwd": {"type": "string", "description": "Where the program starts."},
            },
            ("name",),
        ),
        _new,
    ),
}


def exists(name: str) -> bool:
    """Tell whether there is a tool of that name."""
    return name in _TOOLS


def catalog() -> list[Schema]:
    """List the tools as ``tools/list`` gives them."""
    return [{"name": name, **description} for name, (description, _run) in _TOOLS.items()]


def call(name: str, arguments: Arguments) -> Any:
    """Call a tool.

    Raises:
        PhuxError: It failed; the message is for the model to read.
    """
    description, run = _TOOLS[name]
    _check(description["inputSchema"], arguments)
    with Phux(arguments.get("socket")) as phux:
        return run(phux, arguments)


def _check(schema: Schema, arguments: Arguments) -> None:
    properties = schema["properties"]
    for name in schema.get("required", ()):
        if name not in arguments:
            raise BadRequestError(f"the argument `{name}` is missing: {properties[name]['description']}")
    for name, value in arguments.items():
        if name not in properties:
            raise BadRequestError(f"there is no argument `{name}`; there are {', '.join(properties)}")
        kind = properties[name]["type"]
        if not _KINDS[kind](value):
            raise BadRequestError(f"the argument `{name}` must be of type {kind}, and a number from 0 to {_MOST}")
