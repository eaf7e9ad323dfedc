"""run: run a command in a pane's shell, print its output, and exit with its exit code.

A single CMD is a shell command line. Several CMDs are a program and its arguments, which the shell does not interpret.
Put flags of the command itself after `--`. Ctrl-C exits with 130 and leaves the command running; with --interrupt, it
stops the command.

On a terminal, output is printed while the command runs; elsewhere, --stream does so, whole lines at a time. With --new,
there is no TARGET: the command runs in a session of its own, which is killed afterwards, and a server is started if
none is running. The input of CMD is the pane, and not that of `phux run`: write `CMD < FILE`.

Exit status: the command's exit code, 1 if it could not be run, 125 if the timeout expired (the command keeps running)
or the shell did not report an exit code.
"""

import argparse
import contextlib
import sys

from phux_cli.connection import connection
from phux_cli.output import print_on_stderr, show, stream, stream_raw
from phux_cli.usage import TIMEOUT, UsageError, add_param, add_params
from phux_cli.verbs import start
from phux_client import flows
from phux_client.flows.target import pane_id
from phux_core.calls import CALLS
from phux_core.errors import NoSuchTargetError, PhuxError, TimedOutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.blocking.driver import Driver
    from phux_client.flows._types import Document

REST = "CMD..."
JSON = "a RunResult document"
EXAMPLES = (
    'phux run work "echo hello && pwd"',
    'phux run work "seq 1 5000 | tail -3" --json',
    "phux run work -- printf '%s\\n' \"two words\" three",
    "phux run --new 'seq 3' --stream",
)
_NO_EXIT_CODE = 125
_LARGEST_CODE = 255
# How long a user who pressed Ctrl-C waits for a server that does not answer.
_LEAVE_TIMEOUT_S = 2.0


class RunInterruptedError(PhuxError):
    """The user pressed Ctrl-C."""

    code = "interrupted"
    exit_code = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", metavar="TARGET", nargs="?", help="the pane; none with --new")
    parser.add_argument("words", metavar="CMD", nargs="*", help="a shell command line, or a program and its arguments")
    wait = TIMEOUT.but(doc="seconds to wait, 0 for no limit", default=flows.RUN_TIMEOUT_S, omitted="")
    add_param(parser, wait, "--timeout SECS")
    params = CALLS["run"].params
    add_param(parser, params["interrupt"].but(doc="send C-c when the timeout expires, and on Ctrl-C"), "--interrupt")
    add_params(parser, params, "--queue")
    parser.add_argument("--new", action="store_true", help="run in a new session, and kill it afterwards")
    parser.add_argument("--detach", action="store_true", help="do not wait: the same as `phux start`")
    parser.add_argument(
        "--stream",
        action=argparse.BooleanOptionalAction,
        help="print output while the command runs; on a terminal by default",
    )
    add_params(parser, params, "--max-bytes N", "--raw")


def run(options: argparse.Namespace) -> int:
    if options.new and options.target is not None:
        options.words.insert(0, options.target)
        options.target = None
    if not options.new and options.target is None:
        raise UsageError("TARGET is missing", remedy="name a pane, or pass --new to run in a new session")
    if options.stream and (options.json or options.raw):
        raise UsageError("--stream cannot be combined with --json or --raw", remedy="leave one of them out")
    if options.new and options.detach:
        raise UsageError("--new cannot be combined with --detach", remedy="create the session with `phux new -d` first")
    command = start.command_of(options)
    if options.detach:
        return start.run(options)
    if options.new:
        return _run_in_new_session(options, command)
    with connection(options) as phux:
        return _run(options, phux, options.target, command)


def _run_in_new_session(options: argparse.Namespace, command: "str | list[str]") -> int:
    with connection(options, start=True) as phux:
        made = phux.drive(flows.new(phux.caller, None))
        try:
            return _run(options, phux, made["pane_id"], command)
        except RunInterruptedError:
            raise RunInterruptedError("the command was killed with its session") from None
        except TimedOutError as error:
            happened = error.message.removesuffix("; the command is still running")
            error.message = f"{happened}; the command was killed with its session"
            error.remedy = "allow more time with --timeout; if it waits for input, redirect that (`< FILE`)"
            raise
        finally:
            # A new connection, because that of an interrupted run is closed. The command may have ended the shell.
            with contextlib.suppress(NoSuchTargetError), connection(options) as other:
                other.drive(flows.kill(other.caller, ("session", made["session_id"])))


def _run(options: argparse.Namespace, phux: "Driver", target: "str | int", command: "str | list[str]") -> int:
    streams = (
        not options.json and not options.raw and (sys.stdout.isatty() if options.stream is None else options.stream)
    )
    run = flows.StreamedRun(
        command, timeout_s=options.timeout, queue=options.queue, max_bytes=options.max_bytes, raw=options.raw
    )
    run.whole_lines = not sys.stdout.isatty()
    try:
        run.pane = phux.drive(flows.within(pane_id(target, phux.caller), run.timeout_s))
        printed = _print_chunks(phux, run) if streams else False
        result = phux.drive(flows.within(flows.stream_result(run, interrupt=options.interrupt), run.timeout_s))
    except TimedOutError as error:
        error.exit_code = _NO_EXIT_CODE
        raise
    except KeyboardInterrupt:
        if run.pane < 0:
            raise
        phux.close()  # makes the server stop waiting, and drop a command that was not typed yet
        raise _interrupted(options, run.pane, run.run_id) from None
    return _exit_code(options, result, is_printed=printed)


def _print_chunks(phux: "Driver", run: flows.StreamedRun) -> bool:
    """Print output while the command runs; return whether there was any."""
    phux.drive(flows.within(flows.start_stream(phux.caller, run.pane, run), run.timeout_s))
    last = ""
    while (chunk := phux.drive(flows.next_chunk(run))) is not None:
        last = chunk
        stream(chunk)
    if last and not last.endswith("\n"):
        stream("\n")
    return bool(last)


def _exit_code(options: argparse.Namespace, result: "Document", *, is_printed: bool) -> int:
    """Print the output, unless it is printed already, and return the exit code."""
    text = result["output"]
    if is_printed:
        pass
    elif options.json or not options.raw:
        show(options, result, *(text.removesuffix("\n").split("\n") if text else []))
    elif text:
        stream_raw(text.removesuffix("\n") + "\n")
    if not result["exit_known"]:
        print_on_stderr(
            "phux: the command ended, but the shell did not report its exit code. The command may have replaced "
            "the shell's hooks (PROMPT_COMMAND, precmd_functions), or ended the shell"
        )
        return _NO_EXIT_CODE
    code: int = result["exit_code"]
    return code if 0 <= code <= _LARGEST_CODE else _LARGEST_CODE


def _interrupted(options: argparse.Namespace, pane: int, run_id: str) -> RunInterruptedError:
    """Return the error after Ctrl-C, with the state of the command and how to stop it."""
    import shlex

    where = f" --socket {shlex.quote(options.socket)}" if options.socket else ""
    remedy = f"stop it with: phux signal @{pane} {'KILL' if options.interrupt else 'INT'}{where}"
    try:
        with connection(options, timeout_s=_LEAVE_TIMEOUT_S) as phux:
            reply = phux.drive(flows.leave_run(pane, run_id, interrupt=options.interrupt))
    except (PhuxError, KeyboardInterrupt) as failure:  # KeyboardInterrupt: the user pressed Ctrl-C again
        why = f": {failure.message}" if isinstance(failure, PhuxError) else ""
        return RunInterruptedError(f"the command may still be running in @{pane}{why}", remedy=remedy)
    if reply["outcome"] == "finished":
        return RunInterruptedError(f"the command in @{pane} ended with exit code {reply['exit_code']}")
    if not reply["started"]:
        error = RunInterruptedError(f"the command was not typed in @{pane}")
        error.executed = False
        return error
    if reply["ended"]:
        return RunInterruptedError(f"C-c stopped the command in @{pane}")
    happened = "is still running after C-c" if options.interrupt else "is still running"
    return RunInterruptedError(f"the command {happened} in @{pane}", remedy=remedy)
