"""history-limit: change how many rows of history a pane keeps, at once.

Exits 0, 1 when there is no such pane, 2 when the number is out of range.
"""

from phux_cli.connection import connection
from phux_cli.usage import add_socket, at_least
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "TARGET N [--socket PATH]"
INTERMIXED = True
EXAMPLES = ("phux history-limit work 50000",)
_MOST_ROWS = 1_000_000


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", help="which pane")
    parser.add_argument("rows", metavar="N", type=at_least(0, most=_MOST_ROWS), help="rows, from 0 to 1000000")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Change it."""
    with connection(options) as phux:
        phux.drive(flows.history_limit(phux.caller, options.target, options.rows))
    return 0
