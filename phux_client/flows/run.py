"""``run``: run a command in a pane's shell and return its result."""

import os

from phux_client.flows._deadline import within
from phux_client.flows._kinds import Caller, Request
from phux_client.flows._moments import timestamp
from phux_client.flows.target import pane_id
from phux_core.errors import BadRequestError, TimedOutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.flows._types import Document, Flow

DEFAULT_TIMEOUT_S = 600
"""The default time limit of a command."""
# The longest timeout that a socket accepts.
_FOR_EVER_S = 2_000_000
_MOST_BYTES = 16 * 1024 * 1024


def run(
    caller: Caller,
    target: "str | int",
    command: "str | Sequence[str]",
    *,
    timeout_s: float | None = DEFAULT_TIMEOUT_S,
    queue: bool = False,
    interrupt: bool = False,
    max_bytes: int | None = None,
    raw: bool = False,
    run_id: str | None = None,
) -> "Flow[Document]":
    """Run a command, and wait until it has finished.

    Args:
        caller: The calling process.
        target: A selector or a pane id.
        command: A shell line, or words that reach the program unchanged.
        timeout_s: The time limit; None or 0 for no limit.
        queue: If another program is in the foreground, wait for the prompt instead of raising.
        interrupt: Send C-c when the timeout expires.
        max_bytes: The largest output to return, 1 MiB by default; longer output is cut in the middle.
        raw: Keep escape sequences in the output.
        run_id: A unique name for the run, for ``leave_run``; random by default.

    Returns:
        A flow that returns a RunResult document.

    Raises:
        TimedOutError: The timeout expired; the command keeps running. Raised at the end of the flow.
    """
    numbers: dict[str, tuple[object, int]] = {
        "timeout_s": (timeout_s, _FOR_EVER_S),
        "max_bytes": (max_bytes, _MOST_BYTES),
    }
    for name, (value, most) in numbers.items():
        if value is not None and not (isinstance(value, (int, float)) and 0 <= value <= most):
            raise BadRequestError(f"{name} is {value!r:.80}", remedy=f"give a number from 0 to {most}")
    check_command(command)
    flow = _run(
        caller,
        target,
        command if isinstance(command, str) else _join(command),
        timeout_s or None,
        command=command if isinstance(command, str) else None,
        words=None if isinstance(command, str) else list(command),
        queue=queue or None,
        interrupt=interrupt or None,
        max_bytes=max_bytes,
        raw=raw or None,
        id=run_id or new_run_id(),
    )
    return within(flow, timeout_s or None)


def new_run_id() -> str:
    """Return a name that no other run has."""
    return os.urandom(12).hex()


def leave_run(pane: int, run_id: str, *, interrupt: bool) -> "Flow[Document]":
    """Find the outcome of a run whose caller stopped waiting for it.

    Args:
        pane: The pane's id.
        run_id: The run's name, as given to ``run``.
        interrupt: Send C-c if the command is still running, and wait up to a second for its end.

    Returns:
        A flow that returns the server's reply: ``outcome``, and with "timed_out" also ``started`` and ``ended``.
    """
    # The wire protocol requires a command. With timeout_ms 0 it is never typed.
    reply: Document = yield Request("run", pane=pane, id=run_id, command=":", timeout_ms=0, interrupt=interrupt or None)
    return reply


def check_command(command: "str | Sequence[str]") -> None:
    """Raise if no shell can run a command.

    Raises:
        BadRequestError: The command is empty, or contains a NUL.
    """
    if not command or (isinstance(command, str) and not command.strip()):
        raise BadRequestError("there is no command to run", remedy="give a shell line such as 'make test'")
    if "\0" in (command if isinstance(command, str) else "".join(map(str, command))):
        raise BadRequestError("the command has a NUL, which no shell takes")


_WAITS = {
    "awaiting_input": "waits for input",
    "awaiting_secret": "waits for a secret",
    "fullscreen": "has the whole screen",
}


def _timed_out(reply: "Document", what: str, pane: int, *, interrupted: bool) -> TimedOutError:
    """Return the error for a timeout: what happened to the command, and what to do."""
    remedy = "allow more time with --timeout (timeout_s)"
    waits = _WAITS.get(reply["state"])
    sent = "C-c was sent, and " if interrupted else ""
    if not reply["started"]:
        happened = "the prompt did not come, and the command was not typed"
    elif reply["ended"]:
        happened = f"{sent}the command has ended"
    elif waits:
        happened = f"{sent}{reply['foreground'] or 'the command'} {waits}"
        remedy = f"look at it (phux snapshot @{pane}) and type what it wants (phux send-keys @{pane}), or C-c"
    else:
        happened = f"{sent}the command goes on"
    return TimedOutError(f"{what}; {happened}", remedy=remedy)


def _join(words: "Sequence[str]") -> str:
    import shlex

    return shlex.join(words)


def _run(
    caller: Caller, target: "str | int", given: str, timeout_s: float | None, **params: object
) -> "Flow[Document]":
    number = yield from pane_id(target, caller)
    request = Request(
        "run",
        pane=number,
        timeout_ms=None if timeout_s is None else round(timeout_s * 1000),
        **params,
    )
    request.patience_s = _FOR_EVER_S if timeout_s is None else timeout_s
    reply = yield request
    if reply["outcome"] != "finished":
        raise _timed_out(reply, f"not within {timeout_s:g} s", number, interrupted=bool(params["interrupt"]))
    return {
        "schema_version": 1,
        "command": given,
        "exit_code": reply["exit_code"],
        "output": reply["output"],
        "duration_ms": reply["duration_ms"],
        "truncated": reply["truncated"],
        "omitted_bytes": reply["omitted_bytes"],
        "cwd": reply["cwd"],
        "started_at": timestamp(reply["started_at"]),
        "seq": reply["seq"],
        "interleaved": reply["interleaved"],
        "exit_known": reply.get("exit_known", True),
        "ends_with_newline": reply.get("ends_with_newline", False),
    }
