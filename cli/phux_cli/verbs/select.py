"""select: give what TARGET names the focus: a pane and its window, a window, or a session.

`.` and `=` obey it, and attached clients show it. Another pane that was zoomed in that window is so no longer.
"""

from phux_cli.connection import connection
from phux_cli.output import print_place
from phux_cli.usage import add_json, add_socket
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "TARGET [--json] [--socket PATH]"
EXAMPLES = (
    "phux select work:0",
    "phux select work:0.0 --json",
)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", help="a session, a window or a pane")
    add_json(parser, "a Place document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Do it."""
    with connection(options) as phux:
        place = phux.drive(flows.select(phux.caller, options.target))
    print_place(place, as_json=options.json)
    return 0
