"""swap: exchange the places of two panes or two windows, even across sessions."""

import argparse

from phux_cli.connection import connection
from phux_cli.output import describe_place, print_document
from phux_client import flows

JSON = "a Swapped document"
EXAMPLES = ("phux split work && phux swap work:0.0 work:0.1", "phux new-window work && phux swap work:0 work:1 --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("one", metavar="A", help="a pane or a window")
    parser.add_argument("other", metavar="B", help="another pane or window, of the same kind as A")


def run(options: argparse.Namespace) -> int:
    with connection(options) as phux:
        swapped = phux.drive(flows.swap(phux.caller, options.one, options.other))
    if options.json:
        print_document(swapped)
    else:
        for place in swapped["places"]:
            print(describe_place(place))
    return 0
