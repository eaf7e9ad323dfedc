"""Tools that drive a program: type, run, act."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.calls import CALLS
from phux_core.conditions import CONDITIONS
from phux_core.errors import BadRequestError, PhuxError, TimedOutError
from phux_core.keys import parse_key
from phux_core.kinds import BOOLEAN, TEXT, Param, list_of
from phux_mcp.answers import LONGEST_MATCH, clipped, explain
from phux_mcp.budget import Budget
from phux_mcp.catalog import INTEGER, STRING, STRINGS, document
from phux_mcp.own_panes import refuse_own
from phux_mcp.tools.reading import CELLS, HIGHLIGHTS, changes_schema, tail
from phux_mcp.tools.registry import MAX_BYTES, TARGET, TIMEOUT, shared, tool
from phux_mcp.tools.screens import within

if TYPE_CHECKING:
    from phux_client.flows import Document
    from phux_mcp.methods import Call


def _ran() -> Document:
    texts = dict.fromkeys(("command_id", "hint", "note", "message", "pane", "state"), STRING)
    counts = dict.fromkeys(("omitted_lines", "total_lines", "since"), INTEGER)
    more = {"outcome": {"enum": ["timed_out", "started"]}, **texts, **counts, "screen_tail": STRINGS}
    return {**document("run-result", more=more), "required": ["command"]}


_KEYS = Param(
    "keys",
    list_of(TEXT, "a list of strings, at least one", least=1),
    "key names (Enter, Tab, Up, C-c, M-x, F5) or text",
    required=True,
)
_LITERAL = Param("literal", BOOLEAN, "type key names as text")
_TARGET = TARGET.but(required=True)


@tool(
    "phux_send_keys",
    "Type keys",
    _TARGET,
    _KEYS,
    _LITERAL,
    output=lambda: document("sent"),
    seed="target keys",
    runs_programs=True,
)
async def send_keys(call: Call, target: str, keys: list[str], literal: bool = False) -> Document:
    """Type keys and text into a pane."""
    sent = await call.drive(flows.send_keys, target, keys, literal=literal, exact_case=True)
    if call.revision.seed:
        return {"sent": sent["sent"], "pane": sent["pane"]}
    return sent | _text_like_keys(keys, literal=literal)


@tool(
    "phux_paste",
    "Paste text",
    _TARGET,
    Param("text", TEXT, "the text to paste", required=True),
    output=lambda: document("sent"),
    runs_programs=True,
)
async def paste(call: Call, target: str, text: str) -> Document:
    """Paste text into a pane. Does not press Enter."""
    return await call.drive(flows.paste, target, text)


def _text_like_keys(words: list[str], *, literal: bool) -> Document:
    """Return a hint about words that were typed as text, although they are names of keys in another case."""
    if literal:
        return {}
    found = {word: parse_key(word) for word in words if parse_key(word, exact_case=True) is None}
    hints = [f'"{word}" was typed as text; the key is "{key}"' for word, key in found.items() if key is not None]
    return {"hint": ". ".join(hints)} if hints else {}


@tool(
    "phux_run",
    "Run a command",
    _TARGET,
    CALLS["run"].params["command"].but(required=True),
    TIMEOUT.but(doc="seconds to wait, 0 for no limit", omitted="600"),
    Param("detach", BOOLEAN, "return the command's id at once: for long-running commands"),
    *shared(CALLS["output"].params, "grep head tail"),
    MAX_BYTES,
    output=_ran,
    seed="target command timeout_secs",
    details="cwd started_at seq",
    runs_programs=True,
)
async def run(
    call: Call,
    target: str,
    command: str,
    timeout_secs: float | None = None,
    detach: bool = False,
    max_bytes: int | None = None,
    **wanted: Any,
) -> Document:
    """Run a command in a pane's shell and return its exit code, output and duration.

    If timeout_secs expires, the command keeps running, and the outcome says so.
    """
    timeout_s = flows.RUN_TIMEOUT_S if timeout_secs is None else timeout_secs
    phux = await call.phux()
    pane = (await phux.drive(flows.within(flows.find_pane(target, phux.caller), timeout_s or None)))["id"]
    if detach:
        for name, value in {**wanted, "max_bytes": max_bytes, "timeout_secs": timeout_secs}.items():
            if value is not None:
                raise BadRequestError(f"`{name}` cannot be combined with `detach`", remedy="leave one of them out")
        started = await call.drive(flows.start, pane, command)
        place = {"command_id": started["command_id"], "pane": started["pane"], "since": started["seq"]}
        return {"outcome": "started", "command": command, **place, "hint": _STARTED}
    budget = Budget(max_bytes)
    began = time.monotonic()
    try:
        async with call.progress.ticking(timeout_s or None, partial(_last_line, call, pane)):
            result = await call.drive(flows.run, pane, command, timeout_s=timeout_s, max_bytes=budget.bytes)
    except TimedOutError as error:
        duration_ms = round((time.monotonic() - began) * 1000)
        result = {"outcome": "timed_out", "command": command, "duration_ms": duration_ms}
        return result if call.revision.seed else result | await _progress_of(call, pane, command, error)
    if not result["exit_known"]:
        result["note"] = _EXIT_UNKNOWN
    return result if call.revision.seed else await _chosen(call, result, wanted, budget)


_STARTED = (
    "phux_wait with since waits for the command's output, phux_logs with command_id reads the output, "
    "phux_signal stops the command"
)
_EXIT_UNKNOWN = (
    "the command ended, but the shell did not report its exit code, so exit_code has no meaning. "
    "Check the output, or the effect with another command"
)


async def _progress_of(call: Call, pane: int, command: str, error: PhuxError) -> Document:
    """Return the state of a running command, and a hint for the next step."""
    screen = await call.drive(flows.snapshot, pane)
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
    "awaiting_input": "answer the program with phux_act, or stop it with phux_signal",
    "awaiting_secret": "ask the person to type the secret (`phux attach`); or cancel with phux_send_keys C-c",
    "fullscreen": "use and quit the program with phux_act",
    "prompt": "the command has ended in the meantime; phux_commands has its exit code",
}


async def _chosen(call: Call, result: Document, wanted: Document, budget: Budget) -> Document:
    """Return the requested part of a command's output, as much of it as fits.

    The command has run, so if its output cannot be read, return the result with a hint that says why.
    """
    result = {**result, "command": clipped(result["command"], LONGEST_MATCH)}
    if wanted or not (budget.by_bytes or budget.excess(result) <= 1):
        try:
            result = await budget.read(partial(_output, call, result, wanted))
        except PhuxError as error:
            if "grep" not in wanted:
                return {**result, "output": "", "truncated": True, "hint": explain(error)}
            unfiltered = {name: value for name, value in wanted.items() if name != "grep"}
            problem = f"`output` is not filtered: {explain(error)}"
            return await _chosen(call, result, unfiltered, budget) | {"hint": problem}
    if result["truncated"]:
        result["hint"] = (
            f'phux_logs with command_id "{result["command_id"]}" and grep, head, tail or max_bytes returns more; '
            "do not run the command again"
        )
    return result


async def _output(call: Call, result: Document, wanted: Document, max_bytes: int) -> Document:
    found = await call.drive(flows.output, result["command_id"], **wanted, max_bytes=max_bytes)
    return {
        **result,
        "output": found["content"],
        "truncated": found["truncated"],
        "omitted_bytes": 0,
        "omitted_lines": found["omitted"],
        "total_lines": found["total_lines"],
    }


async def _last_line(call: Call, target: str | int) -> str:
    """Return the last line of a program's screen."""
    try:
        screen = await call.drive(flows.snapshot, target)
    except PhuxError as error:
        return error.message
    return "".join(tail(screen, 1))[:200]


@tool(
    "phux_signal",
    "Send a signal",
    _TARGET,
    CALLS["signal"].params["signal"],
    output=lambda: document("signalled"),
    details="pgid pid through",
    destructive=True,
)
async def signal(call: Call, target: str, signal: str) -> Document:
    """Send a signal to the program in the foreground of a pane. Refused for the pane this host runs in."""
    phux = await call.phux()
    pane = await phux.drive(flows.find_pane(target, phux.caller))
    refuse_own("signal", "pane", pane, phux.caller.pane)
    return await call.drive(flows.signal, pane["id"], signal)


@tool(
    "phux_act",
    "Type, wait and read",
    _TARGET,
    _KEYS,
    _LITERAL,
    *shared(CONDITIONS, "until regex gone state stop idle_ms"),
    CALLS["snapshot"].params["since"].but(omitted="the one before typing"),
    HIGHLIGHTS,
    CELLS,
    TIMEOUT.but(default=30, omitted=""),
    output=changes_schema,
    details="cols rows title",
    runs_programs=True,
)
async def act(
    call: Call,
    target: str,
    keys: list[str],
    timeout_secs: float,
    literal: bool = False,
    since: int | None = None,
    cells: bool = False,
    highlights: bool = False,
    **wanted: Any,
) -> Document:
    """Type keys, wait, and return the rows of the screen that changed.

    Only output after typing counts, including the echo of the keys. Without a condition, waits until nothing was
    written for 300 ms.
    """
    conditions = flows.Conditions(**wanted)
    options: Any = {
        "literal": literal,
        "exact_case": True,
        "since": since,
        "cells": cells or highlights,
        "timeout_s": timeout_secs,
    }
    async with call.progress.ticking(timeout_secs, partial(_last_line, call, target)):
        changes = await call.drive(flows.act, target, keys, conditions, **options)
    if "met_line" in changes:
        changes["met_line"] = clipped(changes["met_line"], LONGEST_MATCH)
    return within(changes | _text_like_keys(keys, literal=literal), Budget(), cells=cells)
