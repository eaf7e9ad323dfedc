"""ls: list the sessions by name. Starts no server: with none running it says so and exits 1."""

from phux_cli.output import print_document
from phux_cli.usage import add_json, add_socket
from phux_client import flows
from phux_client.blocking import Phux

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "[--json] [--socket PATH]"
EXAMPLES = ("phux ls", "phux ls --json")


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    add_json(parser, "a SessionList document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """List them."""
    with Phux(options.socket) as phux:
        document = phux.drive(flows.ls())
    if options.json:
        print_document(document)
        return 0
    for session in document["sessions"]:
        windows = f"{session['windows']} window{'' if session['windows'] == 1 else 's'}"
        print(f"{session['name']}: {windows}{' (attached)' if session['attached'] else ''}")
    return 0
