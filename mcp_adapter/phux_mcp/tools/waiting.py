"""The tool that waits."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.conditions import CONDITIONS
from phux_core.errors import BadRequestError, TimedOutError, WaitingError
from phux_core.kinds import TEXT, Param
from phux_mcp.answers import LONGEST_MATCH, clipped
from phux_mcp.asking import secret_answered
from phux_mcp.catalog import INTEGER, STRING, STRINGS, an_object
from phux_mcp.tools.registry import TARGET, TIMEOUT, WHOLE_NUMBER, shared, tool
from phux_mcp.tools.unfinished import OUTCOMES, outcome_of, output_tail, tail, unfinished

if TYPE_CHECKING:
    from phux_client import Phux
    from phux_client.flows import Document
    from phux_mcp.calling import Call

PATIENCE_S = 45
"""How long a call waits by default: less than the patience of hosts, many of which give up after a minute."""
_TEXTS = ("until", "regex", "stop")
ONLY_OUTPUT = "only output counts; with output_only false, prompts and typed text do, too"


def _wait_schema() -> Document:
    found = {"pane": STRING, "seq": INTEGER, "state": STRING, "screen_tail": STRINGS}
    of_command = {"command_id": STRING, "exit_code": INTEGER, "output": STRING, "omitted_lines": INTEGER}
    outcome = {"enum": ["met", "stopped", "finished", "lost", *OUTCOMES]}
    return an_object({"outcome": outcome, "polls": INTEGER, **found}, **of_command, condition=STRING, line=STRING)


def match_output_only(wanted: dict[str, Any]) -> None:
    """Let texts match output only, unless the caller decided; without a text, there is nothing to match."""
    if any(name in wanted for name in _TEXTS):
        wanted.setdefault("output_only", True)
    else:
        wanted.pop("output_only", None)


@tool(
    "phux_wait",
    "Wait for a pane",
    TARGET,
    Param("command_id", TEXT, "instead of `target`: wait for the end of this command"),
    *shared(CONDITIONS, "until regex gone state stop"),
    CONDITIONS["idle_ms"].but(kind=WHOLE_NUMBER),
    *shared(CONDITIONS, "since"),
    CONDITIONS["output_only"].but(omitted="true"),
    TIMEOUT.but(omitted="45, but no limit in 2024-11-05"),
    safety="read-only",
    tasks=True,
    output=_wait_schema,
    seed="target until idle_ms timeout_secs",
)
async def wait(
    call: Call,
    target: str | None = None,
    command_id: str | None = None,
    timeout_secs: float | None = None,
    **wanted: Any,
) -> Document:
    """Wait until one of the conditions holds; without a condition, until nothing was written for 500 ms.

    `until` and `regex` take precedence over `idle_ms`. With `command_id`, return the exit code and the last output.
    """
    if timeout_secs is None and not call.revision.seed:
        timeout_secs = PATIENCE_S if call.task is None else flows.RUN_TIMEOUT_S
    if command_id is not None:
        for name in ("target", *wanted):
            if name in wanted or target is not None:
                raise BadRequestError(f"`{name}` cannot be combined with `command_id`", remedy="leave one of them out")
        return await _wait_command(call, command_id, timeout_secs)
    if "until" in wanted or "regex" in wanted:  # otherwise, any pause of the program would end the wait
        wanted.pop("idle_ms", None)
    if not call.revision.seed:
        match_output_only(wanted)
    conditions = flows.Conditions(**wanted)
    async with call.progress.ticking(timeout_secs, _waited()):
        outcome = await call.drive(flows.wait, target, conditions, timeout_s=timeout_secs)
    result: Document = {
        "outcome": "timed_out" if outcome.met is None else "stopped" if outcome.met == "stop" else "met",
        "polls": outcome.looks,
    }
    if call.revision.seed:
        return result
    screen = outcome.screen
    found = {"condition": outcome.met, "line": outcome.line and clipped(outcome.line, LONGEST_MATCH)}
    result |= {name: value for name, value in found.items() if value is not None}
    result |= {"pane": f"@{screen['pane']}", "seq": outcome.seq, "state": screen["state"], "screen_tail": tail(screen)}
    if outcome.met is None and conditions.output_only:
        result["hint"] = ONLY_OUTPUT
    return result


async def _wait_command(call: Call, command_id: str, timeout_s: float | None) -> Document:
    """Wait until a command has ended or waits for a person; if it asks for a secret already, first for the person."""
    deadline = None if timeout_s is None else time.monotonic() + timeout_s

    def left_s() -> float | None:
        return None if deadline is None else max(0.0, deadline - time.monotonic())

    phux = await call.phux()
    async with call.progress.ticking(timeout_s, _waited()):
        try:
            entry = await phux.drive(flows.wait_command(command_id, timeout_s=0))
        except TimedOutError:
            pane = int(command_id.rpartition(".")[0])
            await secret_answered(phux, pane, left_s())
            try:
                entry = await _ended(call, phux, pane, command_id, deadline)
            except WaitingError as error:
                return await unfinished(call, outcome_of(error.state), pane, command_id)
            except TimedOutError:
                return await unfinished(call, "running", pane, command_id)
    result: Document = {"outcome": entry["state"], "command_id": command_id}
    if entry["exit_code"] is not None:
        result["exit_code"] = entry["exit_code"]
    result |= await output_tail(call, command_id)
    if result.get("omitted_lines"):
        result["hint"] = f'phux_logs with command_id "{command_id}" returns more'
    return result


async def _ended(call: Call, phux: Phux, pane: int, command_id: str, deadline: float | None) -> Document:
    """Wait for the end of a command; if it waits for a secret, ask the person, and go on."""
    while True:
        left_s = None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            return await phux.drive(flows.wait_command(command_id, timeout_s=left_s, until_waiting=True))
        except WaitingError as error:
            asks = error.state == "awaiting_secret"
            if not asks or not await call.asking.secret_typed(phux, pane, deadline):
                raise


def _waited() -> Any:
    began = time.monotonic()

    async def message() -> str:
        return f"waited {time.monotonic() - began:.0f} s so far"

    return message
