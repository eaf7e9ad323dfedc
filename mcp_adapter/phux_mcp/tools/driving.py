"""Tools that drive a program: typing, running, acting."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.errors import PhuxError, TimedOutError
from phux_mcp.answers import BUDGET, Answer, pretty
from phux_mcp.catalog import Tool, document
from phux_mcp.tools.params import MAX_BYTES, SOCKET, TARGET, TIMEOUT, connect, count, flag, text, words
from phux_mcp.tools.reading import STATES, changes_schema, tail, within

if TYPE_CHECKING:
    from phux_client import Phux
    from phux_mcp.methods import Call

    Arguments = dict[str, Any]
    Document = dict[str, Any]


async def send_keys(call: Call, arguments: Arguments) -> Answer:
    """Type keys."""
    phux = await connect(call, arguments)
    literal = arguments.get("literal", False)
    sent = await phux.drive(flows.send_keys(phux.caller, arguments["target"], arguments["keys"], literal=literal))
    return _typed(sent)


async def paste(call: Call, arguments: Arguments) -> Answer:
    """Paste a text."""
    phux = await connect(call, arguments)
    return _typed(await phux.drive(flows.paste(phux.caller, arguments["target"], arguments["text"])))


def _typed(sent: Document) -> Answer:
    return Answer(sent, pretty({"sent": sent["sent"], "pane": sent["pane"]}))


async def run(call: Call, arguments: Arguments) -> Answer:
    """Run a command and tell what it did; that time was over is told, too, and is no failure."""
    phux = await connect(call, arguments)
    command, target = arguments["command"], arguments["target"]
    timeout_s = arguments.get("timeout_secs", flows.RUN_TIMEOUT_S)
    began = time.monotonic()
    flow = flows.run(phux.caller, target, command, timeout_s=timeout_s, max_bytes=arguments.get("max_bytes", BUDGET))

    async def message() -> str:
        return await _last_line(phux, target)

    try:
        async with call.progress.ticking(timeout_s or None, message):
            return Answer(await phux.drive(flow))
    except TimedOutError as error:
        result: Document = {
            "outcome": "timed_out",
            "command": command,
            "duration_ms": round((time.monotonic() - began) * 1000),
        }
        if call.revision.seed:
            return Answer(result)
        screen = await phux.drive(flows.snapshot(phux.caller, target))
        result |= {"message": error.message, "pane": f"@{screen['pane']}", "state": screen["state"]}
        return Answer({**result, "since": screen["seq"], "screen_tail": tail(screen, 20)})


async def _last_line(phux: Phux, target: str) -> str:
    """Say what a program says of itself: its last line."""
    try:
        screen = await phux.drive(flows.snapshot(phux.caller, target))
    except PhuxError as error:
        return error.message
    return "".join(tail(screen, 1))[:200]


async def act(call: Call, arguments: Arguments) -> Answer:
    """Type, wait, and tell what changed."""
    phux = await connect(call, arguments)
    options = {
        name: value for name, value in arguments.items() if name not in {"target", "keys", "timeout_secs", "socket"}
    }
    timeout_s = arguments.get("timeout_secs", flows.ACT_TIMEOUT_S)

    async def message() -> str:
        return await _last_line(phux, arguments["target"])

    async with call.progress.ticking(timeout_s, message):
        flow = flows.act(phux.caller, arguments["target"], arguments["keys"], timeout_s=timeout_s, **options)
        return Answer(within(await phux.drive(flow), BUDGET))


def _ran() -> Document:
    string = {"type": "string"}
    more: dict[str, Document] = {
        "outcome": {"const": "timed_out"},
        "message": string,
        "pane": string,
        "state": string,
        "since": {"type": "integer"},
        "screen_tail": {"type": "array", "items": string},
    }
    return {**document("run-result", more=more), "required": ["command", "duration_ms"]}


_KEYS = words("Names of keys (Enter, Tab, Up, C-c, M-x, F5) as keys, all else as text.", least=1)

TOOLS = (
    Tool(
        "phux_send_keys",
        "Type keys",
        "Type into a pane: named keys (Enter, Tab, C-c, ...) as keys, all else as text. No attach, no resize.",
        send_keys,
        properties={
            "target": TARGET,
            "keys": _KEYS,
            "literal": flag("Take every word as text, also names of keys."),
            "socket": SOCKET,
        },
        required=("target", "keys"),
        seed=("target", "keys", "socket"),
        output=lambda: document("sent"),
    ),
    Tool(
        "phux_paste",
        "Paste text",
        "Paste text into a pane, bracketed if its program asked for that. Press Enter with phux_send_keys afterwards.",
        paste,
        properties={"target": TARGET, "text": text("What to paste."), "socket": SOCKET},
        required=("target", "text"),
        output=lambda: document("sent"),
    ),
    Tool(
        "phux_run",
        "Run a command",
        "Run a command in a pane's shell and give its exit code, output and duration. Not within timeout_secs: the "
        "command goes on, and the outcome says so.",
        run,
        properties={
            "target": TARGET,
            "command": text("The command line to run."),
            "timeout_secs": {**TIMEOUT, "description": "Default 600; 0 waits indefinitely."},
            "max_bytes": MAX_BYTES,
            "socket": SOCKET,
        },
        required=("target", "command"),
        seed=("target", "command", "timeout_secs", "socket"),
        output=_ran,
    ),
    Tool(
        "phux_act",
        "Type, wait and look",
        "Type keys, wait for what they bring about, and give the rows of the screen that changed, in one call; no "
        "other run or act comes between. Only what is written after typing counts, the echo of the keys included. With "
        "no condition, it waits until nothing was written for 300 ms.",
        act,
        properties={
            "target": TARGET,
            "keys": _KEYS,
            "literal": flag("Take every word as text."),
            "until": text("A line contains this."),
            "regex": text("A line matches this."),
            "gone": text("No visible line contains this."),
            "state": words("The pane is in one of these states.", least=1, among=STATES),
            "stop": text("A line matches this: waiting on is in vain."),
            "idle_ms": count("Nothing was written for so long."),
            "since": count("Give what changed after this `seq`; after typing began when omitted."),
            "cells": flag("Add the styled cells of changed rows."),
            "timeout_secs": {**TIMEOUT, "description": "How long all of it may take, 30 when omitted."},
            "socket": SOCKET,
        },
        required=("target", "keys"),
        output=changes_schema,
    ),
)
