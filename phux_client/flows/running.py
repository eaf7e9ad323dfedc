"""``run``: run a command in a pane's shell and return its result."""

import os

from phux_client.flows._conditions import check_number
from phux_client.flows._documents import timestamp
from phux_client.flows._kinds import Caller, Request, within
from phux_client.flows.target import pane_id
from phux_core.errors import BadRequestError, TimedOutError, WaitingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.flows._types import Document, Flow

RUN_TIMEOUT_S = 600
"""The default time limit of a command."""
# The longest timeout that a socket accepts.
_FOR_EVER_S = 2_000_000


def run(
    caller: Caller,
    target: "str | int",
    command: "str | Sequence[str]",
    *,
    timeout_s: float | None = RUN_TIMEOUT_S,
    run_id: str | None = None,
    until_waiting: bool = False,
    **options: object,
) -> "Flow[Document]":
    """Run a command, wait until it has finished, and return a RunResult document.

    Args:
        run_id: A unique name for the run, for ``leave_run``; random by default.
        until_waiting: Raise WaitingError as soon as the command waits for a person.
        options: Other parameters of the call ``run``.
    """
    check_number("timeout_s", timeout_s, _FOR_EVER_S)
    params = {**command_params(command), **options, "id": run_id or new_run_id()}
    params["until_waiting"] = until_waiting or None  # older servers do not know it
    return within(_run(caller, target, command, timeout_s or None, params), timeout_s or None)


def new_run_id() -> str:
    """Return a name that no other run has."""
    return os.urandom(12).hex()


def leave_run(pane: int, run_id: str, *, interrupt: bool) -> "Flow[Document]":
    """Find the outcome of a run whose caller stopped waiting for it.

    Args:
        interrupt: Send C-c if the command is still running, and wait up to a second for its end.

    Returns:
        A flow that returns the server's reply: ``outcome``, and with "timed_out" also ``started`` and ``ended``.
    """
    # The wire protocol requires a command. With timeout_ms 0 it is never typed.
    reply: Document = yield Request("run", pane=pane, id=run_id, command=":", timeout_ms=0, interrupt=interrupt)
    return reply


def command_params(command: "str | Sequence[str]") -> "dict[str, object]":
    """Return the parameters for a command, or raise BadRequestError if it is empty or contains a NUL."""
    if not command or (isinstance(command, str) and not command.strip()):
        raise BadRequestError("there is no command to run", remedy="give a shell line such as 'make test'")
    if "\0" in (command if isinstance(command, str) else "".join(map(str, command))):
        raise BadRequestError("the command contains a NUL, which no shell accepts")
    return {"command": command} if isinstance(command, str) else {"words": list(command)}


_WAITS = {
    "awaiting_input": "waits for input",
    "awaiting_secret": "waits for a secret",
    "fullscreen": "runs full-screen",
    "prompt": "waits at the prompt of another shell",
}


def waiting_error(pane: int, command_id: str, state: str, program: str | None) -> WaitingError:
    """Return the error for a command that waits for a person."""
    ask = "ask the person to type it (phux attach)" if state == "awaiting_secret" else "answer it (phux act)"
    error = WaitingError(
        f"{program or 'the command'} in @{pane} {_WAITS[state]}",
        remedy=f"{ask}, then wait for its end (phux wait --command-id {command_id})",
    )
    error.state, error.command_id, error.executed = state, command_id, True  # type: ignore[assignment]
    return error


def _timed_out(reply: "Document", what: str, pane: int, *, interrupted: bool) -> TimedOutError:
    """Return the error for a timeout; its message says what the command is doing."""
    remedy = "allow more time with --timeout (timeout_s)"
    waits = _WAITS.get(reply["state"]) if reply["state"] != "prompt" else None
    sent = "C-c was sent, and " if interrupted else ""
    if not reply["started"]:
        happened = "the prompt did not appear, and the command was not typed"
    elif reply["ended"]:
        happened = f"{sent}the command has ended"
    elif waits:
        happened = f"{sent}{reply['foreground'] or 'the command'} {waits}"
        remedy = f"read the screen (phux snapshot @{pane}), then answer or send C-c (phux send-keys @{pane})"
    else:
        happened = f"{sent}the command is still running"
    error = TimedOutError(f"{what}; {happened}", remedy=remedy)
    error.executed = bool(reply["started"])
    error.command_id = reply.get("command_id")
    return error


def _run(
    caller: Caller,
    target: "str | int",
    command: "str | Sequence[str]",
    timeout_s: float | None,
    params: "dict[str, object]",
) -> "Flow[Document]":
    number = yield from pane_id(target, caller)
    timeout_ms = None if timeout_s is None else round(timeout_s * 1000)
    patience_s = _FOR_EVER_S if timeout_s is None else timeout_s
    reply = yield Request("run", patience_s, pane=number, timeout_ms=timeout_ms, **params)
    if reply["outcome"] == "waiting":
        raise waiting_error(number, reply["command_id"], reply["state"], reply["foreground"])
    if reply["outcome"] != "finished":
        raise _timed_out(
            reply, f"the timeout of {timeout_s:g} s expired", number, interrupted=bool(params.get("interrupt"))
        )
    if not isinstance(command, str):
        import shlex

        command = shlex.join(command)
    before = ("exit_code", "output", "duration_ms", "truncated", "omitted_bytes", "cwd")
    after = ("seq", "interleaved", "exit_known", "ends_with_newline", "command_id")
    return {
        "schema_version": 1,
        "command": command,
        **{name: reply[name] for name in before},
        "started_at": timestamp(reply["started_at"]),
        **{name: reply[name] for name in after},
    }
