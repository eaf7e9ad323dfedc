"""act: type keys and text into a pane, wait for what they bring about, and print the rows that changed.

KEYS are those of send-keys. The first condition that holds ends the wait; with none it is --idle 300. Only what is
written after typing counts, the echo of KEYS included. No run and no other act begins in the pane meanwhile. Exits 0
when a condition holds, 1 when --stop matches or the program ends, 124 when the time is over; the rows are printed all
the same.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_document
from phux_cli.usage import add_conditions, add_param, seconds
from phux_cli.verbs.snapshot import print_changes
from phux_client import flows
from phux_core.calls import CALLS
from phux_core.errors import TimedOutError

REST = "KEYS..."
JSON = "a ScreenChanges document"
EXAMPLES = (
    "phux act work 'echo hello' Enter",
    "phux act work 'echo $((6*7))' Enter --regex '^42$' --timeout 10 --json",
)
_TIMED_OUT = 124


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    parser.add_argument("words", metavar="KEYS", nargs="*", help="names of keys, or text")
    parser.add_argument("-l", "--literal", action="store_true", help="take every word as text")
    add_conditions(parser)
    add_param(parser, CALLS["snapshot"].params["since"].but(omitted="the one before typing"), "--since SEQ")
    parser.add_argument("--cells", action="store_true", help="add the cells of changed rows (with --json)")
    parser.add_argument(
        "--timeout",
        metavar="SECS",
        type=seconds,
        default=flows.ACT_TIMEOUT_S,
        help=f"how many seconds to wait; {flows.ACT_TIMEOUT_S} when omitted",
    )


def run(options: argparse.Namespace) -> int:
    with connection(options) as phux:
        document = phux.drive(
            flows.act(
                phux.caller,
                options.target,
                [*options.words, *(options.rest or [])],
                flows.Conditions(
                    until=options.until,
                    regex=options.regex,
                    gone=options.gone,
                    idle_ms=options.idle_ms,
                    state=options.state,
                    stop=options.stop,
                ),
                literal=options.literal,
                since=options.since,
                cells=options.cells,
                timeout_s=options.timeout,
            )
        )
    if options.json:
        print_document(document)
    else:
        print_changes(document)
    if document["outcome"] == "timed_out":
        error = TimedOutError(f"not within {options.timeout:g} s", remedy="allow more time with --timeout")
        error.exit_code = _TIMED_OUT
        raise error
    return 0 if document["outcome"] == "met" else 1
