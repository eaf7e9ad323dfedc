"""send-keys: type keys and text into a pane, all of it or nothing.

A KEY is a name (Enter Tab BTab Escape Space BSpace Up Down Left Right Home End PageUp PageDown Insert Delete F1-F12,
with C- M- S- before it; in small letters, too, and Return, Esc, Backspace, PgUp, PgDn are others) or literal text. Give
what somebody else wrote with -l, for `up` may be a word.

Text straight before Enter goes as one paste, then Enter. Words that begin with a dash stand after `--`.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_document
from phux_cli.usage import UsageError
from phux_client import flows

REST = "KEY..."
JSON = "a Sent document"
EXAMPLES = (
    'phux send-keys work "cargo test" Enter',
    "phux send-keys work C-c",
    "phux send-keys work -l Enter",
    "phux send-keys work -- -rf",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    parser.add_argument("keys", metavar="KEY", nargs="*", help="a key's name or text")
    parser.add_argument("-l", "--literal", action="store_true", help="take every KEY as text")


def run(options: argparse.Namespace) -> int:
    keys = [*options.keys, *options.rest]
    if not keys:
        raise UsageError("no keys were given", remedy="name at least one KEY, such as Enter")
    with connection(options) as phux:
        document = phux.drive(flows.send_keys(phux.caller, options.target, keys, literal=options.literal))
    if options.json:
        print_document(document)
    return 0
