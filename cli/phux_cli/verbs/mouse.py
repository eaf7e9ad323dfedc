"""mouse: click, drag or scroll in a pane.

A PLACE is a text on the screen, which must be there once, or ROW,COL, counted from 0. A text may take --timeout seconds
to appear. The wheel turns in the middle of the screen, unless a PLACE is given.

The events are encoded for the mode that the program requested. If it requested none, as most shells, nothing is sent,
and the exit code is 2.
"""

import argparse
import re
from functools import partial

from phux_cli.connection import drive
from phux_cli.output import show
from phux_cli.usage import UsageError, add_param
from phux_client import flows
from phux_core.kinds import COUNT, Param, number
from phux_core.patterns import compile_pattern

REST = "PLACE..."
JSON = "a Sent document"
EXAMPLES = (
    "phux mouse work click OK",
    "phux mouse work click 3,10 --button right --hold ctrl",
    "phux mouse work click --regex '^ *[0-9]+ '",
    "phux mouse work drag Inbox Archive",
    "phux mouse work scroll down --times 5",
)
_CELL = re.compile(r"[0-9]{1,4},[0-9]{1,4}")
_TIMES = Param("times", COUNT, "steps of the wheel", default=1)
_TIMEOUT = Param("timeout", number(), "seconds for a text to appear", default=5)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", help="the pane")
    parser.add_argument(
        "action",
        choices=("click", "double-click", "drag", "scroll"),
        metavar="ACTION",
        help="click, double-click, drag or scroll",
    )
    parser.add_argument("places", metavar="PLACE", nargs="*", help="a text, or ROW,COL; for scroll, first a direction")
    parser.add_argument("--regex", action="store_true", help="treat PLACE as a Python regex")
    parser.add_argument(
        "--button", choices=flows.BUTTONS, default="left", metavar="BUTTON", help="left (default), middle or right"
    )
    parser.add_argument(
        "--hold", action="append", default=[], choices=flows.MODIFIERS, metavar="KEY", help="hold ctrl, alt or shift"
    )
    add_param(parser, _TIMES, "--times N")
    add_param(parser, _TIMEOUT, "--timeout SECS")


def run(options: argparse.Namespace) -> int:
    places = [*options.places, *options.rest]
    held = {"modifiers": options.hold, "timeout_s": options.timeout}
    if options.action == "scroll":
        direction, *where = _of(places, "a direction, and possibly a PLACE", 1, 2)
        at = _place(options, where[0]) if where else None
        flow = partial(flows.scroll, direction=direction, at=at, times=options.times, **held)
    elif options.action == "drag":
        start, end = (_place(options, word) for word in _of(places, "two PLACEs", 2, 2))
        flow = partial(flows.drag, start=start, end=end, button=options.button, **held)
    else:
        (place,) = _of(places, "one PLACE", 1, 1)
        times = 2 if options.action == "double-click" else 1
        flow = partial(flows.click, place=_place(options, place), button=options.button, times=times, **held)
    return show(options, drive(options, flow, options.target))


def _of(words: "list[str]", wanted: str, least: int, most: int) -> "list[str]":
    if least <= len(words) <= most:
        return words
    raise UsageError(f"this action takes {wanted}", remedy="see `phux mouse --help`")


def _place(options: argparse.Namespace, word: str) -> "str | re.Pattern[str] | tuple[int, int]":
    if options.regex:
        return compile_pattern(word)
    if _CELL.fullmatch(word):
        row, col = word.split(",")
        return int(row), int(col)
    return word
