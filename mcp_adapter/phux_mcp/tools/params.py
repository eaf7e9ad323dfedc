"""Parameters that several tools take, and what their handlers do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phux_client import Phux
    from phux_mcp.methods import Call

    Arguments = dict[str, Any]
    Schema = dict[str, Any]

SOCKET: Schema = {"type": "string", "description": "Another server's socket."}
TARGET: Schema = {"type": "string", "description": "Which pane: NAME[:WINDOW[.PANE]], @ID, . or ="}
ANY_TARGET: Schema = {"type": "string", "description": "A session, window or pane: work, work:1 or @3."}
TIMEOUT: Schema = {"type": "number", "minimum": 0, "description": "Give up after this many seconds."}
MAX_BYTES: Schema = {
    "type": "integer",
    "minimum": 0,
    "maximum": 1_000_000,
    "description": "Allow so many bytes, not about 9000 tokens.",
}

HINT: Schema = {"hint": {"type": "string"}}


def text(description: str) -> Schema:
    """Make the schema of a string."""
    return {"type": "string", "description": description}


def flag(description: str) -> Schema:
    """Make the schema of a boolean."""
    return {"type": "boolean", "description": description}


def count(description: str, *, minimum: int = 0, maximum: int | None = None, kind: str = "integer") -> Schema:
    """Make the schema of a number that is not negative."""
    schema: Schema = {"type": kind, "minimum": minimum}
    if maximum is not None:
        schema["maximum"] = maximum
    if kind == "number":
        schema["multipleOf"] = 1  # what the first revision calls a number, and means to be counted
    return {**schema, "description": description}


def words(description: str, *, least: int = 0, among: tuple[str, ...] = ()) -> Schema:
    """Make the schema of a list of strings."""
    items: Schema = {"type": "string", "enum": list(among)} if among else {"type": "string"}
    more = {"minItems": least} if least else {}
    return {"type": "array", "items": items, **more, "description": description}


async def connect(call: Call, arguments: Arguments) -> Phux:
    """Give the way to the server that the arguments name."""
    return await call.links.phux(arguments.get("socket"))
