"""stop: end the program running in a pane's shell with INT, then TERM, then KILL, until the prompt is back.

Exit status: 0, even if nothing was running; 1 if the program does not end.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show
from phux_cli.usage import add_param
from phux_client import flows
from phux_core.kinds import Param, number

JSON = "a Stopped document"
EXAMPLES = ("phux start work 'sleep 100' && phux stop work --json",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    add_param(parser, Param("grace", number(0, 60), "seconds to wait after each signal", omitted="2"), "--grace SECS")


def run(options: argparse.Namespace) -> int:
    document = drive(options, flows.stop, options.target, grace_s=options.grace)
    if not document["stopped"]:
        return show(options, document, "nothing was running")
    return show(options, document, f"stopped {document['command']} with {document['signals'][-1]}")
