"""search: search the logs of all panes line by line, ignoring escape sequences.

Prints the pane, line number and offset of each match. With --all, or if no server is running, prints the log's id
instead of the pane.

Exit status: 0, 1 if nothing matches, 2 if the pattern is invalid.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import show
from phux_cli.usage import add_param, add_params, add_selection, join_moments, selection
from phux_client import flows, stored_logs
from phux_core.calls import CALLS
from phux_core.errors import NoServerError
from phux_core.kinds import STRING

JSON = "a Matches document"
EXAMPLES = (
    "phux run work 'echo needle' && phux search needle",
    "phux run work 'echo error 7' && phux search 'error [0-9]+' --session work --context 2 --json",
    "phux run work 'echo needle; false'; phux search needle --all --failed --since 1d",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    params = CALLS["search"].params
    add_param(parser, params["pattern"], "RE")
    where = parser.add_mutually_exclusive_group()
    add_param(where, params["session"].but(kind=STRING), "--session S")
    add_param(where, params["everywhere"], "--all")
    add_selection(parser, params)
    add_params(parser, params, "--context N", "--max-matches N")


def prepare(words: list[str]) -> list[str]:
    """Accept times that look like flags."""
    return join_moments(words, "--since", "--until")


def run(options: argparse.Namespace) -> int:
    query = {"session": options.session, "context": options.context, "max_matches": options.max_matches}
    query |= selection(options)
    with connection(options) as phux:
        try:
            document = phux.drive(flows.search(phux.caller, options.pattern, everywhere=options.everywhere, **query))
        except NoServerError:
            options.everywhere = True
            document = stored_logs.search(options.pattern, **query)
    lines = []
    for match in document["matches"]:
        place = f"{match['log'] if options.everywhere else '@' + str(match['pane'])}:{match['line']}:{match['offset']}"
        lines += [f"{place}-{line}" for line in match.get("before", ())]
        lines += [f"{place}:{match['text']}"]
        lines += [f"{place}-{line}" for line in match.get("after", ())]
    show(options, document, *lines)
    return 0 if document["matches"] else 1
