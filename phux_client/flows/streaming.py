"""``start_stream``, ``next_chunk`` and ``stream_result``: run a command, and read its output while it runs.

The output is read from the pane's log, so a slow reader loses nothing and delays nothing.
"""

import time

from phux_client.flows._conditions import check_number
from phux_client.flows._kinds import Caller, NextEvent, Request
from phux_client.flows.log_reading import READ_S
from phux_client.flows.running import RUN_TIMEOUT_S, command_params, new_run_id, outcome
from phux_client.flows.target import pane_id
from phux_core.errors import DisconnectedError, NoSuchTargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.flows._types import Document, Flow

_PIECE = 64 * 1024
_DEFAULT_BYTES = 1024 * 1024
# The prompt may need a moment to appear.
_START_S = 60.0
# Events wake us, but a long burst of output has events only at its beginning and its end.
_BURST_S = 0.1
_LOOK_AGAIN_S = 5.0
# With less, the server would only report on the run, without waiting for its end.
_LEAST_S = 0.001


class StreamedRun:
    """A command whose output is read while it runs.

    Attributes:
        pane: The id of the pane.
        params: The parameters of the calls ``start`` and ``run``.
        run_id: The name of the run, for ``leave_run``.
        command_id: The command's id in the command ledger; empty before it was typed.
        deadline: When its timeout expires, on the monotonic clock; None for never.
        next_byte: The position of the next chunk; None before the output begins.
        has_ended: Whether the command has ended and its whole output was read.
        whole_lines: Whether an incomplete line waits for its end. A person wants to see the prompt of a program.
    """

    __slots__ = (
        "command",
        "command_id",
        "deadline",
        "has_ended",
        "next_byte",
        "pane",
        "params",
        "run_id",
        "timeout_s",
        "whole_lines",
    )

    def __init__(
        self,
        command: "str | Sequence[str]",
        *,
        timeout_s: float | None = RUN_TIMEOUT_S,
        queue: bool = False,
        max_bytes: int | None = None,
        raw: bool = False,
    ) -> None:
        check_number("timeout_s", timeout_s)
        most = _DEFAULT_BYTES if max_bytes is None else max_bytes
        self.run_id = new_run_id()
        self.command = command
        self.params = {**command_params(command), "queue": queue, "max_bytes": most, "raw": raw, "id": self.run_id}
        self.timeout_s = timeout_s or None
        self.deadline = time.monotonic() + timeout_s if timeout_s else None
        self.pane = -1
        self.command_id = ""
        self.next_byte: int | None = None
        self.has_ended = False
        self.whole_lines = True

    def left_s(self) -> float | None:
        """Return the time until the timeout expires."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())


def start_stream(caller: Caller, target: "str | int", run: StreamedRun) -> "Flow[None]":
    """Type a command, so that ``next_chunk`` can read its output."""
    run.pane = yield from pane_id(target, caller)
    left_s = run.left_s()
    reply = yield Request("start", _START_S if left_s is None else left_s, pane=run.pane, **run.params)
    run.command_id = reply["command"]


def next_chunk(run: StreamedRun) -> "Flow[str | None]":
    """Return the next whole lines of output, or None if the command has ended or its timeout has expired.

    With ``whole_lines``, only the last chunk and parts of lines of more than 32 KiB may lack a newline at their end.
    """
    patience_s = _BURST_S
    subscription: int | None = None
    while not run.has_ended:
        try:
            if subscription is None:  # before the first read, so that no event is missed
                subscription = (yield Request("subscribe", pane=run.pane))["subscription"]
            # The ledger is read after the log. If it says that the command runs, all that was read is its output.
            piece = yield from _read(run, None)
            entry = (yield Request("commands", id=run.command_id))["commands"][0]
            if run.next_byte is None:
                run.next_byte = entry["start"]
            is_over = entry["state"] in {"finished", "lost"}
            if is_over:
                piece = yield from _read(run, entry["end"])
            if piece is not None and piece["content"]:
                run.next_byte = piece["next_byte"]
                return str(piece["content"])
            run.has_ended = is_over
            left_s = run.left_s()
            if is_over or left_s == 0:
                return None
            event = yield NextEvent(subscription, patience_s if left_s is None else min(patience_s, left_s))
            patience_s = min(2 * patience_s, _LOOK_AGAIN_S) if event is None else _BURST_S
        except DisconnectedError:
            subscription = None  # the next service knows the command, too
    return None


def _read(run: StreamedRun, end: int | None) -> "Flow[Document | None]":
    """Read output that was not read yet: whole lines, and before the command's end also an incomplete last one."""
    if run.next_byte is None or run.next_byte == end:
        return None
    most = _PIECE if end is None else min(_PIECE, end - run.next_byte)
    where = {"pane": run.pane, "from_byte": run.next_byte, "max_bytes": most, "mode": "stripped"}
    try:
        reply: Document = yield Request("logs", READ_S, **where, whole_lines=end is None or most == _PIECE)
        if reply["next_byte"] == run.next_byte and most == _PIECE and not reply["eof"]:  # an incomplete line
            part: Document = yield Request("logs", READ_S, **where)
            if not run.whole_lines or part["next_byte"] - run.next_byte > _PIECE // 2:  # not if it may still end soon
                reply = part
    except NoSuchTargetError:
        return None  # the pane has no log
    return reply


def stream_result(run: StreamedRun, *, interrupt: bool = False) -> "Flow[Document]":
    """Return the RunResult document of a streamed command; raise TimedOutError after its timeout.

    Args:
        interrupt: Send C-c if the timeout has expired.
    """
    left_s = run.left_s()
    params = {**run.params, "interrupt": interrupt}
    wait_s = None if left_s is None else max(left_s, _LEAST_S)
    return (yield from outcome(run.pane, run.command, wait_s, params, timeout_s=run.timeout_s))
