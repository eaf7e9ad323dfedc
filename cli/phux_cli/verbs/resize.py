"""resize: change the size of a pane or of a window.

On an axis on which other panes are beside a pane, its dividers move; else its window changes its size, as it does when
TARGET is a window or a session. --left, --right, --up and --down move the pane's divider, as far as it goes: the one
behind it, or if it is the last on that axis, the one before it. A window that follows attached clients keeps its size.
"""

from phux_cli.connection import connection
from phux_cli.output import print_place
from phux_cli.usage import UsageError, add_json, add_socket, at_least, parse_size
from phux_client import flows
from phux_core.kinds import WINDOW_POLICIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = (
    "TARGET (COLSxROWS | [--width N] [--height N] | --left N | --right N | --up N | --down N) [--policy POLICY] "
    "[--json] [--socket PATH]"
)
INTERMIXED = True
EXAMPLES = (
    "phux resize work 120x40",
    "phux split work && phux resize work:0.1 --width 30 --json",
    "phux split work --down && phux resize work:0.0 --up 5",
    "phux resize work:0 --policy manual",
)
_SIDES = ("left", "right", "up", "down")


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", help="the pane, window or session")
    parser.add_argument("size", metavar="COLSxROWS", nargs="?", help="both at once")
    parser.add_argument("--width", metavar="N", type=at_least(1), help="columns")
    parser.add_argument("--height", metavar="N", type=at_least(1), help="rows")
    for side in _SIDES:
        parser.add_argument(
            f"--{side}", metavar="N", type=at_least(1), help=f"move the divider N cells {_toward(side)}"
        )
    parser.add_argument(
        "--policy",
        metavar="POLICY",
        choices=WINDOW_POLICIES,
        help="whose size the window has when clients are attached: smallest, largest, latest, manual for its own, or "
        "default for what the server is set to",
    )
    add_json(parser, "a Place document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Change it."""
    cols, rows = options.width, options.height
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


def _toward(side: str) -> str:
    return side if side in {"up", "down"} else f"to the {side}"
