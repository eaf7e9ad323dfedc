"""Parameters that several tools share, and their handling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from phux_core.kinds import COUNT, TEXT, Kind, Param, number, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_client import Phux
    from phux_mcp.methods import Call

    Arguments = dict[str, Any]
    Schema = dict[str, Any]

SOCKET = Param("socket", TEXT, "another server's socket")
TARGET = Param("target", TEXT, "the pane: NAME[:WINDOW[.PANE]], @ID, . or =")
ANY_TARGET = Param("target", TEXT, "a session, window or pane: work, work:1 or @3", required=True)
TIMEOUT = Param("timeout_secs", number(), "the seconds to wait", omitted="no limit")
MAX_BYTES = Param("max_bytes", whole(0, 1_000_000), "the byte limit", omitted="about 9000 tokens")
WHOLE_NUMBER = Kind(COUNT.words, COUNT.fits, {"type": "number", "minimum": 0, "multipleOf": 1})
"""A count that the first revision declares as a number."""

HINT: Schema = {"hint": {"type": "string"}}


def shared(params: Mapping[str, Param], *names: str) -> list[Param]:
    """Return parameters that a call or a verb of the CLI also has, with the same descriptions."""
    return [params[name] for name in names]


async def connect(call: Call, arguments: Arguments) -> Phux:
    """Return the client of the server that the arguments name."""
    return await call.links.phux(arguments.get("socket"))
