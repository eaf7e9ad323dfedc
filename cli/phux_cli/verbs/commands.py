"""commands: list the commands that ran in a pane, or in all panes, oldest first.

Prints the id, start time, state and exit code of each command, its origin (run, start or typed), the client that sent
it, and the command line. TARGET may also be a closed pane @N or a log of an earlier server. Works without a server.
With --all, lists the newest 10000 commands of all panes, also of closed ones and earlier servers.

Exit status: 0, or 1 if there is no such pane or log.
"""

import argparse

from phux_cli.connection import drive_or_read
from phux_cli.output import as_json, show
from phux_cli.usage import add_param, add_params, add_selection, join_moments, selection
from phux_client import flows
from phux_core.calls import CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

JSON = "a CommandList document"
EXAMPLES = (
    "phux commands",
    "phux run work true && phux commands work --json",
    "phux commands --all --failed --since yesterday --until today --grep make",
)

_COLORS = "\\t(?:(?P<good>finished 0)|(?P<bad>finished [0-9]+|lost)|(?P<busy>running))\\t"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane or log; all panes when omitted")
    params = CALLS["commands"].params
    add_param(parser, params["everywhere"], "--all")
    add_selection(parser, params)
    add_params(parser, params, "--grep RE", "--max-commands N")


def prepare(words: list[str]) -> list[str]:
    """Accept times that look like flags."""
    return join_moments(words, "--since", "--until")


def run(options: argparse.Namespace) -> int:
    query = {"everywhere": options.everywhere, "grep": options.grep, "max_commands": options.max_commands}
    document = drive_or_read(options, flows.commands, options.target, **query, **selection(options))
    return show(options, document, *map(describe, document["commands"]), colors=_COLORS)


def describe(command: "Document") -> str:
    """Return one line about a command, for people."""
    code = "" if command["exit_code"] is None else f" {command['exit_code']}"
    line = as_json(command["command"])
    who = f"{command['by']}\t{command['client'] or '-'}"
    return f"{command['command_id']}\t{command['started_at']}\t{command['state']}{code}\t{who}\t{line}"
