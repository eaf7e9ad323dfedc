"""snapshot: read a pane's screen, or what changed on it. Attaches nothing, resizes nothing.

Without TARGET, the last focused session. With --since SEQ (`seq` of a ScreenState), only the rows that changed after
it. On a terminal, the screen is drawn in a frame; into a pipe or a file, its rows are printed as they are.
"""

import os

from phux_cli.connection import connection
from phux_cli.output import box, print_document, write
from phux_cli.usage import LAST_PLACE, add_json, add_socket, at_least
from phux_client import flows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "[TARGET] [--json] [--scrollback[=N]] [--cells] [--since SEQ] [--socket PATH]"
EXAMPLES = (
    "phux snapshot work",
    "phux snapshot work --json --scrollback 200",
    "phux snapshot --cells --json",
    "phux snapshot work --since 0",
)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", nargs="?", help="which pane")
    parser.add_argument(
        "--scrollback",
        metavar="N",
        nargs="?",
        const=0,
        type=at_least(0),
        help="add the newest N rows of history; all of it without N or with 0",
    )
    parser.add_argument("--cells", action="store_true", help="add the cells that have a style or a mark (with --json)")
    parser.add_argument(
        "--since", metavar="SEQ", type=at_least(0, most=LAST_PLACE), help="only the rows that changed after SEQ"
    )
    add_json(parser, "a ScreenState document, or with --since a ScreenChanges document")
    add_socket(parser)


def prepare(words: list[str]) -> list[str]:
    """Keep `--scrollback` from taking a TARGET for its number."""
    prepared = []
    for position, word in enumerate(words):
        following = words[position + 1] if position + 1 < len(words) else ""
        takes_all = word == "--scrollback" and not following.lstrip("-").isdecimal()
        prepared.append("--scrollback=0" if takes_all else word)
    return prepared


def run(options: "argparse.Namespace") -> int:
    """Read it."""
    with connection(options) as phux:
        if options.since is not None:
            flow = flows.changes(phux.caller, options.target, options.since, cells=options.cells)
        else:
            flow = flows.snapshot(phux.caller, options.target, scrollback=options.scrollback, cells=options.cells)
        document = phux.drive(flow)
    if options.json:
        print_document(document)
    elif options.since is not None:
        print_changes(document)
    else:
        print_screen(document)
    return 0


def print_screen(document: "dict[str, object]") -> None:
    """Print the rows of a screen, in a frame if a person reads them."""
    scrollback, lines, cols = document["scrollback"], document["lines"], document["cols"]
    assert isinstance(scrollback, list)
    assert isinstance(lines, list)
    assert isinstance(cols, int)
    if not os.isatty(1):
        write("".join(f"{row}\n" for row in (*scrollback, *lines)))
        return
    title = f"@{document['pane']}"
    if document.get("title"):
        title += f" {document['title']}"
    if document["state"] == "dead":
        status = document.get("exit_status")
        title += f" (ended by {document.get('signal')})" if status is None else f" (exited with {status})"
    write(box([*scrollback, *lines], cols, title))


def print_changes(document: "dict[str, object]") -> None:
    """Print the rows that changed for a person, each with its number."""
    changed = document["changed"]
    assert isinstance(changed, list)
    write("".join(f"{row['row']:>3} {row['text']}".rstrip() + "\n" for row in changed))
