"""send-keys: type keys and text into a pane.

A KEY is the name of a key or literal text. The names are Enter Tab BTab Escape Space BSpace Up Down Left Right Home End
PageUp PageDown Insert Delete F1-F12, with the prefixes C- M- S- for Ctrl, Alt and Shift. Case does not matter. Other
common spellings also work: Return, Esc, Del, PgUp, ArrowUp, Ctrl+C, Alt-x, ^C, and as in vim, <CR> and <C-w>. Use -l
for text from other sources, which may be a key's name (`up`).

Text directly before Enter is sent as one paste, except on the alternate screen. Put words that begin with a dash after
`--`. If the program does not read its input, the error says how much was typed.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show
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
    parser.add_argument("keys", metavar="KEY", nargs="*", help="the name of a key, or text")
    parser.add_argument("-l", "--literal", action="store_true", help="treat every KEY as text")


def run(options: argparse.Namespace) -> int:
    keys = [*options.keys, *options.rest]
    return show(options, drive(options, flows.send_keys, options.target, keys, literal=options.literal))
