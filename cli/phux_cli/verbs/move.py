"""move: put a pane or a window somewhere else.

A window goes into another session, or to an index that is free (work:5). A pane goes beside another pane or beside the
active one of a window; into a session, or to a free index of one, it goes as a window of its own.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_place
from phux_cli.verbs.split import add_side_and_size
from phux_client import flows

JSON = "a Place document"
EXAMPLES = (
    "phux move work:0 work:5",
    "phux split work && phux move @2 work --json",
    "phux split work && phux move @1 @2 --down --size 30%",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane or window")
    parser.add_argument("dest", metavar="DEST", help="a pane, a window, a session, or a free index of one")
    add_side_and_size(parser)


def run(options: argparse.Namespace) -> int:
    with connection(options) as phux:
        place = phux.drive(
            flows.move(phux.caller, options.target, options.dest, options.direction or "right", size=options.size)
        )
    print_place(place, as_json=options.json)
    return 0
