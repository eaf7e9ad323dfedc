"""rename: rename a session, or a window such as work:0.

Session names are unique; window names need not be.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show_place
from phux_cli.usage import add_param
from phux_client import flows
from phux_core.calls import CALLS

JSON = "a Place document"
EXAMPLES = ("phux rename work play", 'phux rename work:0 "my editor" --json')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="a session or a window")
    add_param(parser, CALLS["rename"].params["name"], "NEW")


def run(options: argparse.Namespace) -> int:
    return show_place(options, drive(options, flows.rename, options.target, options.name))
