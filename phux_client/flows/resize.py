"""``resize``: sizes of panes and windows."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows._program import place
from phux_client.flows.target import narrow_to_pane, refer, window_id
from phux_core.errors import BadRequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Document, Flow
    from phux_client.flows.target import Target


def resize(
    caller: Caller,
    target: "Target",
    cols: int | None = None,
    rows: int | None = None,
    *,
    side: str | None = None,
    by: int | None = None,
    policy: str | None = None,
) -> "Flow[Document]":
    """Change the size of a pane, or of the window that a session or window selector means.

    Args:
        caller: Who asks.
        target: What is to have another size.
        cols: Columns.
        rows: Rows.
        side: Or where to move the pane's divider on that axis: ``left``, ``right``, ``up`` or ``down``.
        by: By how many cells.
        policy: Whose size the window has from now on: ``smallest``, ``largest``, ``latest`` or ``manual``.

    Returns:
        A flow that gives a Place document.
    """
    if (side is None) != (by is None) or (side is None) == ((cols, rows, policy) == (None, None, None)):
        raise BadRequestError(
            "it is not clear which size is meant", remedy="give columns or rows, or a side and by how much"
        )
    if side is not None:
        pane = yield from narrow_to_pane(target, caller)
        return place((yield Request("push_divider", pane=pane, side=side, by=by)))
    scope, id_ = yield from refer(target, caller)
    if scope == "pane" and policy is None:
        return place((yield Request("resize", pane=id_, cols=cols, rows=rows)))
    window = yield from window_id((scope, id_), caller)
    return place((yield Request("resize_window", window=window, cols=cols, rows=rows, policy=policy)))


def move_divider(window: int, path: "list[str]", by: int) -> "Flow[Document]":
    """Move one divider of a window.

    Args:
        window: The window's number.
        path: The way down its layout to the split.
        by: How many cells to the right or down; negative for back.
    """
    return place((yield Request("move_divider", window=window, path=path, by=by)))
