"""resize: change the size of a pane or of a window.

On an axis on which other panes are beside a pane, its dividers move; else its window changes its size, as it does when
TARGET is a window or a session. --left, --right, --up and --down move the pane's divider, as far as it goes: the one
behind it, or if it is the last on that axis, the one before it. A window that follows attached clients keeps its size.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_place
from phux_cli.usage import UsageError, add_param, parse_size, whole_number
from phux_client import flows
from phux_core.calls import CALLS
from phux_core.kinds import WINDOW_POLICIES, whole

USAGE = (
    "TARGET (COLSxROWS | [--width N] [--height N] | --left N | --right N | --up N | --down N) [--policy POLICY] "
    "[--json] [--socket PATH]"
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
    parser.add_argument("size", metavar="COLSxROWS", nargs="?", help="both at once")
    add_param(parser, params["cols"].but(kind=whole(1)), "--width N")
    add_param(parser, params["rows"].but(kind=whole(1)), "--height N")
    for side in _SIDES:
        text = f"move the divider N cells {side if side in {'up', 'down'} else f'to the {side}'}"
        parser.add_argument(f"--{side}", metavar="N", type=whole_number(whole(1)), help=text)
    parser.add_argument(
        "--policy",
        metavar="POLICY",
        choices=WINDOW_POLICIES,
        help="whose size the window has when clients are attached: smallest, largest, latest, manual for its own, or "
        "default for what the server is set to",
    )


def run(options: argparse.Namespace) -> int:
    cols, rows = options.cols, options.rows
    moves = [(side, getattr(options, side)) for side in _SIDES if getattr(options, side) is not None]
    if options.size is not None:
        if cols or rows:
            raise UsageError("COLSxROWS and --width or --height say the same twice", remedy="give one of them")
        cols, rows = parse_size(options.size)
    sized = bool(cols or rows or options.policy)
    if len(moves) + sized != 1:
        raise UsageError(
            "it takes one size, or one of --left, --right, --up and --down", remedy=f"usage: phux resize {USAGE}"
        )
    side, by = moves[0] if moves else (None, None)
    with connection(options) as phux:
        flow = flows.resize(phux.caller, options.target, cols, rows, side=side, by=by, policy=options.policy)
        place = phux.drive(flow)
    print_place(place, as_json=options.json)
    return 0
