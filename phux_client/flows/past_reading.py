"""The past of a pane, from its log: its screen at a moment, and its timeline."""

from phux_client.flows._documents import timestamp
from phux_client.flows._kinds import Caller, Request
from phux_client.flows.log_reading import READ_S, find_log
from phux_client.flows.reading import screen_document
from phux_client.moments import moment_of
from phux_core.errors import BadRequestError, NoSuchTargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from phux_client.flows._types import Document, Flow
    from phux_client.moments import Moment, Place


def past_screen(
    caller: Caller,
    target: "str | int | None",
    at: "int | str | datetime",
    *,
    scrollback: int | None = None,
    cells: bool = False,
) -> "Flow[Document]":
    """Return a pane's screen as it was at a moment (see ``phux_client.moments``), as a ScreenState document.

    Args:
        target: As for ``logs``.
    """
    moment = moment_of(at)
    which = yield from find_log(caller, target)
    return past_screen_document((yield from read_screen(which, moment, scrollback=scrollback, cells=cells)))


def read_screen(which: "dict[str, object]", moment: "Moment", **query: object) -> "Flow[Document]":
    """Return the reply with the screen at a moment of a log, given the parameters that name the log."""
    recording = (yield Request("timeline", READ_S, **which, most=0)) if moment.is_relative else {}
    params = moment_params(moment, recording)
    reply: Document = yield Request("past_screen", READ_S, **which, **params, **query)
    return reply


def timeline(
    caller: Caller,
    target: "str | int | None" = None,
    *,
    from_seq: int = 0,
    cursor: int | None = None,
    most: int | None = None,
) -> "Flow[Document]":
    """Return a page of a pane's timeline, as a Timeline document.

    Args:
        target: As for ``logs``.
    """
    which = yield from find_log(caller, target)
    reply = yield Request("timeline", READ_S, **which, from_seq=from_seq, cursor=cursor, most=most)
    return timeline_document(reply)


def recording(
    caller: Caller, target: "str | int | None", start: "Moment | None", end: "Moment | None"
) -> "Flow[Document]":
    """Return what a replay needs besides the film: see ``read_recording``.

    Args:
        target: As for ``logs``.
    """
    which = yield from find_log(caller, target)
    return (yield from read_recording(which, start, end))


def read_recording(
    which: "dict[str, object]", start: "Moment | None", end: "Moment | None", *, without_output: bool = True
) -> "Flow[Document]":
    """Return the ``entries`` of a timeline, and the places of a part of it.

    ``first`` and ``last`` are the sequence numbers and times of two moments; by default, of the first screen that can
    be rebuilt, and of the end. ``which`` are the parameters that name the log.
    """
    entries: list[object] = []
    page: Document = {"next": 0}
    while page["next"] is not None:
        page = yield Request("timeline", READ_S, **which, cursor=page["next"], without_output=without_output)
        entries += page["entries"]
    if page["first_screen"] is None:
        raise NoSuchTargetError(
            f"the log {page['log']} cannot be replayed, because it has no times",
            remedy="`phux logs` prints it, and `phux snapshot --at SEQ` shows a screen of it",
        )
    first, last = page["first_screen"], [page["next_byte"], page["end_at"]]
    if start is not None:
        first = yield from _place(which, start, page)
    if end is not None:
        last = yield from _place(which, end, page)
    if first > last:
        raise BadRequestError("the start of the recording is after its end", remedy="exchange --from and --to")
    return {"which": which, "log": page["log"], "entries": entries, "first": first, "last": last}


def _place(which: "dict[str, object]", moment: "Moment", recording: "Document") -> "Flow[list[float]]":
    screen = yield from read_screen(which, moment)
    if screen["at"] is None:
        raise NoSuchTargetError(
            f"the time of {moment.text} is not known",
            remedy=f"use a sequence number from {recording['first_screen'][0]} to {recording['next_byte']}",
        )
    return [screen["seq"], min(screen["at"], recording["end_at"])]


def film(which: "dict[str, object]", start: "Place", end: "Place", *, frame_ms: int | None = None) -> "Flow[Document]":
    """Return the page of a film that starts at a place, given the parameters that name the log."""
    params = {"seq": start.seq, "at": start.at, "to_seq": end.seq, "to_at": end.at, "frame_ms": frame_ms}
    page: Document = yield Request("film", READ_S, **which, **params)
    return page


def moment_params(moment: "Moment", recording: "Document") -> "dict[str, object]":
    """Return the parameters that name a moment, given the reply of ``timeline``, which relative moments need."""
    if moment.kind == "seq":
        return {"seq": int(moment.value)}
    if moment.kind == "at":
        return {"moment": moment.value}
    start, end = recording["start_at"], recording["end_at"]
    if start is None:
        raise NoSuchTargetError("this log has no times", remedy="use a sequence number")
    return {"moment": start + moment.value if moment.kind == "after_start" else end - moment.value}


def past_screen_document(reply: "Document") -> "Document":
    """Return a ScreenState document from the reply."""
    document = screen_document(reply)
    document.setdefault("state", "running")  # before the first entry that reports it
    if reply["at"] is not None:
        document["at"] = timestamp(reply["at"])
    return document


def timeline_document(reply: "Document") -> "Document":
    """Return a Timeline document from the reply."""
    entries = []
    for at, seq, kind, fields in reply["entries"]:
        known = {name: value for name, value in fields.items() if name in _FIELDS and value is not None}
        entries.append({"at": timestamp(at), "seq": seq, "kind": kind, **known})
    return {
        "schema_version": 1,
        "log": reply["log"],
        "pane": reply["pane"],
        "first_byte": reply["first_byte"],
        "next_byte": reply["next_byte"],
        "started_at": None if reply["start_at"] is None else timestamp(reply["start_at"]),
        "ended_at": None if reply["end_at"] is None else timestamp(reply["end_at"]),
        "entries": entries,
        "next": reply["next"],
    }


_FIELDS = frozenset(
    ("text", "cols", "rows", "state", "command", "command_id", "exit_code", "title", "cwd", "exit_status", "signal")
)
