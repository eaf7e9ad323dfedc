r"""wait: wait until a condition holds for a pane; the default condition is --idle 500.

If several conditions are given, the first one to hold ends the wait and is printed, followed by a tab and the line or
state that matched; with --json, see `met`, `met_line` and `state` in the document. Without TARGET, waits for the last
focused session.

--until, --regex and --stop match complete lines, even if they wrap on the screen: those visible when the wait begins,
and all that are written later, even if they scroll off or are erased. Text that is erased at once is searched as it was
written, so text that a program assembled by moving the cursor or inserting characters is not found. The conditions
also match the echo of typed text, unless --output-only is given, and old lines, unless --since SEQ (the `seq` of a
ScreenState) is given. Lines on a screen have no trailing blanks, but a pattern with a trailing blank, such as `\$ $`,
still finds a prompt.

Exit status: 0 if a condition holds, 1 if --stop matches or the program has ended, 124 if the timeout expires.
"""

import argparse

from phux_cli.connection import drive, drive_or_read
from phux_cli.output import print_document, show, write
from phux_cli.usage import TIMEOUT, UsageError, add_conditions, add_param, conditions, timed_out
from phux_client import flows
from phux_core.conditions import CONDITIONS
from phux_core.errors import StoppedError, TimedOutError

JSON = "the final ScreenState document, also after a timeout; with --command-id, a CommandInfo document"
EXAMPLES = (
    "phux wait work --idle 200 --timeout 30",
    "phux wait work --until '$' --timeout 30 --json",
    "phux start work 'sleep 1' && phux wait --command-id 1.1 --timeout 30 --json",
    r"phux wait work --regex '^\$' --stop 'command not found' --timeout 30",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane")
    add_conditions(parser)
    parser.add_argument("--command-done", action="store_true", help="the shell finished a command")
    parser.add_argument("--exit", action="store_true", help="the program has ended")
    since = "a `seq`: only output, commands and states after it count"
    add_param(parser, CONDITIONS["since"].but(doc=since), "--since SEQ")
    only = f"{CONDITIONS['output_only'].doc}; without --since, start at the latest command"
    add_param(parser, CONDITIONS["output_only"].but(doc=only), "--output-only")
    parser.add_argument(
        "--command-id", metavar="ID", help="the command with this id has ended (see `phux commands`); takes no TARGET"
    )
    parser.add_argument("--command", dest="command_id", help=argparse.SUPPRESS)  # the old name of --command-id
    add_param(parser, TIMEOUT, "--timeout SECS")


def run(options: argparse.Namespace) -> int:
    if options.command_id is not None:
        return _wait_for_command(options)
    wanted = flows.Conditions(
        command_done=options.command_done,
        exit=options.exit,
        since=options.since,
        output_only=options.output_only,
        **conditions(options),
    )
    outcome = drive(options, flows.wait, options.target, wanted, timeout_s=options.timeout)
    if options.json:
        print_document(outcome.document)
    if outcome.met == "stop":
        raise StoppedError(f"the stop pattern {options.stop!r} matched first: {outcome.line!r:.200}")
    if outcome.met is None:
        raise timed_out(options.timeout)
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
        raise UsageError("--command-id cannot be combined with TARGET", remedy="leave TARGET out")
    try:
        document = drive_or_read(
            options, lambda _caller: flows.wait_command(options.command_id, timeout_s=options.timeout)
        )
    except TimedOutError:
        raise timed_out(options.timeout) from None
    return show(options, document)
