"""ls: list the sessions by name. Never starts a server.

With --hosts, lists those of this machine and of every host in the config file. A host that cannot be reached has one
line that says why.

Exit status: 0, or 1 if no server is running; with --hosts, 0.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import show
from phux_client import flows
from phux_client.flows.reading import session_list

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

JSON = "a SessionList document, or a HostList document with --hosts"
EXAMPLES = ("phux ls", "phux ls --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hosts", action="store_true", help="list the sessions of all hosts")


def run(options: argparse.Namespace) -> int:
    if options.hosts:
        from phux_cli.hosts import show_hosts

        return show_hosts(options, _names)
    tree = drive(options, flows.tree)
    return show(options, session_list(tree), *_names(tree, ""))


def _names(tree: "Document", prefix: str) -> list[str]:
    sessions = sorted(tree["sessions"], key=lambda session: str(session["name"]))
    return [prefix + describe(session) for session in sessions]


def describe(session: "Document") -> str:
    """Return one line about a session, for people."""
    count = len(session["windows"])
    panes = [pane for window in session["windows"] for pane in window["panes"]]
    attached = " (attached)" if session["attached_clients"] else ""
    ended = " (ended)" if all(pane["state"] == "dead" for pane in panes) else ""
    return f"{session['name']}: {count} window{'' if count == 1 else 's'}{attached}{ended}"
