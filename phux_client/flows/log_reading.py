"""``logs``, ``output``, ``search`` and ``commands``: the output of panes, and the command ledger."""

import time

from phux_client.flows._documents import timestamp
from phux_client.flows._kinds import Caller, NextEvent, Request
from phux_client.flows.target import DEFAULT_TARGET, find, pane_id
from phux_client.moments import time_of
from phux_core.errors import BadRequestError, DisconnectedError, NoServerError, NoSuchTargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_client.flows._types import Document, Flow

READ_S = 10.0
SEARCH_S = 60.0
# Events wake us, but a long burst of output has events only at its beginning and its end.
_BURST_S = 0.1
_LOOK_AGAIN_S = 5.0


class LogPlace:
    """The position in a log that is being followed.

    Attributes:
        which: The parameters that name the log: ``pane``, or ``log`` for a stored log.
        next_byte: The next position to read.
        ended: Whether the log is complete and was read to its end.
    """

    __slots__ = ("ended", "next_byte", "which")

    def __init__(self, which: "dict[str, object]", next_byte: int) -> None:
        self.which = which
        self.next_byte = next_byte
        self.ended = False

    @property
    def name(self) -> str:
        """The log as a target: ``@N``, or the id of a stored log."""
        return f"@{self.which['pane']}" if "pane" in self.which else str(self.which["log"])


def find_log(caller: Caller, target: "str | int | None") -> "Flow[dict[str, object]]":
    """Return the parameters that name a log, given its id, its pane, or the name of a session that is gone."""
    if isinstance(target, str) and "/" in target:
        return {"log": target}
    try:
        return {"pane": (yield from pane_id(target, caller))}
    except NoSuchTargetError:
        reply = yield Request("log_list", READ_S)
        for entry in reply["logs"]:
            if target in {None, DEFAULT_TARGET, entry["session"]}:
                return {"log": entry["log"]}
        raise


def logs(caller: Caller, target: "str | int | None" = None, **query: object) -> "Flow[Document]":
    """Read a log, given the parameters of the call ``logs``, and return a LogText document."""
    which = yield from find_log(caller, target)
    reply = yield Request("logs", READ_S, **which, **query)
    return text_document(reply)


def log_list() -> "Flow[Document]":
    """Return the stored logs, as a LogList document."""
    reply = yield Request("log_list", READ_S)
    return list_document(reply)


def output(
    caller: Caller, /, command_id: str | None, target: "str | int | None" = None, **query: object
) -> "Flow[Document]":
    """Read the output of the command with this id, or of a pane's latest command, as a LogText document."""
    if command_id is not None:
        reply = yield Request("output", READ_S, id=command_id, **query)
    else:
        number = yield from pane_id(target, caller)
        reply = yield Request("output", READ_S, pane=number, **query)
    return text_document(reply)


def search(caller: Caller, pattern: str, *, session: str | None = None, **query: object) -> "Flow[Document]":
    """Search the logs of all panes, of the panes of one session, or all stored logs; return a Matches document.

    Args:
        caller: The caller.
        pattern: A pattern of Python's ``re``.
        session: The session.
        query: Other parameters of the call ``search``; ``since`` and ``until`` as for ``selection``.
    """
    number = None
    if session is not None:
        found = yield from find(session, caller)
        if found.scope != "session":
            raise BadRequestError(f"{session!r:.80} is not a session", remedy="name a session; `phux ls` lists them")
        number = found.node["id"]
    reply = yield Request("search", SEARCH_S, pattern=pattern, session=number, **selection(query))
    return matches_document(reply)


def matches_document(reply: "Document") -> "Document":
    """Return a Matches document from the server's reply."""
    matches = []
    for match in reply["matches"]:
        known = match | {"at": _timestamp(match.get("at"))}
        matches.append({name: value for name, value in known.items() if value is not None})
    return {"schema_version": 1, **reply, "matches": matches}


def selection(query: "Mapping[str, object]") -> "dict[str, object]":
    """Return parameters of the calls ``commands`` and ``search``, given ``since`` and ``until`` as times.

    A time is a datetime, a number of seconds since 1970, or a text that ``moments.parse_time`` reads.
    """
    given = {name: value for name, value in query.items() if value is not False}  # older servers know fewer flags
    for name in ("since", "until"):
        if given.get(name) is not None:
            given[name] = time_of(given[name])
    return given


def commands(caller: Caller, target: "str | int | None" = None, **query: object) -> "Flow[Document]":
    """Read the command ledger of a pane, of a stored log, or of the whole server, as a CommandList document.

    Args:
        caller: The caller.
        target: The pane or log; all panes if it is None.
        query: Other parameters of the call ``commands``; ``since`` and ``until`` as for ``selection``.
    """
    which = {} if target is None else (yield from find_log(caller, target))
    reply = yield Request("commands", READ_S, **which, **selection(query))
    return commands_document(reply)


def follow(
    caller: Caller, target: "str | int | None", *, from_byte: int | None = None, mode: str | None = None
) -> "Flow[LogPlace]":
    """Start following a log, by default at the start of the line being written, or in ``raw`` mode at the log's end."""
    which = yield from find_log(caller, target)
    if from_byte is None:
        reply = yield Request("logs", READ_S, **which, lines=0, whole_lines=mode != "raw")
        from_byte = reply["next_byte"]
    return LogPlace(which, from_byte)


def next_logs(
    place: LogPlace, *, mode: str | None = None, max_bytes: int | None = None, timeout_s: float | None = None
) -> "Flow[Document | None]":
    """Wait for the next piece of a followed log: whole lines, except in ``raw`` mode.

    Args:
        place: The current position, which is advanced.

    Returns:
        A flow that returns a LogText document; None when the timeout expired, or at the end (see ``place.ended``).

    Raises:
        NoServerError: The server was killed, or ended before it reported the end of the program.
    """
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    subscription = None
    patience = _BURST_S
    over = "pane" not in place.which
    while not place.ended:
        try:
            if subscription is None and not over:
                try:
                    subscription = (yield Request("subscribe", **place.which))["subscription"]
                except NoSuchTargetError:
                    over = True
            reply = yield Request(
                "logs",
                READ_S,
                **place.which,
                from_byte=place.next_byte,
                mode=mode,
                max_bytes=max_bytes,
                whole_lines=mode != "raw" and not over,
            )
        except DisconnectedError:
            subscription = None
            continue
        except NoServerError:
            if over:
                place.ended = True
                return None
            raise NoServerError(
                f"the server was killed while the program ran, and the log was read up to byte {place.next_byte}",
                remedy=f"read the rest with `phux logs {place.name} --from-byte {place.next_byte}`",
            ) from None
        if reply["next_byte"] > reply["first_byte"] or reply["dropped"]:
            place.next_byte = reply["next_byte"]
            return text_document(reply)
        if over:
            place.ended = True
            return None
        left = patience if deadline is None else min(patience, deadline - time.monotonic())
        if left <= 0:
            return None
        patience = min(_LOOK_AGAIN_S, 2 * patience)
        try:
            event = yield NextEvent(subscription or 0, left)
        except DisconnectedError:
            subscription = None
            continue
        over = event is not None and event["event"] == "pane_closed"
    return None


def text_document(reply: "Document") -> "Document":
    """Return a LogText document from the server's reply."""
    document = {"schema_version": 1, **reply}
    if "command" in reply:
        document["command"] = command_document(reply["command"])
    return document


def list_document(reply: "Document") -> "Document":
    """Return a LogList document from the server's reply."""
    entries = [
        {**entry, "started_at": _timestamp(entry["started_at"]), "ended_at": _timestamp(entry["ended_at"])}
        for entry in reply["logs"]
    ]
    return {"schema_version": 1, "logs": entries}


def commands_document(reply: "Document") -> "Document":
    """Return a CommandList document from the server's reply."""
    return {"schema_version": 1, "commands": [command_document(entry) for entry in reply["commands"]]}


def command_document(entry: "Document") -> "Document":
    """Return a CommandInfo document from the server's reply."""
    names = ("id", "pane", "command", "cwd", "by", "client", "state")
    return {
        "schema_version": 1,
        "command_id": entry["id"],
        **{name: entry[name] for name in names},
        "started_at": timestamp(entry["started_at"]),
        "ended_at": _timestamp(entry["ended_at"]),
        **{name: entry[name] for name in ("exit_code", "start", "end")},
    }


def _timestamp(moment: float | None) -> str | None:
    return None if moment is None else timestamp(moment)
