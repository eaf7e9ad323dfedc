"""history-limit: set the number of rows of scrollback that a pane keeps. Takes effect at once.

Exit status: 0, 1 if there is no such pane, 2 if the number is out of range.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.usage import add_param
from phux_client import flows
from phux_core.calls import CALLS

EXAMPLES = ("phux history-limit work 50000",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    add_param(parser, CALLS["history_limit"].params["rows"], "N")


def run(options: argparse.Namespace) -> int:
    drive(options, flows.history_limit, options.target, options.rows)
    return 0
