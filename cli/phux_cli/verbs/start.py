"""start: type a command at a pane's prompt and print its id, without waiting for it to finish.

`phux output ID` reads the output, `phux wait --command-id ID` waits for the end, and `phux stop` ends the command. A
single CMD is a shell command line. Several CMDs are a program and its arguments, which the shell does not interpret.

Exit status: 0, or 1 if the command could not be typed.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show
from phux_cli.usage import UsageError, add_params
from phux_client import flows
from phux_core.calls import CALLS

REST = "CMD..."
JSON = "a Started document"
EXAMPLES = ('phux start work "sleep 1; echo done" --json',)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    parser.add_argument("words", metavar="CMD", nargs="*", help="a shell command line, or a program and its arguments")
    add_params(parser, CALLS["start"].params, "--queue")


def command_of(options: argparse.Namespace) -> str | list[str]:
    """Return the CMD arguments: a shell command line, or a program and its arguments."""
    words = [*options.words, *options.rest]
    if not words or words == [""]:
        raise UsageError("CMD is missing", remedy='give a shell command line, such as "make test"')
    return words[0] if len(words) == 1 else words


def run(options: argparse.Namespace) -> int:
    document = drive(options, flows.start, options.target, command_of(options), queue=options.queue)
    return show(options, document, document["command_id"])
