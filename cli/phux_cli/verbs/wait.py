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
from phux_cli.usage import UsageError, add_conditions, add_param, seconds
from phux_client import flows
from phux_core.conditions import CONDITIONS
from phux_core.errors import NoServerError, StoppedError, TimedOutError

JSON = "the final ScreenState document, also when the time is over; with --command-id a CommandInfo"
EXAMPLES = (
    "phux wait work --idle 200 --timeout 30",
    "phux wait work --until '$' --timeout 30 --json",
    "phux start work 'sleep 1' && phux wait --command-id 1.1 --timeout 30 --json",
    r"phux wait work --regex '^\$' --stop 'command not found' --timeout 30",
)
_TIMED_OUT = 124


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane")
    add_conditions(parser)
    parser.add_argument("--command-done", action="store_true", help="the shell has finished a command")
    parser.add_argument("--exit", action="store_true", help="the program has ended")
    since = "a `seq`: only what was written after it counts, also a --command-done or --state that came between"
    add_param(parser, CONDITIONS["since"].but(doc=since), "--since SEQ")
    only = f"{CONDITIONS['output_only'].doc}; without --since, from the latest command on"
    add_param(parser, CONDITIONS["output_only"].but(doc=only), "--output-only")
    parser.add_argument(
        "--command-id",
        metavar="ID",
        help="the command of this id has ended (`phux commands`); by itself, without TARGET",
    )
    parser.add_argument("--command", dest="command_id", help=argparse.SUPPRESS)  # its old name
    parser.add_argument(
        "--timeout", metavar="SECS", type=seconds, help="how many seconds to wait; no limit when omitted"
    )


def run(options: argparse.Namespace) -> int:
    if options.command_id is not None:
        return _wait_for_command(options)
    wanted = flows.Conditions(
        until=options.until,
        regex=options.regex,
        gone=options.gone,
        idle_ms=options.idle_ms,
        state=options.state,
        command_done=options.command_done,
        exit=options.exit,
        stop=options.stop,
        since=options.since,
        output_only=options.output_only,
    )
    with connection(options) as phux:
        outcome = phux.drive(flows.wait(phux.caller, options.target, wanted, timeout_s=options.timeout))
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
    """Return whether there were several conditions, so that the exit code does not identify the one that held."""
    states = ",".join(options.state or ()).split(",")
    given = [value is not None for value in (options.until, options.regex, options.gone, options.idle_ms)]
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
