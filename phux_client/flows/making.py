"""``new``, ``new-window`` and ``split``: create sessions, windows and panes."""

import os

from phux_client.flows._documents import place
from phux_client.flows._kinds import Caller, Request
from phux_client.flows.target import pane_id
from phux_core import selector
from phux_core.errors import BadCwdError, BadRequestError, BadSizeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from phux_client.flows._types import Document, Flow
    from phux_client.flows.target import Target


def new(
    caller: Caller,
    name: str | None = None,
    *,
    window_name: str | None = None,
    cwd: str | None = None,
    command: "Sequence[str] | None" = None,
    env: "Mapping[str, str] | None" = None,
    size: tuple[int, int] | None = None,
    **options: object,
) -> "Flow[Document]":
    """Create a session with one pane. Invalid arguments are rejected before the flow begins.

    Returns:
        A flow that returns the server's reply, with ``session``, ``session_id``, ``window_id`` and ``pane_id``.
    """
    if name is not None:
        selector.check_name("session", name)
    if window_name is not None:
        selector.check_name("window", window_name)
    given: object = size  # callers without a type checker may pass anything
    if given is not None and not (isinstance(given, (tuple, list)) and len(given) == 2):
        raise BadSizeError(
            f"the size {given!r:.80} is not a pair of columns and rows", remedy="give two numbers, such as (80, 24)"
        )
    cols, rows = size or (None, None)
    asked = _program(caller, cwd, command, env)
    if not caller.is_remote:
        asked["cwd"] = asked["cwd"] or caller.cwd
    return _ask(Request("new_session", name=name, window_name=window_name, cols=cols, rows=rows, **asked, **options))


def _ask(request: Request) -> "Flow[Document]":
    reply: Document = yield request
    return reply


def new_window(
    caller: Caller,
    target: "str | int",
    *,
    name: str | None = None,
    index: int | None = None,
    cwd: str | None = None,
    command: "Sequence[str] | None" = None,
    env: "Mapping[str, str] | None" = None,
    select: bool = False,
) -> "Flow[Document]":
    """Create a window, and return a Place document."""
    if name is not None:
        selector.check_name("window", name)
    asked = _program(caller, cwd, command, env)
    if isinstance(target, str):
        selector.parse(target)
        tree = yield Request("tree")
        session, free = selector.resolve_session(tree, target, caller.pane)
        index = free if index is None else index
        target = session["id"]
    reply = yield Request("new_window", session=target, name=name, index=index, **asked, select=select or None)
    return place(reply)


def split(
    caller: Caller,
    target: "Target",
    direction: str = "right",
    *,
    size: "int | str | None" = None,
    cwd: str | None = None,
    command: "Sequence[str] | None" = None,
    env: "Mapping[str, str] | None" = None,
    select: bool = False,
) -> "Flow[Document]":
    """Split a pane, or the active pane of a window or session, and return a Place document."""
    asked = _program(caller, cwd, command, env) | share(size)
    pane = yield from pane_id(target, caller)
    return place((yield Request("split", pane=pane, direction=direction, **asked, select=select or None)))


def share(size: "int | str | None") -> "dict[str, int | None]":
    """Return the parameters for the size of a new pane: cells, or a share such as ``"30%"``."""
    if size is None or (isinstance(size, int) and not isinstance(size, bool)):
        return {"cells": size}
    digits = size.removesuffix("%") if isinstance(size, str) else ""
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 9:
        raise BadSizeError(f"{size!r:.80} is not a pane size", remedy='use a number of cells, or a share such as "30%"')
    return {"cells" if digits == size else "percent": int(digits)}


def _program(
    caller: Caller, cwd: str | None, command: "Sequence[str] | None", env: "Mapping[str, str] | None"
) -> "dict[str, object]":
    """Return the parameters for the program and its directory; ``cwd`` is None if none was given."""
    if isinstance(command, str):
        raise BadRequestError(
            "the command is a string; it must be a list of words",
            remedy='write ["sh", "-c", COMMAND] for a shell line',
        )
    return {
        "cwd": _absolute(caller, cwd) if cwd else None,
        "command": [_text(word) for word in command] if command else None,
        "env": None if caller.is_remote else dict(caller.env),
        "extra_env": {name: _text(value) for name, value in env.items()} if env else None,
    }


def _absolute(caller: Caller, cwd: str) -> str:
    # An absolute path needs no working directory, which may have been deleted.
    if os.path.isabs(cwd):
        return os.fspath(cwd)
    if caller.is_remote:
        raise BadCwdError(f"the working directory {cwd!r:.80} is relative, and the program starts on another machine")
    return os.path.join(caller.cwd, cwd)


def _text(value: object) -> object:
    """Convert a path to text; return other values unchanged, to be checked with the request."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value
