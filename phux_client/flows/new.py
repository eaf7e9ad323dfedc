"""``new``: a session with one pane."""

import os

from phux_client.flows._kinds import Caller, Request
from phux_core.errors import BadRequestError, BadSizeError
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
    shell: str | None = None,
    login: bool = False,
    log: bool | None = None,
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
    given: object = size  # callers without a type checker give anything
    if given is not None and not (isinstance(given, (tuple, list)) and len(given) == 2):
        raise BadSizeError(f"the size {given!r:.80} is not a pair of columns and rows")
    cols, rows = size or (None, None)
    request = Request(
        "new_session",
        name=name,
        cwd=os.path.join(caller.cwd, cwd) if cwd else caller.cwd,
        command=[_text(word) for word in command] if command else None,
        env=dict(caller.env),
        extra_env={name: _text(value) for name, value in env.items()} if env else None,
        cols=cols,
        rows=rows,
        shell=shell,
        login=login or None,
        log=log,
    )
    return _ask(request)


def _text(value: object) -> object:
    """Take paths for the text they are; anything else is judged with the request."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _ask(request: Request) -> "Flow[Document]":
    reply: Document = yield request
    return reply
