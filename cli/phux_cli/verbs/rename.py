"""rename: give what TARGET names another name: a session, or a window such as work:0.

A session's name is its own; windows may share one.
"""

from phux_cli.connection import connection
from phux_cli.output import print_place
from phux_cli.usage import add_json, add_socket
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "TARGET NEW [--json] [--socket PATH]"
INTERMIXED = True
EXAMPLES = (
    "phux rename work play",
    'phux rename work:0 "my editor" --json',
)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", help="a session or a window")
    parser.add_argument("name", metavar="NEW", help="its name from now on")
    add_json(parser, "a Place document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Do it."""
    with connection(options) as phux:
        place = phux.drive(flows.rename(phux.caller, options.target, options.name))
    print_place(place, as_json=options.json)
    return 0
