"""layout: arrange the panes of a window by a preset.

even-horizontal places the panes side by side and even-vertical one below the other. main-vertical places the first pane
on the left and stacks the others on the right. tiled arranges them in rows and columns.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show_place
from phux_client import flows
from phux_core.layout import PRESETS

JSON = "a Place document"
EXAMPLES = ("phux split work && phux layout work even-vertical", "phux layout work:0 tiled --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the window, or a pane in it")
    parser.add_argument("layout", metavar="LAYOUT", choices=PRESETS, help=" | ".join(PRESETS))


def run(options: argparse.Namespace) -> int:
    return show_place(options, drive(options, flows.layout, options.target, options.layout))
