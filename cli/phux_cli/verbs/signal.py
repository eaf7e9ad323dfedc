"""signal: send a signal to the processes that have a pane's terminal, and tell which they are.

INT, QUIT and TSTP go as the keys that the terminal turns into them, while it does; all others directly. The shell
itself is hit only with --shell. Exits 0, 1 when nothing is there, 2 when it is refused.
"""

from phux_cli.connection import connection
from phux_cli.output import print_document
from phux_cli.usage import add_json, add_socket
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "TARGET [INT|TERM|HUP|KILL|QUIT|TSTP|CONT|USR1|USR2] [--shell] [--json] [--socket PATH]"
INTERMIXED = True
EXAMPLES = ("phux start work 'sleep 100' && phux signal work TERM --json",)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", help="which pane")
    parser.add_argument("signal", metavar="SIGNAL", nargs="?", default="INT", help="which signal, INT when omitted")
    parser.add_argument("--shell", action="store_true", help="the shell itself may be hit")
    add_json(parser, "a Signalled document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Send it."""
    with connection(options) as phux:
        document = phux.drive(flows.signal(phux.caller, options.target, options.signal, shell=options.shell))
    if options.json:
        print_document(document)
    else:
        print(f"sent {document['signal']} to {document['command']} (process group {document['pgid']})")
    return 0
