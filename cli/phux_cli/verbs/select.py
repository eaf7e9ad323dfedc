"""select: give what TARGET names the focus: a pane and its window, a window, or a session.

`.` and `=` obey it, and attached clients show it. Another pane that was zoomed in that window is so no longer.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_place
from phux_client import flows

JSON = "a Place document"
EXAMPLES = (
    "phux select work:0",
    "phux select work:0.0 --json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="a session, a window or a pane")


def run(options: argparse.Namespace) -> int:
    with connection(options) as phux:
        place = phux.drive(flows.select(phux.caller, options.target))
    print_place(place, as_json=options.json)
    return 0
