"""``new``: a session with one pane."""

import os

from phux_client.flows._kinds import Caller, Request
from phux_core.errors import BadRequestError
from phux_core.selector import check_session_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from phux_client.flows._kinds import Document, Flow


def new(
    caller: Caller,
    name: str | None = None,
    *,
    cwd: str | None = None,
    command: "Sequence[str] | None" = None,
    env: "Mapping[str, str] | None" = None,
    size: tuple[int, int] | None = None,
) -> "Flow[Document]":
    """Make a session. What can be refused without a server is refused at once.

    Returns:
        A flow that gives the server's reply: ``session``, ``session_id``, ``window_id`` and ``pane_id``.
    """
    if name is not None:
        check_session_name(name)
    if isinstance(command, str):
        raise BadRequestError(
            "the command is a string, and must be a list of words",
            remedy='write ["sh", "-c", COMMAND] for a shell line',
        )
    cols, rows = size or (None, None)
    request = Request(
        "new_session",
        name=name,
        cwd=os.path.join(caller.cwd, cwd) if cwd else caller.cwd,
        command=list(command) if command else None,
        env=dict(caller.env),
        extra_env=dict(env) if env else None,
        cols=cols,
        rows=rows,
    )
    return _ask(request)


def _ask(request: Request) -> "Flow[Document]":
    reply: Document = yield request
    return reply
