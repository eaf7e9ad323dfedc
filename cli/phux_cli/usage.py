"""Parsers, built one at a time, and what they say when the arguments make no sense."""

import argparse

from phux_cli.verbs import VERBS
from phux_core.errors import BadSizeError, PhuxError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any, NoReturn


MOST = 10**9
"""The largest number a flag takes: thirty years in seconds, more rows than any history has."""

LAST_PLACE = 2**53
"""The last place in a pane's stream that a flag takes: a pane that writes for weeks gets far beyond ``MOST``."""


_LONGEST_SIZE = 20


class UsageError(PhuxError):
    """The command line makes no sense."""

    code = "usage"
    exit_code = 2


class OutputError(PhuxError):
    """What a verb came to could not be written."""

    code = "output"
    default_remedy = "make room where it is written to, or write it somewhere else"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> "NoReturn":
        hint = ""
        if message.startswith("unrecognized arguments") and "[-- " in str(self.usage):
            hint = "; what is not meant as a flag or name stands after `--`"
        usage = str(self.usage).replace("%%", "%")
        raise UsageError(message, remedy=f"usage: {usage}{hint}")


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """The same help under every release of Python, so that docs/cli.md can be compared with it."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=100)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return str(action.metavar)
        value = f" {action.metavar}" if action.nargs != 0 and action.metavar else ""
        return ", ".join(action.option_strings) + value


def build_parser(name: str, module: "ModuleType") -> argparse.ArgumentParser:
    """Build the parser of one verb, with its examples and the flags all verbs share."""
    examples = "\n".join(f"  {example}" for example in module.EXAMPLES)
    parser = _Parser(
        prog=f"phux {name}",
        usage=f"phux {name} {module.USAGE}".replace("%", "%%"),
        description=_sentence((module.__doc__ or f"{name}: {VERBS[name]}").partition(":")[2].strip()),
        epilog=f"examples:\n{examples}",
        formatter_class=_HelpFormatter,
        allow_abbrev=False,
    )
    module.add_arguments(parser)
    return parser


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def add_socket(parser: argparse.ArgumentParser) -> None:
    """Add ``--socket``."""
    parser.add_argument("--socket", metavar="PATH", help="the server's socket")


def add_json(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help=f"print {what}; errors as JSON on stderr")


def add_budget(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say how much of a text to give, and how."""
    parser.add_argument("--grep", metavar="RE", help="only lines that match this pattern")
    parser.add_argument("--context", metavar="N", type=at_least(0), help="N lines around each that matches")
    parser.add_argument("--head", metavar="N", type=at_least(0), help="the first N lines of what there is")
    parser.add_argument("--tail", metavar="N", type=at_least(0), help="the last N lines")
    parser.add_argument("--max-bytes", metavar="N", type=at_least(0), help="at most N bytes")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--stripped", action="store_true", help="all that was written but escape sequences")
    modes.add_argument("--strip-ansi", dest="stripped", action="store_true", help=argparse.SUPPRESS)  # its old name
    modes.add_argument("--raw", action="store_true", help="the bytes as they were written")
    modes.add_argument("--rendered", action="store_true", help="as it stands on a terminal; the default")


def budget(options: argparse.Namespace) -> "dict[str, Any]":
    """Give the values of those flags, as flows take them."""
    return {
        "grep": options.grep,
        "context": options.context,
        "head": options.head,
        "tail": options.tail,
        "max_bytes": options.max_bytes,
        "mode": "raw" if options.raw else "stripped" if options.stripped else "rendered",
    }


def at_least(minimum: int, *, most: int = MOST) -> "type[int]":
    """Make an argument type for whole numbers that are not too small."""

    def number(text: str) -> int:
        value = int(text)
        if not minimum <= value <= most:
            raise argparse.ArgumentTypeError(f"{text[:40]} is not from {minimum} to {most}")
        return value

    number.__name__ = "number"
    return number  # type: ignore[return-value]


def seconds(text: str) -> float:
    """Read a duration in seconds, an argument type."""
    value = float(text)
    if not 0 <= value <= MOST:
        raise argparse.ArgumentTypeError(f"{text[:40]} is not from 0 to {MOST}")
    return value


seconds.__name__ = "number"


def parse_size(text: str) -> tuple[int, int]:
    """Read COLSxROWS.

    Raises:
        UsageError: It is something else.
        BadSizeError: No terminal has so many.
    """
    cols, _cross, rows = text.lower().partition("x")
    numbers = [number.removeprefix("-") for number in (cols, rows)]
    if not all(number.isascii() and number.isdecimal() for number in numbers):
        raise UsageError(f"{text[:40]!r} is not a size", remedy="write COLSxROWS, such as 80x24")
    if len(text) > _LONGEST_SIZE or "-" in text:
        raise BadSizeError(f"{text[:40]!r} is not a size")
    return int(cols), int(rows)


def add_program(parser: argparse.ArgumentParser, beside: str) -> None:
    """Add what verbs take that make a pane beside something."""
    parser.add_argument("-c", "--cwd", metavar="CWD", help=f"where the program starts; where {beside} is when omitted")
    parser.add_argument(
        "-e", "--env", metavar="K=V", action="append", default=[], help="a variable for the program; may be repeated"
    )
    parser.add_argument("--select", action="store_true", help="give it the focus")


def parse_variables(texts: list[str]) -> dict[str, str]:
    """Read variables of the form K=V.

    Raises:
        UsageError: One is something else.
    """
    variables = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"-e {text!r} is not of the form K=V", remedy="write -e NAME=VALUE")
        variables[name] = value
    return variables
