"""Tools that drive a program: type, run, act."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.calls import CALLS
from phux_core.conditions import CONDITIONS
from phux_core.errors import BadRequestError, PhuxError, TimedOutError
from phux_core.kinds import BOOLEAN, TEXT, Param, list_of
from phux_mcp.answers import LONGEST_MATCH, Answer, clipped, explain, pretty
from phux_mcp.budget import Budget
from phux_mcp.catalog import document
from phux_mcp.own_panes import refuse_own
from phux_mcp.tools.reading import changes_schema, tail
from phux_mcp.tools.registry import MAX_BYTES, TARGET, TIMEOUT, shared, tool
from phux_mcp.tools.screens import within

if TYPE_CHECKING:
    from phux_client import Phux
    from phux_mcp.methods import Call

    Arguments = dict[str, Any]
    Document = dict[str, Any]


def _ran() -> Document:
    string = {"type": "string"}
    more: dict[str, Document] = {
        "outcome": {"enum": ["timed_out", "started"]},
        "command_id": string,
        "omitted_lines": {"type": "integer"},
        "total_lines": {"type": "integer"},
        "hint": string,
        "note": string,
        "message": string,
        "pane": string,
        "state": string,
        "since": {"type": "integer"},
        "screen_tail": {"type": "array", "items": string},
    }
    return {**document("run-result", more=more), "required": ["command"]}


_KEYS = Param(
    "keys",
    list_of(TEXT, "a list of strings, at least one", least=1),
    "key names (Enter, Tab, Up, C-c, M-x, F5) or text",
    required=True,
)
_LITERAL = Param("literal", BOOLEAN, "type key names as text")
_TARGET = TARGET.but(required=True)


@tool("phux_send_keys", "Type keys", _TARGET, _KEYS, _LITERAL, output=lambda: document("sent"), seed="target keys")
async def send_keys(_call: Call, phux: Phux, arguments: Arguments) -> Answer:
    """Type into a pane: key names (Enter, Tab, C-c, ...) as keys, everything else as text. No attach, no resize."""
    literal = arguments.get("literal", False)
    sent = await phux.drive(flows.send_keys(phux.caller, arguments["target"], arguments["keys"], literal=literal))
    return _typed(sent)


@tool(
    "phux_paste",
    "Paste text",
    _TARGET,
    Param("text", TEXT, "the text to paste", required=True),
    output=lambda: document("sent"),
)
async def paste(_call: Call, phux: Phux, arguments: Arguments) -> Answer:
    """Paste text into a pane, bracketed if its program enabled that. Does not press Enter."""
    return _typed(await phux.drive(flows.paste(phux.caller, arguments["target"], arguments["text"])))


def _typed(sent: Document) -> Answer:
    return Answer(sent, pretty({"sent": sent["sent"], "pane": sent["pane"]}))


@tool(
    "phux_run",
    "Run a command",
    _TARGET,
    CALLS["run"].params["command"].but(required=True),
    TIMEOUT.but(doc="seconds to wait, 0 for no limit", default=600, omitted=""),
    Param("detach", BOOLEAN, "start it and return its id at once: for long-running commands"),
    *shared(CALLS["output"].params, "grep", "head", "tail"),
    MAX_BYTES,
    output=_ran,
    seed="target command timeout_secs",
)
async def run(call: Call, phux: Phux, arguments: Arguments) -> Document:
    """Run a command in a pane's shell and return its exit code, output and duration.

    If timeout_secs expires, the command keeps running, and the outcome says so.
    """
    command = arguments["command"]
    pane = (await phux.drive(flows.find_pane(arguments["target"], phux.caller)))["id"]
    wanted: Arguments = {name: arguments[name] for name in ("head", "tail", "grep") if name in arguments}
    if arguments.get("detach"):
        if wrong := [name for name in (*wanted, "max_bytes", "timeout_secs") if name in arguments]:
            raise BadRequestError(f"`{wrong[0]}` cannot be combined with `detach`", remedy="leave one of them out")
        return _started(command, await phux.drive(flows.start(phux.caller, pane, command)))
    timeout_s = arguments.get("timeout_secs", flows.RUN_TIMEOUT_S)
    budget = Budget(arguments.get("max_bytes"))
    began = time.monotonic()

    try:
        async with call.progress.ticking(timeout_s or None, partial(_last_line, phux, pane)):
            result = await phux.drive(
                flows.run(phux.caller, pane, command, timeout_s=timeout_s, max_bytes=budget.bytes)
            )
    except TimedOutError as error:
        result = {
            "outcome": "timed_out",
            "command": command,
            "duration_ms": round((time.monotonic() - began) * 1000),
        }
        return result if call.revision.seed else {**result, **await _progress_of(phux, pane, command, error)}
    if not result["exit_known"]:
        result["note"] = _EXIT_UNKNOWN
    return result if call.revision.seed else await _chosen(phux, pane, result, wanted, budget)


_EXIT_UNKNOWN = (
    "the command ended, but the shell did not report its exit code, so exit_code has no meaning. "
    "Check the output, or the effect with another command"
)


def _started(command: str, started: Document) -> Document:
    return {
        "outcome": "started",
        "command": command,
        "command_id": started["command_id"],
        "pane": started["pane"],
        "since": started["seq"],
        "hint": "phux_wait with since waits for its output, phux_logs with command_id reads it, phux_signal stops it",
    }


async def _progress_of(phux: Phux, pane: int, command: str, error: PhuxError) -> Document:
    """Return the state of a running command, and a hint on what to do."""
    screen = await phux.drive(flows.snapshot(phux.caller, pane))
    return {
        "command": clipped(command, LONGEST_MATCH),
        "message": error.message,
        "pane": f"@{pane}",
        "state": screen["state"],
        "since": screen["seq"],
        "screen_tail": tail(screen, 20),
        "hint": _NEXT.get(screen["state"], "phux_snapshot shows its screen"),
    }


# Hints for a command that has not ended, by the state of its pane.
_NEXT = {
    "running": 'phux_wait with state ["prompt"] waits until it ends, phux_commands then has its exit code; '
    "phux_signal stops it",
    "awaiting_input": "answer it with phux_act, or stop it with phux_signal",
    "awaiting_secret": "ask the person to type it (`phux attach`), then continue; or cancel with phux_send_keys C-c",
    "fullscreen": "use it and quit it with phux_act",
    "prompt": "it has ended in the meantime; phux_commands has its exit code",
}


async def _chosen(phux: Phux, pane: int, result: Document, wanted: Document, budget: Budget) -> Document:
    """Return the requested part of a command's output, as much of it as fits.

    The command has run, so output that cannot be read is explained in a hint, and the result is still returned.
    """
    try:
        return await _selected(phux, pane, result, wanted, budget)
    except PhuxError as error:
        problem = f"`output` is not filtered: {explain(error)}" if "grep" in wanted else explain(error)
    try:
        unfiltered = {name: value for name, value in wanted.items() if name != "grep"}
        return await _selected(phux, pane, result, unfiltered, budget) | {"hint": problem}
    except PhuxError:
        return {**result, "output": "", "truncated": True, "hint": problem}


async def _selected(phux: Phux, pane: int, result: Document, wanted: Document, budget: Budget) -> Document:
    result = {**result, "command": clipped(result["command"], LONGEST_MATCH)}
    fits = budget.by_bytes or budget.excess(result) <= 1
    if fits and not wanted and not result["truncated"]:
        return result
    entries = (await phux.drive(flows.commands(phux.caller, pane)))["commands"]
    entry = next((entry["id"] for entry in reversed(entries) if entry["start"] == result["seq"]["start"]), None)
    if entry is None:  # the ledger has dropped it after many later commands
        return result

    async def read(max_bytes: int) -> Document:
        found = await phux.drive(flows.output(phux.caller, entry, **wanted, max_bytes=max_bytes))
        return {
            **result,
            "output": found["content"],
            "truncated": found["truncated"],
            "omitted_bytes": 0,
            "omitted_lines": found["omitted"],
            "total_lines": found["total_lines"],
        }

    if wanted or not fits:
        result = await budget.read(read)
    if result["truncated"]:
        result["hint"] = (
            f'phux_logs with command_id "{entry}" and grep, head, tail or max_bytes returns more; do not run it again'
        )
    return result


async def _last_line(phux: Phux, target: str | int) -> str:
    """Return the last line of a program's screen."""
    try:
        screen = await phux.drive(flows.snapshot(phux.caller, target))
    except PhuxError as error:
        return error.message
    return "".join(tail(screen, 1))[:200]


@tool("phux_signal", "Send a signal", _TARGET, CALLS["signal"].params["signal"], output=lambda: document("signalled"))
async def signal(_call: Call, phux: Phux, arguments: Arguments) -> Document:
    """Send a signal to the program in the foreground of a pane. Refused for the pane this host runs in."""
    pane = await phux.drive(flows.find_pane(arguments["target"], phux.caller))
    refuse_own("signal", "pane", pane, phux.caller.pane)
    return await phux.drive(flows.signal(phux.caller, pane["id"], arguments.get("signal", "INT")))


@tool(
    "phux_act",
    "Type, wait and read",
    _TARGET,
    _KEYS,
    _LITERAL,
    *shared(CONDITIONS, "until", "regex", "gone", "state", "stop", "idle_ms"),
    CALLS["snapshot"].params["since"].but(omitted="the one before typing"),
    Param("cells", BOOLEAN, "add styled cells and highlights of changed rows"),
    TIMEOUT.but(default=30, omitted=""),
    output=changes_schema,
)
async def act(call: Call, phux: Phux, arguments: Arguments) -> Document:
    """Type keys, wait for the effect, and return the rows of the screen that changed, in one call.

    No other run or act starts in between. Only output after typing counts, including the echo of the keys. Without a
    condition, waits until nothing was written for 300 ms.
    """
    options = {name: arguments[name] for name in ("literal", "since", "cells") if name in arguments}
    names = ("until", "regex", "gone", "idle_ms", "state", "stop")
    wanted = flows.Conditions(**{name: arguments[name] for name in names if name in arguments})
    timeout_s = arguments.get("timeout_secs", flows.ACT_TIMEOUT_S)
    async with call.progress.ticking(timeout_s, partial(_last_line, phux, arguments["target"])):
        flow = flows.act(phux.caller, arguments["target"], arguments["keys"], wanted, timeout_s=timeout_s, **options)
        changes = await phux.drive(flow)
    if "met_line" in changes:
        changes["met_line"] = clipped(changes["met_line"], LONGEST_MATCH)
    return within(changes, Budget())
