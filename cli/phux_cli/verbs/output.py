"""output: print what a command wrote, by its id as `phux commands` prints it.

Also of a pane that is gone, and when no server runs. LOG.NUMBER, with a log's id as `phux logs --list` prints it, means
one of an earlier server. Exits 0, 1 when there is no such command, 2 when a flag makes no sense.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_document
from phux_cli.usage import add_budget, add_param, budget
from phux_cli.verbs.logs import print_text
from phux_client import flows
from phux_core.calls import CALLS
from phux_core.errors import NoServerError

JSON = "a LogText document"
EXAMPLES = ("phux run work 'seq 100' && phux output 1.1 --tail 5",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_param(parser, CALLS["output"].params["id"].but(required=True), "ID")
    add_budget(parser, CALLS["output"].params)


def run(options: argparse.Namespace) -> int:
    with connection(options) as phux:
        try:
            document = phux.drive(flows.output(phux.caller, options.id, **budget(options)))
        except NoServerError:
            from phux_client import stored_logs

            document = stored_logs.output(options.id, **budget(options))
    if options.json:
        print_document(document)
    else:
        print_text(document, raw=options.raw)
    return 0
