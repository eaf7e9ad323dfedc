"""watch: print events as they happen, one per line, until the program or the server ends or you press Ctrl-C.

With --grid, shows all panes as live tiles instead: first those that await input, then running ones. Enter attaches to
a pane's session, q quits, ? lists the keys. Watching attaches to nothing and resizes nothing.

Events: dirty (a pane starts to change), idle (it stops changing), bell, title_changed, pane_spawned, pane_closed,
command_started, command_finished, state_changed, cwd_changed, resized, renamed, session_added, session_closed,
window_added, window_moved, window_closed, layout_changed, focus_changed, and dropped: the number of events lost because
they were not read in time, or 0 if the service restarted and the number is unknown.

Exit status: 0, 1 if no event of --until can occur any more or the server was killed, 124 if the timeout expires.
"""

import argparse

from phux_cli.connection import connection, drive
from phux_cli.output import as_json, stream
from phux_cli.usage import TIMEOUT, UsageError, add_param, timed_out
from phux_client import flows
from phux_core.errors import PaneClosedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

JSON = "each event as an Event document"
EXAMPLES = (
    "phux send-keys work 'sleep 1; date' Enter && phux watch work --until idle --timeout 30",
    "phux send-keys work 'sleep 1; exit' Enter && phux watch --json --until pane_closed --timeout 30",
)
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
        help="exit after an event with this name; may be repeated",
    )
    add_param(parser, TIMEOUT.but(doc="seconds to watch"), "--timeout SECS")
    parser.add_argument("--grid", action="store_true", help="show all panes as live tiles in this terminal")


def run(options: argparse.Namespace) -> int:
    if options.grid:
        return _show_grid(options)
    show = _print_json if options.json else _print_line
    outcome = drive(options, flows.watch, options.target, show, until=options.until, timeout_s=options.timeout)
    if outcome == "timed_out":
        raise timed_out(options.timeout)
    if outcome == "ended" and options.until:
        raise PaneClosedError(f"the events ended without {' or '.join(options.until)}", remedy="")
    return 0


def _show_grid(options: argparse.Namespace) -> int:
    from phux_cli.attaching import prepare, print_end, visit
    from phux_client.grid import check_terminal, show_grid

    if options.target is not None or options.until or options.timeout is not None or options.json:
        raise UsageError("--grid shows all panes, until you quit", remedy="leave out TARGET and the other flags")
    check_terminal()

    def enter(pane: int) -> tuple[str, int]:
        settings = prepare()
        return visit(phux.socket, drive(options, flows.go_to, f"@{pane}"), settings)

    with connection(options) as phux:
        phux.drive(flows.status())  # an error here has a remedy
        text, code = show_grid(phux.socket, enter)
    if text:
        print_end(text, code)
    return code


def _print_json(event: "Document") -> None:
    stream(as_json(event) + "\n")


def _print_line(event: "Document") -> None:
    words = [str(event["event"])]
    for name, value in event.items():
        if name not in {"event", "terminal", "seq"} and value is not None:
            words.append(f"{_SHORT.get(name, name)}={as_json(value)}")
    stream(f"{event.get('terminal', 'server')}\t{' '.join(words)}\n")
