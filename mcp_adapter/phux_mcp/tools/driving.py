"""Tools that drive a program: type, run, act."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.calls import CALLS
from phux_core.conditions import CONDITIONS
from phux_core.errors import BadRequestError, PhuxError, TimedOutError
from phux_core.kinds import BOOLEAN, TEXT, Param, list_of
from phux_mcp.answers import LONGEST_MATCH, Answer, clipped, explain, pretty
from phux_mcp.budget import Budget
from phux_mcp.catalog import Tool, document
from phux_mcp.own_panes import refuse_own
from phux_mcp.tools.params import MAX_BYTES, SOCKET, TARGET, TIMEOUT, connect, shared
from phux_mcp.tools.reading import changes_schema, tail
from phux_mcp.tools.screens import within

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
    """Run a command and return its result; a timeout is a result, too, not a failure."""
    phux = await connect(call, arguments)
    command = arguments["command"]
    pane = (await phux.drive(flows.find_pane(arguments["target"], phux.caller)))["id"]
    wanted: Arguments = {name: arguments[name] for name in ("head", "tail", "grep") if name in arguments}
    if arguments.get("detach"):
        if wrong := [name for name in (*wanted, "max_bytes", "timeout_secs") if name in arguments]:
            raise BadRequestError(f"`{wrong[0]}` is for a command that is waited for", remedy="leave it or detach out")
        return Answer(_started(command, await phux.drive(flows.start(phux.caller, pane, command))))
    timeout_s = arguments.get("timeout_secs", flows.RUN_TIMEOUT_S)
    budget = Budget(arguments.get("max_bytes"))
    began = time.monotonic()

    async def message() -> str:
        return await _last_line(phux, pane)

    try:
        async with call.progress.ticking(timeout_s or None, message):
            result = await phux.drive(
                flows.run(phux.caller, pane, command, timeout_s=timeout_s, max_bytes=budget.bytes)
            )
    except TimedOutError as error:
        told: Document = {
            "outcome": "timed_out",
            "command": command,
            "duration_ms": round((time.monotonic() - began) * 1000),
        }
        return Answer(told if call.revision.seed else {**told, **await _as_it_stands(phux, pane, command, error)})
    if not result["exit_known"]:
        result["note"] = _EXIT_UNKNOWN
    return Answer(result if call.revision.seed else await _chosen(phux, pane, result, wanted, budget))


_EXIT_UNKNOWN = (
    "the command ended, but the shell did not report its exit code: exit_code is no result of it. "
    "Judge by the output, or check the effect with another command"
)


def _started(command: str, started: Document) -> Document:
    return {
        "outcome": "started",
        "command": command,
        "command_id": started["command_id"],
        "pane": started["pane"],
        "since": started["seq"],
        "hint": "phux_wait with since waits for its output, phux_logs with command_id reads it, phux_signal ends it",
    }


async def _as_it_stands(phux: Phux, pane: int, command: str, error: PhuxError) -> Document:
    """Return the state of a running command, and a hint on what to do."""
    screen = await phux.drive(flows.snapshot(phux.caller, pane))
    return {
        "command": clipped(command, LONGEST_MATCH),
        "message": error.message,
        "pane": f"@{pane}",
        "state": screen["state"],
        "since": screen["seq"],
        "screen_tail": tail(screen, 20),
        "hint": _NEXT.get(screen["state"], "phux_snapshot shows where it stands"),
    }


# Hints for a command that has not ended, by the state of its pane.
_NEXT = {
    "running": 'phux_wait with state ["prompt"] waits for its end, phux_commands then has its exit code; '
    "phux_signal ends it",
    "awaiting_input": "phux_act answers it, phux_signal ends it",
    "awaiting_secret": "ask the person to type it (`phux attach`), then go on; phux_send_keys with C-c gives up",
    "fullscreen": "phux_act drives it, keys leave it",
    "prompt": "it has ended by now; phux_commands has its exit code",
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
            f'phux_logs with command_id "{entry}" and grep, head, tail or max_bytes has more; no need to run again'
        )
    return result


async def _last_line(phux: Phux, target: str | int) -> str:
    """Return the last line of a program's screen."""
    try:
        screen = await phux.drive(flows.snapshot(phux.caller, target))
    except PhuxError as error:
        return error.message
    return "".join(tail(screen, 1))[:200]


async def signal(call: Call, arguments: Arguments) -> Answer:
    """Send a signal to a pane's foreground process group, but never to the host itself."""
    phux = await connect(call, arguments)
    pane = await phux.drive(flows.find_pane(arguments["target"], phux.caller))
    refuse_own("pane", pane, phux.caller.pane, "sent signals")
    return Answer(await phux.drive(flows.signal(phux.caller, pane["id"], arguments.get("signal", "INT"))))


async def act(call: Call, arguments: Arguments) -> Answer:
    """Type, wait, and return what changed."""
    phux = await connect(call, arguments)
    options = {name: arguments[name] for name in ("literal", "since", "cells") if name in arguments}
    names = ("until", "regex", "gone", "idle_ms", "state", "stop")
    wanted = flows.Conditions(**{name: arguments[name] for name in names if name in arguments})
    timeout_s = arguments.get("timeout_secs", flows.ACT_TIMEOUT_S)

    async def message() -> str:
        return await _last_line(phux, arguments["target"])

    async with call.progress.ticking(timeout_s, message):
        flow = flows.act(phux.caller, arguments["target"], arguments["keys"], wanted, timeout_s=timeout_s, **options)
        changes = await phux.drive(flow)
    if "met_line" in changes:
        changes["met_line"] = clipped(changes["met_line"], LONGEST_MATCH)
    return Answer(within(changes, Budget()))


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
    "names of keys (Enter, Tab, Up, C-c, M-x, F5) as keys, all else as text",
    required=True,
)
_LITERAL = Param("literal", BOOLEAN, "take names of keys as text")
_TARGET = TARGET.but(required=True)

TOOLS = (
    Tool(
        "phux_send_keys",
        "Type keys",
        "Type into a pane: named keys (Enter, Tab, C-c, ...) as keys, all else as text. No attach, no resize.",
        send_keys,
        params=(_TARGET, _KEYS, _LITERAL, SOCKET),
        seed=("target", "keys", "socket"),
        output=lambda: document("sent"),
    ),
    Tool(
        "phux_paste",
        "Paste text",
        "Paste text into a pane, bracketed if its program asked for that. Enter is not pressed.",
        paste,
        params=(_TARGET, Param("text", TEXT, "the text to paste", required=True), SOCKET),
        output=lambda: document("sent"),
    ),
    Tool(
        "phux_run",
        "Run a command",
        "Run a command in a pane's shell and give its exit code, output and duration. Not within timeout_secs: the "
        "command goes on, and the outcome says so.",
        run,
        params=(
            _TARGET,
            CALLS["run"].params["command"].but(required=True),
            TIMEOUT.but(doc="the seconds to wait, 0 for no limit", default=600, omitted=""),
            Param("detach", BOOLEAN, "start it and return at once, with its id: for what does not end by itself"),
            *shared(CALLS["output"].params, "grep", "head", "tail"),
            MAX_BYTES,
            SOCKET,
        ),
        seed=("target", "command", "timeout_secs", "socket"),
        output=_ran,
    ),
    Tool(
        "phux_signal",
        "Send a signal",
        "Send a signal to the program in the foreground of a pane. The host's own pane is refused.",
        signal,
        params=(_TARGET, CALLS["signal"].params["signal"], SOCKET),
        output=lambda: document("signalled"),
    ),
    Tool(
        "phux_act",
        "Type, wait and look",
        "Type keys, wait for what they bring about, and give the rows of the screen that changed, in one call; no "
        "other run or act comes between. Only what is written after typing counts, the echo of the keys included. With "
        "no condition, it waits until nothing was written for 300 ms.",
        act,
        params=(
            _TARGET,
            _KEYS,
            _LITERAL,
            *shared(CONDITIONS, "until", "regex", "gone", "state", "stop", "idle_ms"),
            CALLS["snapshot"].params["since"].but(omitted="the one before typing"),
            Param("cells", BOOLEAN, "add styled cells and highlights of changed rows"),
            TIMEOUT.but(default=30, omitted=""),
            SOCKET,
        ),
        output=changes_schema,
    ),
)
