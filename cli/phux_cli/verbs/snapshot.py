"""snapshot: read a pane's screen, or the rows that changed. Does not attach or resize.

Without TARGET, reads the last focused session. With --since SEQ (the `seq` of a ScreenState), prints only rows that
changed after it. The screen is drawn in a frame on a terminal, and printed as plain rows otherwise.

--format draws a picture: plain rows (text), rows with escape sequences (ansi), an HTML page, or an SVG or PNG image.
PNG needs `pip install 'phux[png]'`. Rows of the scrollback have no colors.

--at MOMENT shows the screen as it was. TARGET may then also be a closed pane @N or the id of a log. Works without a
server.
"""

import argparse
import os

from phux_cli.connection import drive, drive_or_read
from phux_cli.output import box, show, write, write_bytes
from phux_cli.usage import UsageError, add_param, add_params, join_moments, number_of
from phux_client import flows
from phux_client.pictures import FORMATS, THEMES
from phux_client.pictures import draw as draw_picture
from phux_core.calls import CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

JSON = "a ScreenState document; with --since, a ScreenChanges document"
EXAMPLES = (
    "phux snapshot work",
    "phux snapshot work --json --scrollback 200",
    "phux snapshot --cells --json",
    "phux snapshot work --since 0",
    "phux snapshot work --format svg --theme light > screen.svg",
    "phux snapshot work --at +0s",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane")
    params = CALLS["snapshot"].params
    parser.add_argument(
        "--scrollback",
        metavar="N",
        nargs="?",
        const=0,
        type=number_of(params["scrollback"].kind),
        help="include the newest N rows of scrollback; all rows without N or if N is 0",
    )
    add_param(parser, params["cells"].but(doc="include the styled cells (with --json)"), "--cells")
    add_params(parser, params, "--since SEQ")
    parser.add_argument(
        "--at",
        metavar="MOMENT",
        help="the screen as it was: a seq, a date and time, or a time after the start (+30s) or before the end (-5m)",
    )
    formats = (*FORMATS, "json")
    parser.add_argument(
        "--format",
        metavar="FORMAT",
        choices=formats,
        help="draw the screen as text, ansi, html, svg or png; json is --json",
    )
    parser.add_argument(
        "--theme",
        metavar="THEME",
        choices=THEMES,
        default=THEMES[0],
        help="the colors of a picture: dark (default) or light",
    )


def prepare(words: list[str]) -> list[str]:
    """Prevent `--scrollback` from consuming a TARGET as its number."""
    prepared = []
    for position, word in enumerate(words := join_moments(words, "--at")):
        following = words[position + 1] if position + 1 < len(words) else ""
        takes_all = word == "--scrollback" and not following.lstrip("-").isdecimal()
        prepared.append("--scrollback=0" if takes_all else word)
    return prepared


def run(options: argparse.Namespace) -> int:
    if options.format == "json":
        options.json = True
    elif options.format is not None:
        return _show_picture(options)
    if options.since is not None:
        if options.at is not None:
            raise UsageError("--since and --at exclude each other", remedy="leave one of them out")
        document = drive(options, flows.changes, options.target, options.since, cells=options.cells)
        return show(options, document, *changed_rows(document))
    document = _read(options, cells=options.cells)
    return show(options, document, *draw(document))


def _read(options: argparse.Namespace, *, cells: bool) -> "Document":
    """Return the screen, now or at the moment of --at."""
    if options.at is None:
        return drive(options, flows.snapshot, options.target, scrollback=options.scrollback, cells=cells)
    query = {"scrollback": options.scrollback, "cells": cells}
    return drive_or_read(options, flows.past_screen, options.target, options.at, **query)


def _show_picture(options: argparse.Namespace) -> int:
    if options.json or options.since is not None:
        raise UsageError("--format draws a whole screen", remedy="leave out --json and --since, or use --format json")
    if options.format == "png" and os.isatty(1):
        raise UsageError("a PNG image cannot be shown on a terminal", remedy="redirect it to a file")
    picture = draw_picture(_read(options, cells=True), options.format, options.theme)
    if isinstance(picture, bytes):
        write_bytes(picture)
    elif options.format == "ansi":
        write_bytes(picture.encode())  # its escape sequences are ours
    else:
        write(picture)
    return 0


def draw(document: "Document") -> "list[str]":
    """Return the rows of a screen, in a frame on a terminal."""
    rows = [*document["scrollback"], *document["lines"]]
    if not os.isatty(1):
        return rows
    title = f"@{document['pane']}"
    if document.get("title"):
        title += f" {document['title']}"
    if document["state"] == "dead":
        status = document.get("exit_status")
        title += f" (ended by {document.get('signal')})" if status is None else f" (exited with {status})"
    return box(rows, document["cols"], title)


def changed_rows(document: "Document") -> "list[str]":
    """Return the rows that changed, each with its number."""
    return [f"{row['row']:>3} {row['text']}".rstrip() for row in document["changed"]]
