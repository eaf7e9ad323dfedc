"""``split``: a pane out of a part of another."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows._program import place, program, share
from phux_client.flows.target import narrow_to_pane

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from phux_client.flows._kinds import Document, Flow
    from phux_client.flows.target import Target


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
