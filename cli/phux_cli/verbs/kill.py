"""kill: end the programs of a session, a window or a pane and remove it; with --server, end everything.

Programs get SIGHUP, and SIGKILL half a second later. Returns when they have ended.

Exit status: 0, 1 if there is no such target, 2 if the server refuses.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import show
from phux_cli.usage import UsageError
from phux_client import flows

USAGE = "(TARGET | --server) [--json] [--socket PATH]"
JSON = "a Killed document"
EXAMPLES = ("phux kill work", "phux kill --server")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the session, window or pane")
    parser.add_argument("--server", action="store_true", help="end every program and the server")


def run(options: argparse.Namespace) -> int:
    if options.server == (options.target is not None):
        raise UsageError("specify either TARGET or --server", remedy="`phux ls` lists the sessions")
    with connection(options) as phux:
        if options.server:
            count = phux.drive(flows.status())["panes"]
            phux.kill_server()
            document = {"schema_version": 1, "killed": count}
        else:
            document = phux.drive(flows.kill(phux.caller, options.target))
    return show(options, document, f"ended {document['killed']} pane{'' if document['killed'] == 1 else 's'}")
