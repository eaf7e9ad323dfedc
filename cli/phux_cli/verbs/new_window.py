"""new-window: make a window with one pane in a session, and start a program in it, the shell unless COMMAND is given.

It starts where the session's active pane is, and gets the lowest free index, or the one that SESSION:INDEX names. The
focus stays where it is without --select. Returns when the program runs.
"""

from phux_cli.connection import connection
from phux_cli.output import print_place
from phux_cli.usage import add_json, add_program, add_socket, parse_variables
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "[-n NAME] [-c CWD] [-e K=V]... [--select] [--json] [--socket PATH] SESSION [-- COMMAND...]"
EXAMPLES = (
    "phux new-window work",
    "phux new-window -n logs -c /var/log --json work -- tail -f /dev/null",
    "phux new-window --select work:7",
)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("session", metavar="SESSION", help="the session, or a free index of it")
    parser.add_argument("-n", "--name", metavar="NAME", help="its name; the program's when omitted")
    add_program(parser, "the session's active pane")
    add_json(parser, "a Place document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Make it."""
    env = parse_variables(options.env)
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
