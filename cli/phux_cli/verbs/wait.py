"""wait: wait until a visible line contains a text, the program has ended, or the pane has come to rest.

The first condition that holds wins; with none given it is --idle 500. Exits 0 when it holds, 124 when the time is
over. Without TARGET, the last focused session.
"""

import argparse

from phux_cli.output import print_document
from phux_cli.usage import MOST, add_json, add_socket, at_least
from phux_client import flows
from phux_client.blocking import Phux
from phux_core.errors import TimedOutError

USAGE = "[TARGET] [--until TEXT] [--exit] [--idle MS] [--timeout SECS] [--json] [--socket PATH]"
EXAMPLES = ("phux wait work --idle 200 --timeout 30", "phux wait work --until '$' --timeout 30 --json")
_TIMED_OUT = 124


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", nargs="?", help="which pane")
    parser.add_argument("--until", metavar="TEXT", help="a visible line contains TEXT")
    parser.add_argument("--exit", action="store_true", help="the program has ended")
    parser.add_argument("--idle", metavar="MS", type=at_least(0), help="nothing was written for MS milliseconds")
    parser.add_argument("--timeout", metavar="SECS", type=_seconds, help="give up after SECS seconds")
    add_json(parser, "the final ScreenState document, also when the time is over")
    add_socket(parser)


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value <= MOST:
        raise argparse.ArgumentTypeError(f"{text[:40]} is not from 0 to {MOST}")
    return value


_seconds.__name__ = "number"


def run(options: argparse.Namespace) -> int:
    """Wait for it."""
    with Phux(options.socket) as phux:
        outcome = phux.drive(
            flows.wait(
                phux.caller,
                options.target,
                until=options.until,
                exit=options.exit,
                idle_ms=options.idle,
                timeout_s=options.timeout,
            )
        )
    if options.json:
        print_document(outcome.screen)
    if outcome.met is None:
        error = TimedOutError(f"not within {options.timeout:g} s", remedy="allow more time with --timeout")
        error.exit_code = _TIMED_OUT
        raise error
    return 0
