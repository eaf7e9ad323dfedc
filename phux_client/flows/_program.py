"""What is to run in a new pane, checked before anything is asked of the server. Import-light."""

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
    """Make the parameters that say what runs, and where; no ``cwd`` where the caller gave none."""
    if isinstance(command, str):
        raise BadRequestError(
            "the command is a string, and must be a list of words",
            remedy='write ["sh", "-c", COMMAND] for a shell line',
        )
    return {
        "cwd": _absolute(caller, cwd) if cwd else None,
        "command": [_text(word) for word in command] if command else None,
        "env": dict(caller.env),
        "extra_env": {name: _text(value) for name, value in env.items()} if env else None,
    }


def share(size: "int | str | None") -> "dict[str, int | None]":
    """Make the parameters that say how much a new pane gets: cells, or a part such as ``"30%"``."""
    if size is None or (isinstance(size, int) and not isinstance(size, bool)):
        return {"cells": size}
    digits = size.removesuffix("%") if isinstance(size, str) else ""
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 9:
        raise BadSizeError(
            f"{size!r:.80} is no size of a pane", remedy='use a number of cells, or a part such as "30%"'
        )
    return {"cells" if digits == size else "percent": int(digits)}


def place(reply: "Document") -> "Document":
    """Make a Place document out of the server's reply."""
    return {
        "schema_version": 1,
        "session": reply["session"],
        "session_id": reply["session_id"],
        "window": reply["window"],
        "window_id": reply["window_id"],
        "window_name": reply["window_name"],
        "pane": reply["pane"],
        "terminal_id": reply["pane_id"],
        "cols": reply["cols"],
        "rows": reply["rows"],
        "zoomed": reply["zoomed"],
    }


def _absolute(caller: "Caller", cwd: str) -> str:
    # Where the caller is need not be known, and may be deleted, if an absolute path is given.
    return os.fspath(cwd) if os.path.isabs(cwd) else os.path.join(caller.cwd, cwd)


def _text(value: object) -> object:
    """Take paths for the text they are; anything else is judged with the request."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value
