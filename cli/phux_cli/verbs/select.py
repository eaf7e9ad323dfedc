"""select: give the focus to a session, a window, or a pane and its window.

Attached clients show the focused pane, and the targets `.` and `=` follow the focus. If another pane of the window is
zoomed, it is unzoomed.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show_place
from phux_client import flows

JSON = "a Place document"
EXAMPLES = ("phux select work:0", "phux select work:0.0 --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="a session, window or pane")


def run(options: argparse.Namespace) -> int:
    return show_place(options, drive(options, flows.select, options.target))
