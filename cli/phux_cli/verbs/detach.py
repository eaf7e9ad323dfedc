"""detach: end the attachments of every client on a session, or with --all on every session.

Their terminals are given back, and say so; the programs go on. Without SESSION it is the one this runs in, or else the
one that was focused last. Exits 0, also when nobody was attached; 1 when there is no such session.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_document
from phux_cli.usage import UsageError
from phux_client import flows

JSON = "a Detached document"
EXAMPLES = ("phux detach work", "phux detach --all --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", nargs="?", help="the session, or what is in it")
    parser.add_argument("--all", action="store_true", help="every session")


def run(options: argparse.Namespace) -> int:
    if options.all and options.session is not None:
        raise UsageError("name either a SESSION or --all", remedy="`phux ls` lists the sessions")
    with connection(options) as phux:
        document = phux.drive(flows.detach(phux.caller, options.session, everywhere=options.all))
    if options.json:
        print_document(document)
    else:
        count = document["detached"]
        print(f"detached {count} client{'' if count == 1 else 's'}")
    return 0
