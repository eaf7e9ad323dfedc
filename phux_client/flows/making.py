"""``new-window`` and ``split``: panes beside those that are there."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows._program import place, program, share
from phux_client.flows.target import narrow_to_pane
from phux_core import selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from phux_client.flows._types import Document, Flow
    from phux_client.flows.target import Target


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
    """Make a window.

    Args:
        caller: Who asks.
        target: A selector of the session or of what is in it, or an index of it that is free; or a session's number.
        name: The window's name; the program's when omitted.
        index: Its index; the lowest that is free when omitted.
        cwd: Where the program starts; where the session's active pane is when omitted.
        command: Program and arguments; the shell when omitted.
        env: Variables on top of the caller's.
        select: Whether it gets the focus.

    Returns:
        A flow that gives a Place document.
    """
    if name is not None:
        selector.check_window_name(name)
    asked = program(caller, cwd, command, env)
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
    """Split a pane.

    Args:
        caller: Who asks.
        target: The pane, or what it is the active one of.
        direction: ``right`` or ``down``: where the new one goes.
        size: How many columns or rows it gets, or which part (``"30%"``); half when omitted.
        cwd: Where the program starts; where the target is when omitted.
        command: Program and arguments; the shell when omitted.
        env: Variables on top of the caller's.
        select: Whether it gets the focus.

    Returns:
        A flow that gives a Place document.
    """
    asked = program(caller, cwd, command, env) | share(size)
    pane = yield from narrow_to_pane(target, caller)
    return place((yield Request("split", pane=pane, direction=direction, **asked, select=select or None)))
