"""stop: end what runs in a pane's shell: INT, then TERM, then KILL, until the prompt is back.

Exits 0, also when nothing ran; 1 when it does not end.
"""

from phux_cli.connection import connection
from phux_cli.output import print_document
from phux_cli.usage import UsageError, add_json, add_socket, seconds
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "TARGET [--grace SECS] [--json] [--socket PATH]"
EXAMPLES = ("phux start work 'sleep 100' && phux stop work --json",)
_MOST_GRACE = 60


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", help="which pane")
    parser.add_argument(
        "--grace",
        metavar="SECS",
        type=seconds,
        help="wait so long after each signal; 2 when omitted",
    )
    add_json(parser, "a Stopped document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Stop it."""
    if options.grace is not None and options.grace > _MOST_GRACE:
        raise UsageError(f"--grace {options.grace:g} is too long", remedy=f"give at most {_MOST_GRACE} seconds")
    with connection(options) as phux:
        document = phux.drive(flows.stop(phux.caller, options.target, grace_s=options.grace))
    if options.json:
        print_document(document)
    elif document["stopped"]:
        print(f"stopped {document['command']} with {document['signals'][-1]}")
    else:
        print("nothing ran")
    return 0
