"""signal: send a signal to the foreground process group of a pane, and print the program and its process group.

For INT, QUIT and TSTP, the corresponding key is typed if the terminal turns it into the signal. Otherwise, and for
other signals, the signal is sent directly. The shell itself gets a signal only with --shell.

Exit status: 0, 1 if there is no process to signal, 2 if the signal is refused.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show
from phux_cli.usage import add_param, add_params
from phux_client import flows
from phux_core.calls import CALLS
from phux_core.kinds import SIGNALS

JSON = "a Signalled document"
EXAMPLES = ("phux start work 'sleep 100' && phux signal work TERM --json",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    params = CALLS["signal"].params
    add_param(parser, params["signal"].but(doc=f"the signal: {', '.join(SIGNALS)}"), "SIGNAL")
    add_params(parser, params, "--shell")


def run(options: argparse.Namespace) -> int:
    document = drive(options, flows.signal, options.target, options.signal, shell=options.shell)
    line = f"sent {document['signal']} to {document['command']} (process group {document['pgid']})"
    return show(options, document, line)
