"""split: split a pane in two and start a shell in the new pane, or COMMAND if given.

The program starts in the working directory of TARGET. The new pane gets half of the space, or --size columns, rows or
percent. A pane that is too small is not split. The new pane gets the focus only with --select. Returns as soon as the
program is running.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show_place
from phux_cli.usage import add_params, add_program, program
from phux_client import flows
from phux_core.calls import CALLS

REST = "COMMAND..."
JSON = "a Place document"
EXAMPLES = (
    "phux split work",
    "phux split --down --size 30% --json work -- top",
    "phux split --right --size 20 --select work:0.0",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane to split")
    add_side_and_size(parser)
    add_program(parser, CALLS["split"].params)
    add_params(parser, CALLS["split"].params, "--select")


def add_side_and_size(parser: argparse.ArgumentParser) -> None:
    """Add the flags for the side and size of a pane next to another."""
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--right",
        dest="direction",
        action="store_const",
        const="right",
        help="place the pane on the right; the default",
    )
    where.add_argument("--down", dest="direction", action="store_const", const="down", help="place the pane below")
    parser.set_defaults(direction="right")
    parser.add_argument("--size", metavar="N|N%", help="columns, rows or percent for the pane; half when omitted")


def run(options: argparse.Namespace) -> int:
    more = program(options) | {"size": options.size, "select": options.select}
    return show_place(options, drive(options, flows.split, options.target, options.direction, **more), created=True)
