"""swap: let two panes or two windows change places, also across sessions."""

from phux_cli.connection import connection
from phux_cli.output import describe_place, print_document
from phux_cli.usage import add_json, add_socket
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "A B [--json] [--socket PATH]"
INTERMIXED = True
EXAMPLES = ("phux split work && phux swap work:0.0 work:0.1", "phux new-window work && phux swap work:0 work:1 --json")


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("one", metavar="A", help="a pane or a window")
    parser.add_argument("other", metavar="B", help="another of the same kind")
    add_json(parser, "a Swapped document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Do it."""
    with connection(options) as phux:
        swapped = phux.drive(flows.swap(phux.caller, options.one, options.other))
    if options.json:
        print_document(swapped)
    else:
        for place in swapped["places"]:
            print(describe_place(place))
    return 0
