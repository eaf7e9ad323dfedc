"""export: print or write a recording of a pane, to share it.

TARGET may also be a closed pane @N, the id of a log, or the name of a session that is gone; without TARGET, the last
focused session. Works without a server. MOMENT is a seq, a date and time (2026-05-01T12:00:00), or a time after the
start (+30s) or before the end (-5m) of the log.

html is one file that plays in any browser, also offline, with a timeline, the commands with their exit codes, and
search. cast is a recording for asciinema and its players. trajectory has a line of JSON for each command and each
typed input, to train and evaluate agents. Without -o, the document is printed, unless stdout is a
terminal.

Exit status: 0, 1 if the recording cannot be read or written, 2 if a flag is invalid.
"""

import argparse
import os

from phux_cli.connection import drive_or_read
from phux_cli.output import write_bytes
from phux_cli.usage import OutputError, UsageError, join_moments
from phux_client import flows
from phux_client.export import FORMATS

USAGE = (
    "[TARGET] --format FORMAT [--cast-version N] [--from MOMENT] [--to MOMENT] [-o FILE] [--socket PATH] [--host DEST]"
)
EXAMPLES = (
    "phux export work --format html -o work.html",
    "phux export work --format html --from +0s --to -0s > part.html",
    "phux export work --format cast --cast-version 3 -o work.cast",
    "phux export work --format trajectory -o work.jsonl",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane")
    parser.add_argument(
        "--format", metavar="FORMAT", choices=FORMATS, required=True, help="the format: cast, html or trajectory"
    )
    parser.add_argument(
        "--cast-version", metavar="N", type=int, choices=(2, 3), help="the version of asciicast: 2 (default) or 3"
    )
    parser.add_argument("--from", metavar="MOMENT", dest="start", help="start at a moment")
    parser.add_argument("--to", metavar="MOMENT", dest="end", help="end at a moment")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the document to a file")


def prepare(words: list[str]) -> list[str]:
    """Accept moments that look like flags."""
    return join_moments(words, "--from", "--to")


def run(options: argparse.Namespace) -> int:
    if options.cast_version is not None and options.format != "cast":
        raise UsageError("--cast-version is for casts", remedy="leave it out, or use --format cast")
    if options.output is None and os.isatty(1):
        raise UsageError("a recording is too long for a terminal", remedy="use -o FILE, or redirect it to a file")
    document = drive_or_read(
        options,
        flows.export,
        options.target,
        options.format,
        cast_version=options.cast_version or 2,
        start=options.start,
        end=options.end,
    )
    if options.output is None:
        write_bytes(document.encode())
        return 0
    try:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(document)
    except OSError as error:
        raise OutputError(f"cannot write {options.output!r:.200}: {error.strerror}") from error
    return 0
