"""watch: print events as they happen, one a line, until the pane's program or the server has ended, or Ctrl-C.

Events: dirty (a pane began to change), idle (it came to rest), bell, title_changed, pane_spawned, pane_closed,
command_started, command_finished, state_changed, cwd_changed, resized, renamed, session_added, session_closed,
window_added, window_moved, window_closed, layout_changed, focus_changed, and dropped: so many were lost because they
were not read in time (0: the service died and came back, and nobody counted). Exits 0; 1 if there can be no event of
--until any more; 124 when the time is over. Without TARGET, the whole server.
"""

import argparse
import json

from phux_cli.connection import connection
from phux_cli.output import stream
from phux_cli.usage import seconds
from phux_client import flows
from phux_core.errors import PaneClosedError, TimedOutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

JSON = "each event as an Event document"
EXAMPLES = (
    "phux send-keys work 'sleep 1; date' Enter && phux watch work --until idle --timeout 30",
    "phux send-keys work 'sleep 1; exit' Enter && phux watch --json --until pane_closed --timeout 30",
)
_TIMED_OUT = 124
# In lines for people, every kind of exit status is "exit".
_SHORT = {"exit_status": "exit", "exit_code": "exit"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane; the whole server when omitted")
    parser.add_argument(
        "--until",
        metavar="EVENT",
        action="append",
        default=[],
        choices=flows.EVENTS,
        help="end after an event of this name; may be given again",
    )
    parser.add_argument("--timeout", metavar="SECS", type=seconds, help="end after SECS seconds")


def run(options: argparse.Namespace) -> int:
    tell = _tell_json if options.json else _tell
    with connection(options) as phux:
        outcome = phux.drive(
            flows.watch(phux.caller, options.target, tell, until=options.until, timeout_s=options.timeout)
        )
    if outcome == "timed_out":
        error = TimedOutError(f"{options.timeout:g} s are over", remedy="allow more time with --timeout")
        error.exit_code = _TIMED_OUT
        raise error
    if outcome == "ended" and options.until:
        raise PaneClosedError(f"there are no more events, and none was {' or '.join(options.until)}", remedy="")
    return 0


def _tell_json(event: "Document") -> None:
    stream(json.dumps(event, ensure_ascii=False) + "\n")


def _tell(event: "Document") -> None:
    words = [str(event["event"])]
    for name, value in event.items():
        if name not in {"event", "terminal", "seq"} and value is not None:
            # As JSON, so that escape sequences in a title cannot reach the reader's terminal.
            text = json.dumps(value, ensure_ascii=not str(value).isprintable())
            words.append(f"{_SHORT.get(name, name)}={text}")
    stream(f"{event.get('terminal', 'server')}\t{' '.join(words)}\n")
