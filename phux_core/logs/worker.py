"""``python -P -m phux_core.logs.worker``: reads, renders and searches logs for its parent process.

Requests and replies are lines of JSON, on stdin and stdout; output that no file has follows its request as bytes. The
worker handles one request at a time, writes no files and can be killed at any moment. A pattern that takes too long to
match ends the process (see ``phux_core.patterns``).
"""

from __future__ import annotations

import json
import signal
import sys
import traceback
from typing import TYPE_CHECKING, Any

from phux_core.errors import InternalError, NoSuchTargetError, PhuxError
from phux_core.logs import listing, places
from phux_core.logs.ledger import CommandId, range_of
from phux_core.logs.past import PastScreens, timeline_page
from phux_core.logs.reading import Query, read, read_log
from phux_core.logs.searching import search
from phux_core.logs.selecting import Selection, select_commands
from phux_core.logs.stored import Held

if TYPE_CHECKING:
    from typing import BinaryIO

_screens = PastScreens()


def answer(request: dict[str, Any], data: bytes = b"") -> dict[str, Any]:
    """Execute a request and return its result; ``data`` is output that no file has."""
    root, server = request["root"], request.get("server")
    if request["do"] == "list":
        return {"logs": listing.list_logs(root, server, request["live"])}
    unwritten = None
    if "offset" in request:
        unwritten = request["offset"], data
        if request.get("log") is None and request["do"] == "read":  # the pane has no log
            return {"log": None, "pane": request["pane"], **read(Held(*unwritten), Query(**request["query"]))}
    if request["do"] == "search":
        selection = Selection(**request.get("selection", {}))
        named, skipped = request["logs"], request.get("skipped", ())
        logs = places.logs(root) if named is None else filter(None, map(places.LogId.parse, named))
        chosen = [log for log in logs if str(log) not in skipped]
        return search(
            root,
            chosen,
            request["pattern"],
            selection=selection,
            context=request["context"],
            most=request["most"],
            unwritten=unwritten,
        )
    if request["do"] == "select_commands":
        return _select(root, server, request)
    if "id" in request:
        return _of_command(root, server, request)
    log = _find(root, server, request.get("pane"), request.get("log"))
    if request["do"] == "screen":
        return _screens.read(root, log, unwritten=unwritten, **request["query"])
    if request["do"] == "film":
        return _screens.film(root, log, unwritten=unwritten, **request["query"])
    if request["do"] == "timeline":
        return timeline_page(root, log, unwritten=unwritten, **request["query"])
    return _read(root, log, request["query"], unwritten)


def _select(root: str, server: str | None, request: dict[str, Any]) -> dict[str, Any]:
    """Select from the commands of live panes (``entries``), a stored log, the newest server, or all logs."""
    entries = request.get("entries", ())
    if request.get("pane") is not None or request.get("log") is not None:
        entries = listing.stored_commands(root, _find(root, server, request.get("pane"), request.get("log")))
    elif request.get("newest"):
        entries = listing.newest_commands(root)
    found = select_commands(
        root,
        Selection(**request["selection"]),
        entries=entries,
        stored=request["stored"],
        skipped=request.get("skipped", ()),
        most=request["most"],
    )
    return {"commands": found}


def _of_command(root: str, server: str | None, request: dict[str, Any]) -> dict[str, Any]:
    which = CommandId.parse(request["id"])
    log = _find(root, server, which.pane, which.log)
    entry = listing.stored_command(root, log, which.number)
    if request["do"] == "commands":
        return {"commands": [entry]}
    return _read(root, log, request["query"] | range_of(entry)) | {"command": entry}


def _read(
    root: str, log: places.LogId, query: dict[str, Any], unwritten: tuple[int, bytes] | None = None
) -> dict[str, Any]:
    if "sizes" not in query:
        query = query | {"sizes": listing.stored_sizes(root, log)}
    return read_log(root, log, Query(**query), unwritten)


def _find(root: str, server: str | None, pane: int | None, name: str | None) -> places.LogId:
    log = places.find_log(root, pane, server) if name is None and pane is not None else places.LogId.parse(name or "")
    if log is None:
        problem = f"there is no pane @{pane}, and no log of it" if name is None else f"there is no log {name!r:.80}"
        raise NoSuchTargetError(problem, remedy="`phux logs --list` lists the logs")
    return log


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Reply to requests until the stream ends."""
    for line in requests:
        try:
            request = json.loads(line)
            reply: dict[str, Any] = {"ok": answer(request, requests.read(request.get("data_size", 0)))}
        except Exception as error:  # noqa: BLE001  a bug ends this request, not the worker
            if not isinstance(error, PhuxError):
                traceback.print_exc()
                error = InternalError(f"reading the log failed: {error!r:.200}")
            reply = {"error": {"code": error.code, "message": error.message, "remedy": error.remedy}}
        answers.write(json.dumps(reply).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the service may die during a read
    serve(sys.stdin.buffer, sys.stdout.buffer)
