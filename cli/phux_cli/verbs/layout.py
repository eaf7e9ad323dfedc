"""layout: lay the panes of a window out in a known way.

even-horizontal puts them side by side, even-vertical one below the other, main-vertical the first at the left and the
others at its right, tiled in rows and columns.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_place
from phux_client import flows
from phux_core.layout import PRESETS

JSON = "a Place document"
EXAMPLES = (
    "phux split work && phux layout work even-vertical",
    "phux layout work:0 tiled --json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the window, or what is in it")
    parser.add_argument("layout", metavar="LAYOUT", choices=PRESETS, help=" | ".join(PRESETS))


def run(options: argparse.Namespace) -> int:
    with connection(options) as phux:
        place = phux.drive(flows.layout(phux.caller, options.target, options.layout))
    print_place(place, as_json=options.json)
    return 0
