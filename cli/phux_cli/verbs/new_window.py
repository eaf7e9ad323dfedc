"""new-window: create a window with one pane in a session and start a shell in it, or COMMAND if given.

The program starts in the working directory of the session's active pane. The window gets the lowest free index, or
INDEX if the argument is SESSION:INDEX. It gets the focus only with --select. Returns as soon as the program is running.
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
    "phux new-window work",
    "phux new-window -n logs -c /var/log --json work -- tail -f /dev/null",
    "phux new-window --select work:7",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", help="the session, or SESSION:INDEX with a free index")
    add_params(parser, CALLS["new_window"].params, "-n --name NAME")
    add_program(parser, CALLS["new_window"].params)
    add_params(parser, CALLS["new_window"].params, "--select")


def run(options: argparse.Namespace) -> int:
    more = program(options) | {"name": options.name, "select": options.select}
    return show_place(options, drive(options, flows.new_window, options.session, **more), created=True)
