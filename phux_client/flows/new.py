"""``new``: a session with one pane."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows._program import program
from phux_core.errors import BadSizeError
from phux_core.selector import check_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from phux_client.flows._types import Document, Flow


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
    """Create a session. Invalid arguments are rejected before any request is sent.

    Args:
        caller: The calling process.
        name: The session's name; by default, the lowest free number.
        window_name: The name of its window; by default, that of the program.
        cwd: The working directory; by default, that of the caller.
        command: The program and its arguments; the user's shell by default.
        env: Variables to set on top of the caller's environment.
        size: Columns and rows.
        options: Other parameters of the call ``new_session``.

    Returns:
        A flow that returns the server's reply, with ``session``, ``session_id``, ``window_id`` and ``pane_id``.
    """
    if name is not None:
        check_name("session", name)
    if window_name is not None:
        check_name("window", window_name)
    given: object = size  # callers without a type checker may pass anything
    if given is not None and not (isinstance(given, (tuple, list)) and len(given) == 2):
        raise BadSizeError(f"the size {given!r:.80} is not a pair of columns and rows")
    cols, rows = size or (None, None)
    asked = program(caller, cwd, command, env)
    asked["cwd"] = asked["cwd"] or caller.cwd
    return _ask(Request("new_session", name=name, window_name=window_name, cols=cols, rows=rows, **asked, **options))


def _ask(request: Request) -> "Flow[Document]":
    reply: Document = yield request
    return reply
