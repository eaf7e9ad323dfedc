r"""wait: wait until something is true of a pane. The first condition that holds wins; with none it is --idle 500.

--until, --regex and --stop look at whole lines, also where the edge of the screen broke them: at what is visible when
the wait begins, and at all that is written after that, however fast it scrolls by or is
erased. They also find the echo of what was
just typed; --output-only keeps them from it, and --since SEQ (`seq` of a ScreenState) from old lines. A screen's lines
come without the blanks at their end, so one that TEXT or RE wants there is taken to be there: `\$ $` finds a prompt.
Exits 0 when a condition holds, 1 when --stop matches or the program has ended, 124 when the time is over. If several
conditions were given, the one that held is printed, with the line or state it found behind a tab; with --json they are
`met` and `met_line` in the document. Without TARGET, the last focused session.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_document, write
from phux_cli.usage import LAST_PLACE, UsageError, add_json, add_socket, at_least, seconds
from phux_client import flows
from phux_core.errors import NoServerError, StoppedError, TimedOutError

USAGE = (
    "[TARGET] [--until TEXT] [--regex RE] [--gone TEXT] [--idle MS] [--state S] [--command-done] [--exit] "
    "[--stop RE] [--since SEQ] [--output-only] [--command-id ID] [--timeout SECS] [--json] [--socket PATH]"
)
EXAMPLES = (
    "phux wait work --idle 200 --timeout 30",
    "phux wait work --until '$' --timeout 30 --json",
    "phux start work 'sleep 1' && phux wait --command-id 1.1 --timeout 30 --json",
    r"phux wait work --regex '^\$' --stop 'command not found' --timeout 30",
)
_TIMED_OUT = 124


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", nargs="?", help="which pane")
    parser.add_argument("--until", metavar="TEXT", help="a line contains TEXT")
    parser.add_argument("--regex", metavar="RE", help="a line matches RE, a pattern of Python's re module")
    parser.add_argument("--gone", metavar="TEXT", help="no visible line contains TEXT")
    parser.add_argument("--idle", metavar="MS", type=at_least(0), help="nothing was written for MS milliseconds")
    parser.add_argument(
        "--state",
        metavar="S",
        action="append",
        help="the pane is in this state, or in one of several (with commas, or given again): "
        "prompt, running, awaiting_input, awaiting_secret, fullscreen, dead",
    )
    parser.add_argument("--command-done", action="store_true", help="the shell is done with a command")
    parser.add_argument("--exit", action="store_true", help="the program has ended")
    parser.add_argument("--stop", metavar="RE", help="fail as soon as a line matches RE")
    parser.add_argument(
        "--since",
        metavar="SEQ",
        type=at_least(0, most=LAST_PLACE),
        help="only what was written after SEQ counts, also a --command-done or --state that came between",
    )
    parser.add_argument(
        "--output-only",
        action="store_true",
        help="only what commands wrote counts, no prompt and no echo of what is typed; without --since, from "
        "the latest command on",
    )
    parser.add_argument(
        "--command-id",
        metavar="ID",
        help="the command of this id has ended (`phux commands`); by itself, without TARGET",
    )
    parser.add_argument("--command", dest="command_id", help=argparse.SUPPRESS)  # its old name
    parser.add_argument("--timeout", metavar="SECS", type=seconds, help="give up after SECS seconds")
    add_json(parser, "the final ScreenState document, also when the time is over; with --command-id a CommandInfo")
    add_socket(parser)


def run(options: argparse.Namespace) -> int:
    """Wait for it."""
    if options.command_id is not None:
        return _wait_for_command(options)
    with connection(options) as phux:
        outcome = phux.drive(
            flows.wait(
                phux.caller,
                options.target,
                until=options.until,
                regex=options.regex,
                gone=options.gone,
                idle_ms=options.idle,
                state=options.state,
                command_done=options.command_done,
                exit=options.exit,
                stop=options.stop,
                since=options.since,
                output_only=options.output_only,
                timeout_s=options.timeout,
            )
        )
    if options.json:
        print_document(outcome.document)
    if outcome.met == "stop":
        raise StoppedError(f"{options.stop!r} came first: {outcome.line!r:.200}")
    if outcome.met is None:
        error = TimedOutError(f"not within {options.timeout:g} s", remedy="allow more time with --timeout")
        error.exit_code = _TIMED_OUT
        raise error
    if not options.json and _may_be_one_of_several(options):
        found = outcome.screen["state"] if outcome.met == "state" else outcome.line
        write(outcome.met + ("" if found is None else f"\t{found}") + "\n")
    return 0


def _may_be_one_of_several(options: argparse.Namespace) -> bool:
    """Tell whether more was waited for than one thing, so that the exit code alone does not say which it was."""
    states = ",".join(options.state or ()).split(",")
    given = [value is not None for value in (options.until, options.regex, options.gone, options.idle)]
    return [*given, options.command_done, options.exit, *map(bool, states)].count(True) > 1


def _wait_for_command(options: argparse.Namespace) -> int:
    if options.target is not None:
        raise UsageError("--command-id stands by itself", remedy="the id says which pane it is in; leave TARGET out")
    with connection(options) as phux:
        try:
            document = phux.drive(flows.wait_command(options.command_id, timeout_s=options.timeout))
        except TimedOutError as error:
            error.exit_code = _TIMED_OUT
            raise
        except NoServerError:
            from phux_client import stored_logs

            document = stored_logs.command(options.command_id)
    if options.json:
        print_document(document)
    return 0
