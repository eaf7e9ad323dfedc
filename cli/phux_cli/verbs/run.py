"""run: run a command in a pane's shell, print what it wrote, and exit as it did.

One CMD is a line of shell; several are words that the shell sees exactly so. Flags of CMD's own stand after `--`.
Exits with the command's code, 1 when it could not be run, 125 when the time is over (the command goes on) or when the
shell did not report the command's code.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_document, print_note, write
from phux_cli.usage import UsageError, add_json, add_socket, at_least, seconds
from phux_client import flows
from phux_core.errors import TimedOutError

USAGE = (
    "TARGET CMD... [--timeout SECS] [--interrupt] [--queue] [--detach] [--max-bytes N] [--raw] [--json] "
    "[--socket PATH] [-- CMD...]"
)
INTERMIXED = True
EXAMPLES = (
    'phux run work "echo hello && pwd"',
    'phux run work "seq 1 5000 | tail -3" --json',
    "phux run work -- printf '%s\\n' \"two words\" three",
)
_TIMED_OUT = 125
_UNKNOWN = 125
_LARGEST_CODE = 255


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what it takes."""
    parser.add_argument("target", metavar="TARGET", help="which pane")
    parser.add_argument("words", metavar="CMD", nargs="*", help="a line of shell, or program and arguments")
    parser.add_argument(
        "--timeout",
        metavar="SECS",
        type=seconds,
        default=flows.RUN_TIMEOUT_S,
        help=f"give up after SECS seconds, {flows.RUN_TIMEOUT_S} when omitted; 0 waits for ever",
    )
    parser.add_argument("--interrupt", action="store_true", help="send C-c when the time is over")
    parser.add_argument("--queue", action="store_true", help="wait for the prompt if another program runs")
    parser.add_argument("--detach", action="store_true", help="do not wait for it: the same as `phux start`")
    parser.add_argument(
        "--max-bytes", metavar="N", type=at_least(0), help="print at most N bytes, from both ends; 1048576 when omitted"
    )
    parser.add_argument("--raw", action="store_true", help="keep colours and other escape sequences")
    add_json(parser, "a RunResult document")
    add_socket(parser)


def run(options: argparse.Namespace) -> int:
    """Run it."""
    words = [*options.words, *(options.rest or [])]
    if not words or words == [""]:
        raise UsageError("there is no CMD", remedy='give a line of shell, such as "make test"')
    if options.detach:
        from phux_cli.verbs import start

        return start.run(options)
    with connection(options) as phux:
        flow = flows.run(
            phux.caller,
            options.target,
            words[0] if len(words) == 1 else words,
            timeout_s=options.timeout,
            queue=options.queue,
            interrupt=options.interrupt,
            max_bytes=options.max_bytes,
            raw=options.raw,
        )
        try:
            result = phux.drive(flow)
        except TimedOutError as error:
            error.exit_code = _TIMED_OUT
            raise
    if options.json:
        print_document(result)
    elif result["output"]:
        write(result["output"].removesuffix("\n") + "\n")
    if not result["exit_known"]:
        print_note(
            "the command ended, but the shell did not report its exit code. It may have replaced the shell's hooks "
            "(PROMPT_COMMAND, precmd_functions), or ended the shell it ran in"
        )
        return _UNKNOWN
    code: int = result["exit_code"]
    return code if 0 <= code <= _LARGEST_CODE else _LARGEST_CODE
