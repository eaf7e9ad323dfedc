"""commands: list the commands that ran in a pane, or in all panes, oldest first.

Prints the id, start time, state and exit code of each command, its origin (run, start or typed), the client that sent
it, and the command line. TARGET may also be a closed pane @N or a log of an earlier server. Works without a server.

Exit status: 0, or 1 if there is no such pane or log.
"""

import argparse

from phux_cli.connection import drive_or_read
from phux_cli.output import as_json, show
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

JSON = "a CommandList document"
EXAMPLES = ("phux commands", "phux run work true && phux commands work --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane or log; all panes when omitted")


def run(options: argparse.Namespace) -> int:
    document = drive_or_read(options, flows.commands, options.target)
    return show(options, document, *map(describe, document["commands"]))


def describe(command: "Document") -> str:
    """Return one line about a command, for people."""
    code = "" if command["exit_code"] is None else f" {command['exit_code']}"
    line = as_json(command["command"])
    who = f"{command['by']}\t{command['client'] or '-'}"
    return f"{command['command_id']}\t{command['started_at']}\t{command['state']}{code}\t{who}\t{line}"
