"""attach: show a session full-screen in this terminal until you detach with C-a d.

TARGET may also be a window or a pane, which then gets the focus. Without TARGET, attaches to the last focused session.
If there is no session, creates one, and starts a server if none is running. C-a ? lists the keys; docs/attach.md
describes them.

Exit status: 0 if you detach or the session ends, 1 if the connection to the server is lost.
"""

import argparse

from phux_cli.usage import add_params
from phux_core.calls import CALLS

EXAMPLES = ("phux attach", "phux attach work", "phux attach work:0 --read-only")
NEEDS_TERMINAL = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target", metavar="TARGET", nargs="?", help="the session, window or pane; the last focused session when omitted"
    )
    add_params(parser, CALLS["attach"].params, "--read-only")
    parser.add_argument("--force", action="store_true", help="attach even inside a pane")


def run(options: argparse.Namespace) -> int:
    from phux_cli.attaching import prepare, show
    from phux_cli.connection import connection
    from phux_client import flows
    from phux_client.tui import window_area

    settings = prepare(force=options.force)
    # Only without a TARGET: a new server has nothing that a TARGET could name.
    with connection(options, start=options.target is None) as phux:
        if options.target is not None:
            session = phux.drive(flows.go_to(phux.caller, options.target, select=not options.read_only))
        else:
            found = phux.drive(flows.latest())
            if found is None:
                found = phux.drive(flows.new(phux.caller, size=window_area(settings)))["session_id"]
            session = found
        socket = phux.socket
    return show(socket, session, settings, read_only=options.read_only)
