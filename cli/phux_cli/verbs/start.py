"""start: type a command at a pane's prompt, and leave it to itself; prints its id.

`phux output ID` reads what it wrote, `phux wait --command-id ID` waits for its end, `phux stop` ends it. One CMD is a
line of shell; several are words that the shell sees exactly so. Exits 0, 1 when it could not be typed.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_document
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


def run(options: argparse.Namespace) -> int:
    words = [*options.words, *(options.rest or [])]
    if not words or words == [""]:
        raise UsageError("there is no CMD", remedy='give a line of shell, such as "make test"')
    with connection(options) as phux:
        command = words[0] if len(words) == 1 else words
        document = phux.drive(flows.start(phux.caller, options.target, command, queue=options.queue))
    if options.json:
        print_document(document)
    else:
        print(document["command_id"])
    return 0
