"""search: look for a pattern in the logs of all panes, line by line, escape sequences left out.

Prints pane, line and offset of each; with --all, and when no server runs, the log in place of the pane. Exits 0, 1 when
nothing was found, 2 when the pattern makes no sense.
"""

from phux_cli.connection import connection
from phux_cli.output import print_document, write
from phux_cli.usage import add_json, add_socket, at_least
from phux_client import flows
from phux_core.errors import NoServerError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "RE [--session S | --all] [--context N] [--max-matches N] [--json] [--socket PATH]"
EXAMPLES = (
    "phux run work 'echo needle' && phux search needle",
    "phux run work 'echo error 7' && phux search 'error [0-9]+' --session work --context 2 --json",
)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("pattern", metavar="RE", help="what for, as Python's re reads it")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--session", metavar="S", help="only in the panes of this session")
    where.add_argument("--all", action="store_true", help="also in logs of panes that are gone, and of earlier servers")
    parser.add_argument("--context", metavar="N", type=at_least(0), default=0, help="lines around each to print, too")
    parser.add_argument("--max-matches", metavar="N", type=at_least(1), help="print at most N; 1000 when omitted")
    add_json(parser, "a Matches document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Look for it."""
    query = {"session": options.session, "context": options.context, "max_matches": options.max_matches}
    with connection(options) as phux:
        try:
            document = phux.drive(flows.search(phux.caller, options.pattern, everywhere=options.all, **query))
        except NoServerError:
            from phux_client import stored_logs

            options.all = True
            document = stored_logs.search(options.pattern, **query)
    if options.json:
        print_document(document)
        return 0 if document["matches"] else 1
    for match in document["matches"]:
        place = f"{match['log'] if options.all else '@' + str(match['pane'])}:{match['line']}:{match['offset']}"
        for line in match.get("before", ()):
            write(f"{place}-{_printable(line)}\n")
        write(f"{place}:{_printable(match['text'])}\n")
        for line in match.get("after", ()):
            write(f"{place}-{_printable(line)}\n")
    return 0 if document["matches"] else 1


def _printable(line: str) -> str:
    return "".join(character if character.isprintable() or character == "\t" else "\ufffd" for character in line)
