"""paste: paste text from the command line or stdin into a pane. Uses bracketed paste if the program enabled it.

As in other terminals, control characters other than tabs and newlines are removed.
"""

import argparse
import sys

from phux_cli.connection import drive
from phux_cli.output import show
from phux_cli.usage import UsageError
from phux_client import flows

REST = "TEXT"
JSON = "a Sent document"
EXAMPLES = ('phux paste work "two words"', "printf 'from a pipe' | phux paste work")

_MAX_TEXT = 1024 * 1024  # the server's limit for one input


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the text to paste; stdin when omitted")


def run(options: argparse.Namespace) -> int:
    if options.text is not None and options.rest:
        raise UsageError("TEXT is given both before and after `--`", remedy="give it once")
    text = " ".join(options.rest) if options.rest else options.text
    if text is None:
        text = sys.stdin.buffer.read(_MAX_TEXT + 1).decode("utf-8", "surrogateescape")
    if len(text) > _MAX_TEXT:
        raise UsageError(f"the text is longer than {_MAX_TEXT} bytes", remedy="write it to a file instead")
    return show(options, drive(options, flows.paste, options.target, text))
