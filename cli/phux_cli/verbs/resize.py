"""resize: resize a pane or a window.

If a pane has neighbors on an axis, its dividers on that axis move; otherwise the whole window is resized. If TARGET is
a window or a session, the window is resized. --left, --right, --up and --down move the divider after the pane, or
before the pane if it is the last, as far as possible. A window whose size follows attached clients cannot be resized.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show_place
from phux_cli.usage import UsageError, add_param, parse_size
from phux_client import flows
from phux_core.calls import CALLS
from phux_core.kinds import WINDOW_POLICIES, Param, whole

USAGE = (
    "TARGET (COLSxROWS | [--width N] [--height N] | --left N | --right N | --up N | --down N) [--policy POLICY] "
    "[--json] [--socket PATH] [--host DEST]"
)
JSON = "a Place document"
EXAMPLES = (
    "phux resize work 120x40",
    "phux split work && phux resize work:0.1 --width 30 --json",
    "phux split work --down && phux resize work:0.0 --up 5",
    "phux resize work:0 --policy manual",
)
_SIDES = ("left", "right", "up", "down")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    params = CALLS["resize_window"].params
    parser.add_argument("target", metavar="TARGET", help="the pane, window or session")
    parser.add_argument("size", metavar="COLSxROWS", nargs="?", help="the new size")
    add_param(parser, params["cols"].but(kind=whole(1)), "--width N")
    add_param(parser, params["rows"].but(kind=whole(1)), "--height N")
    for side in _SIDES:
        add_param(parser, Param(side, whole(1), f"move the divider N cells {side}"), f"--{side} N")
    parser.add_argument(
        "--policy",
        metavar="POLICY",
        choices=WINDOW_POLICIES,
        help="the attached client whose size the window follows: smallest, largest or latest; manual to follow none, "
        "default for the server's setting",
    )


def run(options: argparse.Namespace) -> int:
    cols, rows = options.cols, options.rows
    moves = [(side, getattr(options, side)) for side in _SIDES if getattr(options, side) is not None]
    if options.size is not None:
        if cols or rows:
            raise UsageError("COLSxROWS cannot be combined with --width or --height", remedy="give one of them")
        cols, rows = parse_size(options.size)
    sized = bool(cols or rows or options.policy)
    if len(moves) + sized != 1:
        raise UsageError("the size is missing, or given more than once", remedy=f"usage: phux resize {USAGE}")
    side, by = moves[0] if moves else (None, None)
    place = drive(options, flows.resize, options.target, cols, rows, side=side, by=by, policy=options.policy)
    return show_place(options, place)
