"""move: move a pane or a window.

A window moves to another session, or to a free index such as work:5. A pane moves next to another pane, or next to the
active pane of a window. If DEST is a session or a free index, the pane gets a window of its own there.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show_place
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
    parser.add_argument("dest", metavar="DEST", help="a pane, window or session, or SESSION:INDEX with a free index")
    add_side_and_size(parser)


def run(options: argparse.Namespace) -> int:
    place = drive(options, flows.move, options.target, options.dest, options.direction, size=options.size)
    return show_place(options, place)
