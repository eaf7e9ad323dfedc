"""ls: list the sessions by name. Never starts a server; exits with 1 if none is running."""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_document
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

JSON = "a SessionList document"
EXAMPLES = ("phux ls", "phux ls --json")


def run(options: argparse.Namespace) -> int:
    with connection(options) as phux:
        if options.json:
            print_document(phux.drive(flows.ls()))
            return 0
        tree = phux.drive(flows.tree())
    for session in sorted(tree["sessions"], key=lambda session: str(session["name"])):
        print(describe(session))
    return 0


def describe(session: "dict[str, Any]") -> str:
    """Return one line about a session, for people."""
    count = len(session["windows"])
    panes = [pane for window in session["windows"] for pane in window["panes"]]
    attached = " (attached)" if session["attached_clients"] else ""
    ended = " (ended)" if all(pane["state"] == "dead" for pane in panes) else ""
    return f"{session['name']}: {count} window{'' if count == 1 else 's'}{attached}{ended}"
