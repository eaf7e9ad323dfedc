"""Report a command that has not ended: its state, its output so far, and the next step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_client import flows
from phux_core.errors import PhuxError, TimedOutError
from phux_mcp.answers import clipped

if TYPE_CHECKING:
    from phux_client.flows import Document
    from phux_mcp.calling import Call

OUTCOMES = ("running", "awaiting_input", "awaiting_secret", "timed_out")
"""The outcomes of commands that have not ended."""
_LINES = 50
_BYTES = 8000

# The next step, by the state of the pane.
_NEXT = {
    "running": 'phux_wait with command_id "{id}" waits for its end; phux_signal with target {pane} stops it',
    "awaiting_input": 'answer with phux_act in {pane}, then call phux_wait with command_id "{id}"; '
    "phux_signal with target {pane} stops it",
    "awaiting_secret": "ask the person to type the secret into {pane}, with `phux attach` or in the live view "
    '(`phux web`), and not to tell it you. Then call phux_wait with command_id "{id}", which waits for the person; '
    "phux_signal with target {pane} stops it",
    "fullscreen": 'use and quit the program with phux_act in {pane}, then call phux_wait with command_id "{id}"',
    "prompt": "another shell waits at its prompt in {pane}: phux_run works there, and phux_act with the keys "
    '["exit", "Enter"] leaves it',
}
_ENDED = 'the command has ended in the meantime; phux_wait with command_id "{id}" returns its exit code'


def outcome_of(state: str | None) -> str:
    """Return the outcome for a command that waits for a person, by the state of its pane."""
    return "awaiting_secret" if state == "awaiting_secret" else "awaiting_input"


async def unfinished(call: Call, outcome: str, pane: int, command_id: str | None) -> Document:
    """Return the fields of a result about a command that has not ended."""
    screen = await call.drive(flows.snapshot, pane)
    state = screen["state"]
    if outcome == "running" and state.startswith("awaiting_"):
        outcome = state
    found: Document = {"outcome": outcome, "pane": f"@{pane}", "state": state, "since": screen["seq"]}
    if command_id is None:  # it was not typed
        return {**found, "screen_tail": tail(screen)}
    found["command_id"] = command_id
    if state == "fullscreen":
        found["screen_tail"] = tail(screen, 20)
    else:
        found |= await output_tail(call, command_id)
    hint = _NEXT.get(state, _NEXT["running"])
    if state == "prompt" and await _has_ended(call, command_id):
        hint = _ENDED
    return {**found, "hint": hint.format(id=command_id, pane=f"@{pane}")}


async def _has_ended(call: Call, command_id: str) -> bool:
    phux = await call.phux()
    try:
        await phux.drive(flows.wait_command(command_id, timeout_s=0))
    except TimedOutError:
        return False
    return True


async def output_tail(call: Call, command_id: str) -> Document:
    """Return the last lines of a command's output."""
    try:
        found = await call.drive(flows.output, command_id, tail=_LINES, max_bytes=_BYTES)
    except PhuxError:  # the shell has not reported its start
        return {"output": ""}
    omitted = {"omitted_lines": found["omitted"]} if found["omitted"] else {}
    return {"output": found["content"], **omitted}


def tail(screen: Document, rows: int = 8) -> list[str]:
    """Return the last rows of a screen, not counting blank rows at its end."""
    lines: list[str] = screen["lines"]
    end = next((row for row in range(len(lines), 0, -1) if lines[row - 1]), 0)
    return [clipped(line) for line in lines[max(0, end - rows) : end]]
