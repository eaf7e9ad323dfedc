"""stop: end the program running in a pane's shell with INT, then TERM, then KILL, until the prompt is back.

Exit status: 0, even if nothing was running; 1 if the program does not end.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_document
from phux_cli.usage import UsageError, seconds
from phux_client import flows

JSON = "a Stopped document"
EXAMPLES = ("phux start work 'sleep 100' && phux stop work --json",)
_MOST_GRACE = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    parser.add_argument(
        "--grace", metavar="SECS", type=seconds, help="seconds to wait after each signal; 2 when omitted"
    )


def run(options: argparse.Namespace) -> int:
    if options.grace is not None and options.grace > _MOST_GRACE:
        raise UsageError(f"--grace {options.grace:g} is too long", remedy=f"give at most {_MOST_GRACE} seconds")
    with connection(options) as phux:
        document = phux.drive(flows.stop(phux.caller, options.target, grace_s=options.grace))
    if options.json:
        print_document(document)
    elif document["stopped"]:
        print(f"stopped {document['command']} with {document['signals'][-1]}")
    else:
        print("nothing was running")
    return 0
