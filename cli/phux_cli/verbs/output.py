"""output: print the output of a command, given its id as printed by `phux commands`.

Works for closed panes and without a server. For a command of an earlier server, use LOG.NUMBER, where LOG is an id as
printed by `phux logs --list`.

Exit status: 0, 1 if there is no such command, 2 if a flag is invalid.
"""

import argparse

from phux_cli.connection import drive_or_read
from phux_cli.output import print_document
from phux_cli.usage import add_budget, add_param, budget
from phux_cli.verbs.logs import print_text
from phux_client import flows, stored_logs
from phux_core.calls import CALLS

JSON = "a LogText document"
EXAMPLES = ("phux run work 'seq 100' && phux output 1.1 --tail 5",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_param(parser, CALLS["output"].params["id"].but(required=True), "ID")
    add_budget(parser, CALLS["output"].params)


def run(options: argparse.Namespace) -> int:
    document = drive_or_read(options, flows.output, stored_logs.output, options.id, **budget(options))
    if options.json:
        print_document(document)
    else:
        print_text(document, raw=options.raw)
    return 0
