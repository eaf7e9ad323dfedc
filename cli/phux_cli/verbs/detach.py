"""detach: detach every client from a session, or with --all from all sessions.

Each client restores its terminal and prints a message; the programs keep running. SESSION is by default the session of
the pane in which this command runs, or else the last focused one.

Exit status: 0, even if no client was attached; 1 if there is no such session.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show
from phux_cli.usage import UsageError
from phux_client import flows

JSON = "a Detached document"
EXAMPLES = ("phux detach work", "phux detach --all --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", nargs="?", help="the session, or a window or pane in it")
    parser.add_argument("--all", action="store_true", help="detach from all sessions")


def run(options: argparse.Namespace) -> int:
    if options.all and options.session is not None:
        raise UsageError("specify either SESSION or --all", remedy="`phux ls` lists the sessions")
    document = drive(options, flows.detach, options.session, everywhere=options.all)
    count = document["detached"]
    return show(options, document, f"detached {count} client{'' if count == 1 else 's'}")
