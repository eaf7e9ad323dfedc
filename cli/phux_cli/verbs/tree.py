"""tree: show all sessions, windows and panes, or those of TARGET.

With --hosts, shows those of this machine and of every host in the config file. A host that cannot be reached has one
line that says why.

A `*` marks the focused session, the current window of each session and the active pane of each window. On a terminal,
long lines are cut, and states have colors unless NO_COLOR is set.
"""

import argparse

from phux_cli.connection import drive
from phux_cli.output import as_json, fit, show
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

JSON = "a Tree document, or a HostList document with --hosts"
EXAMPLES = ("phux tree", "phux split work && phux tree work:0", "phux tree --json work")

_COLORS = "  (?:(?P<good>prompt)|(?P<busy>running|fullscreen)|(?P<asks>awaiting_[a-z]+)|(?P<bad>dead))(?=  | [(])"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="a session, window or pane; all when omitted")
    parser.add_argument("--hosts", action="store_true", help="show the sessions of all hosts")


def run(options: argparse.Namespace) -> int:
    if options.hosts:
        from phux_cli.hosts import show_hosts

        return show_hosts(options, draw)
    document = drive(options, flows.tree, options.target)
    return show(options, document, *map(fit, draw(document)), colors=_COLORS)


def draw(tree: "Document", prefix: str = "") -> list[str]:
    """Return the lines of a drawing of a Tree document, with a prefix before the names of sessions."""
    lines = []
    for session in tree["sessions"]:
        attached = f" (attached: {session['attached_clients']})" if session["attached_clients"] else ""
        lines.append(f"{prefix}{session['name']}{_mark(session['name'] == tree['focused_session'])}{attached}")
        for window, window_branch, below in _branches(session["windows"]):
            zoomed = " (zoomed)" if window["zoomed"] is not None else ""
            size = f"{window['cols']}x{window['rows']}"
            name = f"{window['index']}: {window['name']}{_mark(window['active'])}"
            lines.append(f"{window_branch}{name}  {size}{zoomed}")
            for pane, pane_branch, _below in _branches(window["panes"]):
                lines.append(f"{below}{pane_branch}{_describe(pane)}")
    return lines


def _branches(nodes: "list[Document]") -> "list[tuple[Document, str, str]]":
    last = len(nodes) - 1
    return [(node, "└─ " if at == last else "├─ ", "   " if at == last else "│  ") for at, node in enumerate(nodes)]


def _mark(active: bool) -> str:
    return " *" if active else ""


def _describe(pane: "Document") -> str:
    foreground = pane["foreground"] or {}
    state = pane["state"]
    if state == "dead":
        state = f"dead ({pane['signal']})" if "signal" in pane else f"dead (exit {pane['exit_status']})"
    parts = [
        f"{pane['index']}: @{pane['id']}{_mark(pane['active'])}",
        f"{pane['cols']}x{pane['rows']}",
        state,
        f"{foreground.get('command') or pane['command']}[{foreground.get('pid') or pane['pid']}]",
        foreground.get("cwd") or pane["cwd"],
    ]
    if pane["title"]:
        parts.append(as_json(pane["title"]))
    return "  ".join(parts)
