"""zoom: give a pane the whole of its window for a while, or end that; without --on or --off, the other than now.

The other panes keep their places and sizes.
"""

from phux_cli.connection import connection
from phux_cli.output import print_place
from phux_cli.usage import add_json, add_socket
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "TARGET [--on | --off] [--json] [--socket PATH]"
EXAMPLES = (
    "phux split work && phux zoom work:0.1",
    "phux zoom work --off --json",
)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", help="the pane")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--on", dest="on", action="store_const", const=True, help="give it the window")
    which.add_argument("--off", dest="on", action="store_const", const=False, help="end that")
    add_json(parser, "a Place document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Do it."""
    with connection(options) as phux:
        place = phux.drive(flows.zoom(phux.caller, options.target, options.on))
    print_place(place, as_json=options.json)
    return 0
