"""Parameters of a new pane and its program, checked before any request is sent. Import-light."""

import os

from phux_core.errors import BadRequestError, BadSizeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from phux_client.flows._kinds import Caller
    from phux_client.flows._types import Document


def program(
    caller: "Caller", cwd: str | None, command: "Sequence[str] | None", env: "Mapping[str, str] | None"
) -> "dict[str, object]":
    """Return the parameters for the program and its directory, without ``cwd`` if none was given."""
    if isinstance(command, str):
        raise BadRequestError(
            "the command is a string; it must be a list of words",
            remedy='write ["sh", "-c", COMMAND] for a shell line',
        )
    return {
        "cwd": _absolute(caller, cwd) if cwd else None,
        "command": [_text(word) for word in command] if command else None,
        "env": dict(caller.env),
        "extra_env": {name: _text(value) for name, value in env.items()} if env else None,
    }


def share(size: "int | str | None") -> "dict[str, int | None]":
    """Return the parameters for the size of a new pane: cells, or a share such as ``"30%"``."""
    if size is None or (isinstance(size, int) and not isinstance(size, bool)):
        return {"cells": size}
    digits = size.removesuffix("%") if isinstance(size, str) else ""
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 9:
        raise BadSizeError(f"{size!r:.80} is not a pane size", remedy='use a number of cells, or a part such as "30%"')
    return {"cells" if digits == size else "percent": int(digits)}


def place(reply: "Document") -> "Document":
    """Return a Place document from the server's reply."""
    above = ("session", "session_id", "window", "window_id", "window_name", "pane")
    return {
        "schema_version": 1,
        **{name: reply[name] for name in above},
        "terminal_id": reply["pane_id"],
        **{name: reply[name] for name in ("cols", "rows", "zoomed")},
    }


def _absolute(caller: "Caller", cwd: str) -> str:
    # An absolute path needs no working directory, which may have been deleted.
    return os.fspath(cwd) if os.path.isabs(cwd) else os.path.join(caller.cwd, cwd)


def _text(value: object) -> object:
    """Convert a path to text; other values are checked with the request."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value
