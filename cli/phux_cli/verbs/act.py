"""act: type keys and text into a pane, wait for the effect, and print the rows that changed.

KEYS are the same as for send-keys. The wait ends as soon as one condition holds; the default condition is --idle 300.
Only text written after typing counts, including the echo of KEYS. Until the wait ends, no run and no other act starts
in the pane. The changed rows are printed in every case.

Exit status: 0 if a condition holds, 1 if --stop matches or the program ends, 124 if the timeout expires.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show
from phux_cli.usage import TIMEOUT, add_conditions, add_param, conditions, timed_out
from phux_cli.verbs.snapshot import changed_rows
from phux_client import flows
from phux_core.calls import CALLS
from phux_core.errors import PaneClosedError, StoppedError

REST = "KEYS..."
JSON = "a ScreenChanges document"
EXAMPLES = (
    "phux act work 'echo hello' Enter",
    "phux act work 'echo $((6*7))' Enter --regex '^42$' --timeout 10 --json",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    parser.add_argument("words", metavar="KEYS", nargs="*", help="key names or text")
    parser.add_argument("-l", "--literal", action="store_true", help="treat all KEYS as text")
    add_conditions(parser)
    add_param(parser, CALLS["snapshot"].params["since"].but(omitted="the one before typing"), "--since SEQ")
    parser.add_argument("--cells", action="store_true", help="include the cells of changed rows (with --json)")
    add_param(parser, TIMEOUT.but(default=flows.ACT_TIMEOUT_S, omitted=""), "--timeout SECS")


def run(options: argparse.Namespace) -> int:
    document = drive(
        options,
        flows.act,
        options.target,
        [*options.words, *options.rest],
        flows.Conditions(**conditions(options)),
        literal=options.literal,
        since=options.since,
        cells=options.cells,
        timeout_s=options.timeout,
    )
    show(options, document, *changed_rows(document))
    if document["outcome"] == "timed_out":
        raise timed_out(options.timeout)
    if document["outcome"] == "stopped":
        raise StoppedError(f"the stop pattern {options.stop!r} matched first: {document['met_line']!r:.200}")
    if document["outcome"] == "ended":
        raise PaneClosedError(f"the program in @{document['pane']} ended before a condition held")
    return 0
