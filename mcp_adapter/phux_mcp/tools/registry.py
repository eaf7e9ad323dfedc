"""Register the tools of phux, and the parameters that several of them share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.kinds import COUNT, TEXT, Kind, Param, number, whole
from phux_mcp.arguments import SELECTOR
from phux_mcp.catalog import Tool
from phux_mcp.targets import schema_with_targets

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from phux_client.flows import Document
    from phux_mcp.catalog import Run

TOOLS: list[Tool] = []
"""The tools, in the order of their definitions."""

TARGET = Param("target", SELECTOR, "the pane, such as work or @3")
ANY_TARGET = Param("target", SELECTOR, "a session, window or pane, such as work, work:1 or @3", required=True)
TIMEOUT = Param("timeout_secs", number(), "seconds to wait", omitted="no limit")
MAX_BYTES = Param("max_bytes", whole(0, 1_000_000), "the most bytes to return")
WHOLE_NUMBER = Kind(COUNT.words, COUNT.fits, {"type": "number", "minimum": 0, "multipleOf": 1})
"""A count that the first revision declares as a number."""
_SOCKET = Param("socket", TEXT, "another server's socket")
_HOST = Param("host", TEXT, "the server's machine, as ssh reaches it")


def tool(
    name: str,
    title: str,
    *params: Param,
    output: Callable[[], Document],
    seed: str | None = None,
    details: str = "",
    **options: Any,
) -> Callable[[Run], Run]:
    """Register a function as a tool; its docstring describes the tool to the model.

    Args:
        params: The tool's parameters; every tool also has `socket` and `host`.
        seed: The names of the parameters in the first revision, without `socket`; None if that revision lacks the tool.
        details: The names of fields of the result that are not part of its text, besides those of all tools.
        options: Further options of ``Tool``.
    """

    def register(run: Run) -> Run:
        TOOLS.append(
            Tool(
                name,
                title,
                " ".join(str(run.__doc__).split()),
                run,
                params=(*params, _SOCKET, _HOST),
                seed=None if seed is None else (*seed.split(), "socket"),
                output=lambda: schema_with_targets(_optional(output())),
                details=tuple(details.split()),
                **options,
            )
        )
        return run

    return register


def _optional(schema: Document) -> Document:
    """Return a schema that requires no property: some clients check the structured content of errors with it, too."""
    return {key: value for key, value in schema.items() if key != "required"}


def shared(params: Mapping[str, Param], names: str) -> list[Param]:
    """Return parameters that a call or a verb of the CLI also has, with the same descriptions."""
    return [params[name] for name in names.split()]
