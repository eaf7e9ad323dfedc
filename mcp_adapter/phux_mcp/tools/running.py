"""The tool that runs commands."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.calls import CALLS
from phux_core.errors import BadRequestError, PhuxError, TimedOutError, WaitingError
from phux_core.kinds import BOOLEAN, Param, number
from phux_mcp.answers import LONGEST_MATCH, clipped, explain
from phux_mcp.budget import Budget
from phux_mcp.catalog import INTEGER, STRING, STRINGS, document
from phux_mcp.tools.registry import MAX_BYTES, TARGET, TIMEOUT, shared, tool
from phux_mcp.tools.unfinished import OUTCOMES, outcome_of, tail, unfinished

if TYPE_CHECKING:
    from phux_client.flows import Document
    from phux_mcp.calling import Call

YIELD_S = 45
"""How long a call waits by default: less than the patience of hosts, many of which give up after a minute."""


def _ran() -> Document:
    texts = dict.fromkeys(("command_id", "hint", "note", "message", "pane", "state"), STRING)
    counts = dict.fromkeys(("omitted_lines", "total_lines", "since"), INTEGER)
    more = {"outcome": {"enum": [*OUTCOMES, "started"]}, **texts, **counts, "screen_tail": STRINGS}
    return {**document("run-result", more=more), "required": ["command"]}


@tool(
    "phux_run",
    "Run a command",
    TARGET.but(required=True),
    CALLS["run"].params["command"].but(required=True),
    TIMEOUT.but(doc="seconds to wait, 0 for no limit", omitted="600"),
    Param("yield_s", number(), "return the output so far after this many seconds", omitted="45"),
    Param("detach", BOOLEAN, "return the command's id at once: for long-running commands"),
    *shared(CALLS["output"].params, "grep head tail"),
    MAX_BYTES,
    tasks=True,
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
    yield_s: float | None = None,
    detach: bool = False,
    max_bytes: int | None = None,
    **wanted: Any,
) -> Document:
    """Run a command in a pane's shell and return its exit code, output and duration.

    If the command has not ended, `outcome` says why, and `hint` what to do; it keeps running.
    """
    timeout_s = (flows.RUN_TIMEOUT_S if timeout_secs is None else timeout_secs) or None
    phux = await call.phux()
    pane = (await phux.drive(flows.within(flows.find_pane(target, phux.caller), timeout_s)))["id"]
    if detach:
        given = {**wanted, "max_bytes": max_bytes, "timeout_secs": timeout_secs, "yield_s": yield_s}
        for name, value in given.items():
            if value is not None:
                raise BadRequestError(f"`{name}` cannot be combined with `detach`", remedy="leave one of them out")
        return await _start(call, pane, command)
    if call.revision.seed:
        return await _run_to_end(call, pane, command, timeout_s)
    if yield_s is None and call.task is None:
        yield_s = YIELD_S
    yields = yield_s is not None and (timeout_s is None or yield_s < timeout_s)
    limit_s = yield_s if yields else timeout_s
    budget = Budget(max_bytes)
    try:
        async with call.progress.ticking(limit_s, partial(last_line, call, pane)):
            result = await _until_waiting(call, pane, command, limit_s, budget.bytes)
    except WaitingError as error:
        result = await unfinished(call, outcome_of(error.state), pane, error.command_id)
        return {"command": clipped(command, LONGEST_MATCH), **result, "message": error.message}
    except TimedOutError as error:
        outcome = "running" if yields and error.executed else "timed_out"
        result = await unfinished(call, outcome, pane, error.command_id)
        message = {} if outcome == "running" else {"message": error.message}
        return {"command": clipped(command, LONGEST_MATCH), **result, **message}
    if not result["exit_known"]:
        result["note"] = _EXIT_UNKNOWN
    return await _chosen(call, result, wanted, budget)


async def _until_waiting(call: Call, pane: int, command: str, limit_s: float | None, max_bytes: int) -> Document:
    """Run a command until it waits for a person; if that is for a secret, ask the person, and go on."""
    deadline = None if limit_s is None else time.monotonic() + limit_s
    phux = await call.phux()
    while True:
        left_s = None if deadline is None else max(0.001, round(deadline - time.monotonic(), 3))
        options: Any = {"run_id": call.run_id, "timeout_s": left_s, "until_waiting": True, "max_bytes": max_bytes}
        try:
            return await call.drive(flows.run, pane, command, **options)
        except WaitingError as error:
            asks = error.state == "awaiting_secret"
            if not asks or not await call.asking.secret_typed(phux, pane, deadline):
                raise
        except asyncio.CancelledError:
            if call.task is not None and call.task.status == "cancelled":
                await phux.drive(flows.leave_run(pane, call.run_id, interrupt=True))
            raise


async def _run_to_end(call: Call, pane: int, command: str, timeout_s: float | None) -> Document:
    """Run a command as the first revision does."""
    began = time.monotonic()
    try:
        async with call.progress.ticking(timeout_s, partial(last_line, call, pane)):
            result = await call.drive(flows.run, pane, command, timeout_s=timeout_s, max_bytes=Budget().bytes)
    except TimedOutError:
        duration_ms = round((time.monotonic() - began) * 1000)
        return {"outcome": "timed_out", "command": command, "duration_ms": duration_ms}
    if not result["exit_known"]:
        result["note"] = _EXIT_UNKNOWN
    return result


async def _start(call: Call, pane: int, command: str) -> Document:
    started = await call.drive(flows.start, pane, command)
    since = started["seq"] if started["start"] is None else started["start"]
    command_id = started["command_id"]
    place = {"command_id": command_id, "pane": started["pane"], "since": since}
    hint = _STARTED.format(id=command_id, since=since, pane=started["pane"])
    return {"outcome": "started", "command": clipped(command, LONGEST_MATCH), **place, "hint": hint}


_STARTED = (
    "phux_wait with target {pane}, since {since} and until or regex waits for a line of its output; phux_wait with "
    'command_id "{id}" waits for its end; phux_logs with command_id "{id}" reads its output; phux_signal with target '
    "{pane} stops it"
)
_EXIT_UNKNOWN = (
    "the command ended, but the shell did not report its exit code, so exit_code has no meaning. "
    "Check the output, or the effect with another command"
)


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


async def last_line(call: Call, target: str | int) -> str:
    """Return the last line of a program's screen."""
    try:
        screen = await call.drive(flows.snapshot, target)
    except PhuxError as error:
        return error.message
    return "".join(tail(screen, 1))[:200]
