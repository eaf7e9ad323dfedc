"""``new-window`` and ``split``: add panes to a session."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows._program import place, program, share
from phux_client.flows.target import pane_id
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
    """Create a window.

    Args:
        caller: The calling process.
        target: A selector of the session or of something in it, a free index in it, or a session's id.
        name: The window's name; by default, that of the program.
        index: Its index; by default, the lowest free one.
        cwd: The working directory; by default, that of the session's active pane.
        command: The program and its arguments; the user's shell by default.
        env: Variables to set on top of the caller's environment.
        select: Give it the focus.

    Returns:
        A flow that returns a Place document.
    """
    if name is not None:
        selector.check_name("window", name)
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
        caller: The calling process.
        target: The pane, or the window or session of which it is the active pane.
        direction: Where to put the new pane: ``right`` or ``down``.
        size: Its columns or rows, or its share, such as ``"30%"``; half by default.
        cwd: The working directory; by default, that of the target.
        command: The program and its arguments; the user's shell by default.
        env: Variables to set on top of the caller's environment.
        select: Give it the focus.

    Returns:
        A flow that returns a Place document.
    """
    asked = program(caller, cwd, command, env) | share(size)
    pane = yield from pane_id(target, caller)
    return place((yield Request("split", pane=pane, direction=direction, **asked, select=select or None)))
