"""logs: print the output of a pane, by default the last 500 lines, as a terminal shows them.

TARGET may also be a closed pane @N, of this server or else of the newest earlier server that had it, or the id of a log
(see --list). --grep searches the whole log. Works without a server.

Exit status: 0, 1 if there is no such log or --follow lost the server, 2 if a flag is invalid.
"""

import argparse

from phux_cli.connection import connection, drive_or_read
from phux_cli.output import as_json, print_document, print_on_stderr, show, stream, stream_raw
from phux_cli.usage import UsageError, add_budget, add_params, budget
from phux_client import flows
from phux_core.calls import CALLS
from phux_core.errors import NoServerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.blocking.driver import Driver
    from phux_client.flows._types import Document

JSON = "a LogText document (with --follow, one per line; with --list, a LogList document)"
EXAMPLES = (
    "phux logs work --lines 20",
    "phux logs work --grep error --context 2 --json",
    "phux logs @1 --from-byte 0 --max-bytes 4096 --raw",
    "phux logs --list",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane or log")
    parser.add_argument("--list", action="store_true", help="list all stored logs")
    add_params(parser, CALLS["logs"].params, "--lines N", "--from-byte N", "--since SEQ")
    add_budget(parser, CALLS["logs"].params)
    parser.add_argument("-f", "--follow", action="store_true", help="keep printing new output until the program ends")


def run(options: argparse.Namespace) -> int:
    if options.list and options.target is not None:
        raise UsageError("specify either TARGET or --list", remedy="`phux logs --list` lists all logs")
    if options.from_byte is not None and (options.lines is not None or options.since is not None):
        raise UsageError("--from-byte cannot be combined with --lines or --since", remedy="give only one of them")
    if options.follow and (options.grep is not None or options.head is not None or options.tail is not None):
        raise UsageError(
            "--follow cannot be combined with --grep, --head or --tail",
            remedy="pipe the output through grep, head or tail",
        )
    if options.list:
        return _list(options)
    if options.follow:
        with connection(options) as phux:
            try:
                place = _start(options, phux)
            except NoServerError:
                pass  # print the stored log
            else:
                return _follow(options, place, phux)
    query = {"lines": options.lines, "from_byte": options.from_byte, "since": options.since, **budget(options)}
    document = drive_or_read(options, flows.logs, options.target, **query)
    if options.json:
        print_document(document)
    else:
        print_text(document, raw=options.raw, exact=options.from_byte is not None)
    return 0


def print_text(document: "Document", *, raw: bool, exact: bool = False) -> None:
    """Print a text; in raw mode, print the original bytes."""
    content = document["content"]
    if raw:
        stream_raw(content if exact or not content else content + "\n")
    elif content:
        stream(content.removesuffix("\n").replace("\r", "\n") + "\n")  # stripped text has each state of a progress bar


def _list(options: argparse.Namespace) -> int:
    document = drive_or_read(options, lambda _caller: flows.log_list())
    return show(options, document, *map(describe, document["logs"]))


def describe(log: "Document") -> str:
    """Return one line about a log, for people."""
    status = log["exit_status"]
    how = "running" if log["live"] else "ended" if status is None else f"exited with {status}"
    holes = f", {len(log['holes'])} holes" if log["holes"] else ""
    what = f"{as_json(log['session'])}\t{log['command']}"
    return f"{log['log']}\t@{log['pane']}\t{what}\t{log['bytes']} bytes{holes}\t{how}"


def _start(options: argparse.Namespace, phux: "Driver") -> "flows.LogPlace":
    """Print the log up to now, and return the position to follow it from."""
    from_byte = options.from_byte
    if from_byte is None:
        mode = budget(options)["mode"]
        query = {"lines": options.lines, "since": options.since, "mode": mode, "whole_lines": not options.raw}
        before = phux.drive(flows.logs(phux.caller, options.target, **query))
        _print_part(before | {"holes": []}, options)  # the text itself mentions its holes
        from_byte = before["next_byte"]
    return phux.drive(flows.follow(phux.caller, options.target, from_byte=from_byte))


def _follow(options: argparse.Namespace, place: "flows.LogPlace", phux: "Driver") -> int:
    mode = budget(options)["mode"]
    while not place.ended:
        document = phux.drive(flows.next_logs(place, mode=mode, max_bytes=options.max_bytes))
        if document is not None:
            _print_part(document, options)
    return 0


def _print_part(document: "Document", options: argparse.Namespace) -> None:
    if options.json:
        stream(as_json(document) + "\n")
        return
    missing = [f"bytes {hole['start']} to {hole['end']} were not logged" for hole in document["holes"]]
    if document["dropped"]:
        missing.insert(0, f"{document['dropped']} bytes were dropped before they were read")
    for gap in missing:
        if options.raw:  # stdout must contain exactly the program's bytes
            print_on_stderr(f"[phux: {gap}]")
        else:
            stream(f"[phux: {gap}]\n")
    print_text(document, raw=options.raw, exact=True)
