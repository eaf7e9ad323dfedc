"""run: run a command in a pane's shell, print its output, and exit with its exit code.

A single CMD is a shell command line. Several CMDs are a program and its arguments, which the shell does not interpret.
Put flags of the command itself after `--`. Ctrl-C exits with 130 and leaves the command running; with --interrupt, it
stops the command.

Exit status: the command's exit code, 1 if it could not be run, 125 if the timeout expired (the command keeps running)
or the shell did not report an exit code.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_on_stderr, show, stream_raw
from phux_cli.usage import TIMEOUT, add_param, add_params
from phux_cli.verbs import start
from phux_client import flows
from phux_client.flows.running import new_run_id
from phux_client.flows.target import pane_id
from phux_core.calls import CALLS
from phux_core.errors import PhuxError, TimedOutError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow

REST = "CMD..."
JSON = "a RunResult document"
EXAMPLES = (
    'phux run work "echo hello && pwd"',
    'phux run work "seq 1 5000 | tail -3" --json',
    "phux run work -- printf '%s\\n' \"two words\" three",
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
    parser.add_argument("target", metavar="TARGET", help="the pane")
    parser.add_argument("words", metavar="CMD", nargs="*", help="a shell command line, or a program and its arguments")
    wait = TIMEOUT.but(doc="seconds to wait, 0 for no limit", default=flows.RUN_TIMEOUT_S, omitted="")
    add_param(parser, wait, "--timeout SECS")
    params = CALLS["run"].params
    add_param(parser, params["interrupt"].but(doc="send C-c when the timeout expires, and on Ctrl-C"), "--interrupt")
    add_params(parser, params, "--queue")
    parser.add_argument("--detach", action="store_true", help="do not wait: the same as `phux start`")
    add_params(parser, params, "--max-bytes N", "--raw")


def run(options: argparse.Namespace) -> int:
    command = start.command_of(options)
    if options.detach:
        return start.run(options)
    pane: int | None = None
    run_id = new_run_id()

    def flow(caller: flows.Caller) -> "Flow[Document]":
        nonlocal pane
        pane = yield from pane_id(options.target, caller)
        return (
            yield from flows.run(
                caller,
                pane,
                command,
                timeout_s=options.timeout,
                queue=options.queue,
                interrupt=options.interrupt,
                max_bytes=options.max_bytes,
                raw=options.raw,
                run_id=run_id,
            )
        )

    with connection(options) as phux:
        try:
            result = phux.drive(flows.within(flow(phux.caller), options.timeout or None))
        except TimedOutError as error:
            error.exit_code = _NO_EXIT_CODE
            raise
        except KeyboardInterrupt:
            if pane is None:
                raise
            phux.close()  # makes the server stop waiting, and drop a command that was not typed yet
            raise _interrupted(options, pane, run_id) from None
    text = result["output"]
    if options.json or not options.raw:
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
