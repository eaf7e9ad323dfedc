"""new-window: make a window with one pane in a session, and start a program in it, the shell unless COMMAND is given.

It starts where the session's active pane is, and gets the lowest free index, or the one that SESSION:INDEX names. The
focus stays where it is without --select. Returns when the program runs.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_place
from phux_cli.usage import add_params, add_program, parse_variables
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
    parser.add_argument("session", metavar="SESSION", help="the session, or a free index of it")
    add_params(parser, CALLS["new_window"].params, "-n --name NAME")
    add_program(parser, CALLS["new_window"].params)
    add_params(parser, CALLS["new_window"].params, "--select")


def run(options: argparse.Namespace) -> int:
    env = parse_variables(options.extra_env)
    with connection(options) as phux:
        place = phux.drive(
            flows.new_window(
                phux.caller,
                options.session,
                name=options.name,
                cwd=options.cwd,
                command=options.rest or None,
                env=env,
                select=options.select,
            )
        )
    print_place(place, as_json=options.json, created=True)
    return 0
