"""zoom: show a pane in the whole window, or restore the layout; without --on or --off, toggle.

The other panes keep their places and sizes.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show_place
from phux_client import flows

JSON = "a Place document"
EXAMPLES = ("phux split work && phux zoom work:0.1", "phux zoom work --off --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--on", dest="on", action="store_const", const=True, help="zoom the pane")
    which.add_argument("--off", dest="on", action="store_const", const=False, help="restore the layout")


def run(options: argparse.Namespace) -> int:
    return show_place(options, drive(options, flows.zoom, options.target, options.on))
