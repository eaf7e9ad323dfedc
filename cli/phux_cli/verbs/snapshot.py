"""snapshot: read a pane's screen, or the rows that changed. Does not attach or resize.

Without TARGET, reads the last focused session. With --since SEQ (the `seq` of a ScreenState), prints only rows that
changed after it. The screen is drawn in a frame on a terminal, and printed as plain rows otherwise.
"""

import argparse
import os

from phux_cli.connection import connection
from phux_cli.output import box, print_document, write
from phux_cli.usage import add_param, add_params, whole_number
from phux_client import flows
from phux_core.calls import CALLS

JSON = "a ScreenState document; with --since, a ScreenChanges document"
EXAMPLES = (
    "phux snapshot work",
    "phux snapshot work --json --scrollback 200",
    "phux snapshot --cells --json",
    "phux snapshot work --since 0",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane")
    params = CALLS["snapshot"].params
    parser.add_argument(
        "--scrollback",
        metavar="N",
        nargs="?",
        const=0,
        type=whole_number(params["scrollback"].kind),
        help="include the newest N rows of scrollback; all rows without N or if N is 0",
    )
    add_param(parser, params["cells"].but(doc="include the styled cells (with --json)"), "--cells")
    add_params(parser, params, "--since SEQ")


def prepare(words: list[str]) -> list[str]:
    """Prevent `--scrollback` from consuming a TARGET as its number."""
    prepared = []
    for position, word in enumerate(words):
        following = words[position + 1] if position + 1 < len(words) else ""
        takes_all = word == "--scrollback" and not following.lstrip("-").isdecimal()
        prepared.append("--scrollback=0" if takes_all else word)
    return prepared


def run(options: argparse.Namespace) -> int:
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
    """Print the rows of a screen, in a frame on a terminal."""
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
    """Print the rows that changed, each with its number."""
    changed = document["changed"]
    assert isinstance(changed, list)
    write("".join(f"{row['row']:>3} {row['text']}".rstrip() + "\n" for row in changed))
