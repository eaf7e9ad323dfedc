"""replay: play what a pane has shown, in this terminal.

TARGET may also be a closed pane @N, the id of a log, or the name of a session that is gone; without TARGET, the last
focused session. Works without a server. MOMENT is a seq, a date and time (2026-05-01T12:00:00), or a time after the
start (+30s) or before the end (-5m) of the log.

Keys: Space pauses and continues, n goes to the start of the next command, q quits; ? lists the others.

Exit status: 0, or 1 if the recording cannot be read.
"""

import argparse

from phux_cli.connection import drive_or_read
from phux_cli.usage import join_moments, number_of
from phux_client import flows, moments
from phux_client.replay import check_terminal, replay
from phux_core.kinds import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document
    from phux_client.moments import Place

EXAMPLES = (
    "phux replay work",
    "phux replay work --speed 4 --max-idle 2",
    "phux replay work --from +0s --to -0s",
)
NEEDS_TERMINAL = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane")
    speed = number_of(number(0.1, 100))
    parser.add_argument("--speed", metavar="N", type=speed, default=1.0, help="play N times as fast (0.1 to 100)")
    parser.add_argument(
        "--max-idle", metavar="S", type=number_of(number()), help="shorten pauses to S seconds of the recording"
    )
    parser.add_argument("--from", metavar="M", dest="start", help="start at a moment")
    parser.add_argument("--to", metavar="M", dest="end", help="end at a moment")


def prepare(words: list[str]) -> list[str]:
    """Accept moments that look like flags."""
    return join_moments(words, "--from", "--to")


def run(options: argparse.Namespace) -> int:
    check_terminal()
    start, end = (None if text is None else moments.parse(text) for text in (options.start, options.end))
    recording = drive_or_read(options, flows.recording, options.target, start, end)

    def load(*places: "Place") -> "Document":
        words = (recording["which"], *places)
        return drive_or_read(options, lambda _caller: flows.film(*words))

    return replay(load, recording, speed=options.speed, max_idle_s=options.max_idle)
