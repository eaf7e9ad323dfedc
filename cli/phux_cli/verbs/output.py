"""output: print the output of a command, given its id as printed by `phux commands`, or of a pane's latest command.

Without ID and TARGET, prints the output of the latest command in the last focused session. With an ID, works for closed
panes and without a server. For a command of an earlier server, use LOG.NUMBER, where LOG is an id as printed by
`phux logs --list`.

Exit status: 0, 1 if there is no such command, 2 if a flag is invalid.
"""

import argparse

from phux_cli.connection import drive, drive_or_read
from phux_cli.output import print_document
from phux_cli.usage import add_budget, budget
from phux_cli.verbs.logs import print_text
from phux_client import flows
from phux_core.calls import CALLS

JSON = "a LogText document"
EXAMPLES = (
    "phux run work 'seq 100' && phux output 1.1 --tail 5",
    "phux run work 'seq 100' && phux output work --grep 7",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("which", metavar="ID|TARGET", nargs="?", help="the command's id, or a pane")
    add_budget(parser, CALLS["output"].params)


def run(options: argparse.Namespace) -> int:
    log, _dot, number = (options.which or "").rpartition(".")
    if number.isdecimal() and (log.isdecimal() or "/" in log):
        document = drive_or_read(options, flows.output, options.which, **budget(options))
    else:
        document = drive(options, flows.output, None, options.which, **budget(options))
    if options.json:
        print_document(document)
    else:
        print_text(document, raw=options.raw)
    return 0
