"""swap: exchange the places of two panes or two windows, even across sessions."""

import argparse

from phux_cli.connection import drive
from phux_cli.output import describe_place, show
from phux_client import flows

JSON = "a Swapped document"
EXAMPLES = ("phux split work && phux swap work:0.0 work:0.1", "phux new-window work && phux swap work:0 work:1 --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("one", metavar="A", help="a pane or a window")
    parser.add_argument("other", metavar="B", help="another pane or window, of the same kind as A")


def run(options: argparse.Namespace) -> int:
    document = drive(options, flows.swap, options.one, options.other)
    return show(options, document, *map(describe_place, document["places"]))
