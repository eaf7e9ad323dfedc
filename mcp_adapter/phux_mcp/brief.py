"""The text of a result: what a model needs of a document, in few tokens.

Left out are values that the model already knows (defaults, its own arguments), blank rows, and details that hardly any
model uses. The structured content has them.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from phux_client.flows import Document

LONG_MS = 1000
"""Durations below this are left out."""

# Fields that no model needs: constants, or details for programs.
_DETAILS = frozenset(
    ["schema_version", "polls", "count", "bytes", "cursor_shape", "ends_with_newline", "returned_lines", "first_byte"]
)
# The values of fields that say that nothing unusual happened; null is one for every field.
_USUAL: Document = {
    **dict.fromkeys(("truncated", "interleaved", "full", "alt_screen", "active", "zoomed"), False),
    **dict.fromkeys(("omitted", "omitted_bytes", "omitted_lines", "dropped", "scrolled", "attached_clients"), 0),
    **dict.fromkeys(("exit_known", "visible", "eof"), True),
    **{name: [] for name in ("scrollback", "holes", "before", "after")},
    "state": "finished",
    "by": "run",  # of a command
}
_CONDITIONS = frozenset(["until", "regex", "gone", "state", "stop", "idle_ms", "exit"])


def brief(document: Document, arguments: Mapping[str, object], details: Collection[str] = ()) -> Document:
    """Return a document for the model that made a call with these arguments.

    Args:
        details: The names of more fields that the model does not need.
    """
    found: Document = _shorter(document, _DETAILS.union(details))
    for name, value in arguments.items():
        if name in found and found[name] == value:
            del found[name]
    if found.get("session") == arguments.get("name", ""):  # a new session
        del found["session"]
    if len(_CONDITIONS & arguments.keys()) < 2:  # only one condition can have been met
        found.pop("met", None)
        found.pop("condition", None)
    if found.get("duration_ms", LONG_MS) < LONG_MS:
        del found["duration_ms"]
    if "exit_code" in found and not found.get("truncated"):
        found.pop("command_id", None)
    if "lines" in found:
        found["lines"] = found["lines"][: _end(found["lines"])]
    if "commands" in found:
        found["commands"] = _without_repetitions(found["commands"])
    for match in found.get("matches", ()):
        if "at" in match:
            match["at"] = _seconds(match["at"])
    if "changed" in found:
        _without_blank_rows(found)
    return found


def _shorter(value: Any, details: frozenset[str]) -> Any:
    """Return a value without details and usual values, at any depth."""
    if isinstance(value, list):
        return [_shorter(inner, details) for inner in value]
    if not isinstance(value, dict):
        return value
    found: Document = {}
    for name, inner in value.items():
        if name in details or inner is None or (name in _USUAL and inner == _USUAL[name]):
            continue
        if name == "foreground":
            # At a prompt, it is the shell.
            if value.get("state") != "prompt":
                found[name] = inner["command"] if isinstance(inner, dict) else inner
        elif name == "layout" and isinstance(inner, str):
            continue  # a single pane
        elif name == "soft_wrap":
            wrapped = {part: rows for part, rows in inner.items() if rows}
            found.update({name: wrapped} if wrapped else {})
        else:
            found[name] = _shorter(inner, details)
    return found


def _end(lines: list[str]) -> int:
    """Return the number of rows up to the last one that is not blank."""
    return next((row for row in range(len(lines), 0, -1) if lines[row - 1]), 0)


def _without_repetitions(commands: list[Document]) -> list[Document]:
    """Return commands without the directory of the one before, and with times in seconds."""
    found = []
    cwd = None
    for command in commands:
        entry = {**command, "started_at": _seconds(command["started_at"])}
        if entry.get("cwd") == cwd:
            entry.pop("cwd", None)
        cwd = command.get("cwd")
        found.append(entry)
    return found


def _seconds(time: str) -> str:
    """Return a time without fractions of a second."""
    return f"{time.partition('.')[0]}Z"


def _without_blank_rows(screen: Document) -> None:
    """Replace the rows that became blank with their numbers, such as ``3-22``."""
    blank = [row["row"] for row in screen["changed"] if not row["text"]]
    screen["changed"] = [row for row in screen["changed"] if row["text"]]
    screen.pop("since", None)  # of no use beside `seq`
    if screen.get("met_line") in [row["text"] for row in screen["changed"]]:
        del screen["met_line"]
    if blank:
        runs = [[row for _, row in run] for _, run in groupby(enumerate(blank), lambda entry: entry[1] - entry[0])]
        screen["blank"] = ",".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
