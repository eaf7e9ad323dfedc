"""The tools of two other systems, with their names, parameters and texts, over phux's terminals."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from phux_core.kinds import BOOLEAN, ENVIRONMENT, LARGEST, TEXT, Kind, Param, number, whole
from phux_mcp.catalog import Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from phux_mcp.catalog import Run

KINDS = {
    "string": TEXT,
    "boolean": BOOLEAN,
    "number": number(),
    "integer": whole(-LARGEST, LARGEST),  # rows of scrollback have negative numbers
    "variables": ENVIRONMENT,
}
"""The types of parameters."""


def make_tool(
    name: str,
    description: str,
    run: Run,
    params: Mapping[str, str],
    *,
    safety: str,
    runs_programs: bool = False,
    error_prefix: str = "",
    output: Callable[[], dict[str, Any]] | None = None,
) -> Tool:
    """Return a tool of a profile.

    A parameter is given as its type, with `!` if it is required or `=` and its default, and its description.
    """
    return Tool(
        name,
        name.removeprefix("tmux_").replace("_", " ").capitalize(),
        description,
        run,
        safety=safety,
        runs_programs=runs_programs,
        error_prefix=error_prefix,
        params=[_param(key, note) for key, note in params.items()],
        seed=tuple(params),
        output=output,
    )


def _param(name: str, note: str) -> Param:
    word, _, text = note.partition(" ")
    type_, _, default = word.partition("=")
    kind = KINDS[type_.removesuffix("!")]
    if default == "null":
        kind = Kind(kind.words, kind.fits, {"anyOf": [kind.schema, {"type": "null"}], "default": None})
    elif default:
        kind = Kind(kind.words, kind.fits, {**kind.schema, "default": json.loads(default)})
    return Param(name, kind, text, required=type_.endswith("!"))
