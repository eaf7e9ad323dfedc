"""ls: list the sessions by name. Never starts a server.

Exit status: 0, or 1 if no server is running.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show
from phux_client import flows
from phux_client.flows.reading import session_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

JSON = "a SessionList document"
EXAMPLES = ("phux ls", "phux ls --json")


def run(options: argparse.Namespace) -> int:
    tree = drive(options, flows.tree)
    sessions = sorted(tree["sessions"], key=lambda session: str(session["name"]))
    return show(options, session_list(tree), *map(describe, sessions))


def describe(session: "Document") -> str:
    """Return one line about a session, for people."""
    count = len(session["windows"])
    panes = [pane for window in session["windows"] for pane in window["panes"]]
    attached = " (attached)" if session["attached_clients"] else ""
    ended = " (ended)" if all(pane["state"] == "dead" for pane in panes) else ""
    return f"{session['name']}: {count} window{'' if count == 1 else 's'}{attached}{ended}"
