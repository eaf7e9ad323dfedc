"""kill: end the programs of sessions, windows or panes and remove them; with --server, end everything.

Programs get SIGHUP, and SIGKILL half a second later. Returns when they have ended. If a TARGET does not exist, nothing
is ended.

--server also ends a server whose service does not answer.

Exit status: 0, 1 if there is no such target, 2 if the server refuses.
"""

import argparse

from phux_cli.connection import CLIENT, drive
from phux_cli.output import show
from phux_cli.usage import UsageError
from phux_client import flows
from phux_client.blocking import Phux
from phux_client.ending import ANSWER_S
from phux_core import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

USAGE = "(TARGET... | --server) [--json] [--socket PATH] [--host DEST]"
JSON = "a Killed document"
EXAMPLES = ("phux kill work", "phux new -d -s other && phux kill work other", "phux kill --server")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("targets", metavar="TARGET", nargs="*", help="a session, window or pane")
    parser.add_argument("--server", action="store_true", help="end every program and the server")


def run(options: argparse.Namespace) -> int:
    if options.server == bool(options.targets):
        raise UsageError("specify either TARGET or --server", remedy="`phux ls` lists the sessions")
    if options.server:
        with Phux(options.socket, client=CLIENT) as phux:
            return _kill_server(options, phux)
    return _show(options, drive(options, flows.kill, *options.targets))


def _kill_server(options: argparse.Namespace, phux: Phux) -> int:
    document: Document = {"schema_version": 1}
    try:
        status = phux.drive(flows.status(ANSWER_S))
        document |= {"killed": status["panes"]} | {name: status[name] for name in status if name == "problem"}
    except errors.NoServerError:
        raise
    except errors.TransportError:  # its keeper ends it
        document |= {"killed": 0, "problem": "the service did not answer"}
    phux.kill_server()
    if "problem" in document:
        return show(options, document, "ended the server and all its panes; its service did not answer")
    return _show(options, document)


def _show(options: argparse.Namespace, document: "Document") -> int:
    return show(options, document, f"ended {document['killed']} pane{'' if document['killed'] == 1 else 's'}")
