"""Parsers for the verbs, built one at a time, and their usage errors."""

import argparse
import math

from phux_cli.verbs import VERBS
from phux_client.moments import TIME_FORMS
from phux_core.conditions import CONDITIONS
from phux_core.errors import BadSizeError, PhuxError, TimedOutError
from phux_core.kinds import BOOLEAN, STATES, STRING, Param, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import ModuleType
    from typing import Any, NoReturn

    from phux_core.kinds import Kind

TIMEOUT = Param("timeout", number(), "seconds to wait", omitted="no limit")
_LONGEST_SIZE = 20
_TIMED_OUT = 124


class UsageError(PhuxError):
    """The command line is invalid."""

    code = "usage"
    exit_code = 2


class OutputError(PhuxError):
    """A verb's result could not be written."""

    code = "output"
    default_remedy = "check the path and the disk space, or write the output to another place"


def join_moments(words: "list[str]", *flags: str) -> "list[str]":
    """Join flags with their values, because argparse would take a moment such as -5m for a flag."""
    joined = iter(words)
    return [f"{word}={next(joined, '')}" if word in flags else word for word in joined]


def timed_out(timeout_s: float) -> TimedOutError:
    """Return the error for a wait whose timeout expired."""
    error = TimedOutError(f"the timeout of {timeout_s:g} s expired", remedy="allow more time with --timeout")
    error.exit_code = _TIMED_OUT
    return error


class Parser(argparse.ArgumentParser):
    """The parser of one verb."""

    @property
    def takes_several(self) -> bool:
        """Whether the verb takes several positional arguments, which may be mixed with flags."""
        return sum(not action.option_strings for action in self._actions) > 1

    def synopsis(self, rest: str) -> str:
        """Return the arguments for the usage line, including those after ``--``."""
        parts = [_positional(action) for action in self._actions if not action.option_strings]
        groups = [group._group_actions for group in self._mutually_exclusive_groups]  # noqa: SLF001
        for action in self._actions:
            group = next((group for group in groups if action in group), [action])
            if action.option_strings and action.dest != "help" and action is group[0]:
                shown = [_flag(one) for one in group if one.help != argparse.SUPPRESS]
                parts += [f"[{' | '.join(shown)}]"] if shown else []
        return " ".join([*parts, *([f"[-- {rest}]"] if rest else [])])

    def error(self, message: str) -> "NoReturn":
        """Raise UsageError for an invalid command line."""
        hint = ""
        if message.startswith("unrecognized arguments"):
            hint = similar(message.split()[2].partition("=")[0], self._option_string_actions)
            if not hint and "[-- " in str(self.usage):
                hint = "put arguments that are not flags of phux after `--`; "
        usage = str(self.usage).replace("%%", "%")
        raise UsageError(message, remedy=f"{hint}usage: {usage}")


def similar(word: str, known: "Iterable[str]") -> str:
    """Return a question for a hint whether a known word was meant; empty if none is similar."""
    import difflib

    found = difflib.get_close_matches(word, known, 1)
    return f"did you mean {found[0]!r}? " if found else ""


def _positional(action: argparse.Action) -> str:
    name = str(action.metavar)
    return f"[{name}]" if action.nargs == "?" else f"{name}..." if action.nargs == "*" else name


def _flag(action: argparse.Action) -> str:
    value = "" if action.nargs == 0 else f"[={action.metavar}]" if action.nargs == "?" else f" {action.metavar}"
    return f"{action.option_strings[0]}{value}"


class _HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """A formatter with the same output in every release of Python, so that a test can compare it with docs/cli.md."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30, width=100)

    # From Python 3.14 on, argparse looks up its colors for every argument, which costs milliseconds. Help has none.
    def _set_color(self, _color: bool) -> None:
        pass

    def __getattr__(self, name: str) -> object:
        if name in {"_theme", "_decolor"}:
            super()._set_color(False)  # type: ignore[misc]
            return self.__dict__[name]
        raise AttributeError(name)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings:
            return str(action.metavar)
        value = f" {action.metavar}" if action.nargs != 0 and action.metavar else ""
        return ", ".join(action.option_strings) + value


def build_parser(name: str, module: "ModuleType") -> Parser:
    """Return the parser of one verb, with its examples and the flags that all verbs share."""
    examples = "\n".join(f"  {example}" for example in module.EXAMPLES)
    parser = Parser(
        prog=f"phux {name}",
        description=_sentence((module.__doc__ or f"{name}: {VERBS[name]}").partition(":")[2].strip()),
        epilog=f"examples:\n{examples}",
        formatter_class=_HelpFormatter,
        allow_abbrev=False,
    )
    if hasattr(module, "add_arguments"):
        module.add_arguments(parser)
    if hasattr(module, "JSON"):
        parser.add_argument("--json", action="store_true", help=f"print {module.JSON}; print errors as JSON")
    if name != "schema":
        parser.add_argument("--socket", metavar="PATH", help="the server's socket")
        here_only = getattr(module, "HERE_ONLY", False)
        text = argparse.SUPPRESS if here_only else "the server's machine, as ssh reaches it"
        parser.add_argument("--host", metavar="DEST", help=text)
    synopsis = getattr(module, "USAGE", "") or parser.synopsis(getattr(module, "REST", ""))
    parser.usage = f"phux {name} {synopsis}".replace("%", "%%")
    return parser


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def add_params(parser: "argparse._ActionsContainer", params: "Mapping[str, Param]", *specs: str) -> None:
    """Add flags for parameters of a call, by specs such as ``-c --cwd CWD``; the last flag names the parameter."""
    for spec in specs:
        flag = [word for word in spec.split() if word.startswith("--")][-1]
        add_param(parser, params[flag.removeprefix("--").removeprefix("no-").replace("-", "_")], spec)


def add_param(parser: "argparse._ActionsContainer", param: Param, spec: str) -> None:
    """Add an argument for a parameter, with its type and description.

    Args:
        spec: The flags and the name of the value; without a flag, the argument is positional. A ``--no-`` flag sets a
            boolean to False.
    """
    *flags, value = spec.split() if param.kind is not BOOLEAN else [*spec.split(), ""]
    text = param.meaning.replace("%", "%%")
    if param.kind is BOOLEAN:
        negated = flags[-1].startswith("--no-")
        options: dict[str, Any] = {"action": "store_const", "const": False} if negated else {"action": "store_true"}
        text = f"do not {param.doc}" if negated else text
    else:
        options = {"metavar": value, "default": param.default}
        if param.kind.schema["type"] in {"integer", "number"}:
            options["type"] = number_of(param.kind)
        elif param.kind.schema["type"] in {"array", "object"}:
            options["action"] = "append"
    if flags:
        options["dest"] = param.name
    elif not param.required:
        options["nargs"] = "?"
    parser.add_argument(*(flags or [param.name]), help=text, **options)


def add_conditions(parser: argparse.ArgumentParser) -> None:
    """Add the flags for the conditions of a wait."""
    add_params(parser, CONDITIONS, "--until TEXT", "--regex RE", "--gone TEXT")
    add_param(parser, CONDITIONS["idle_ms"], "--idle MS")
    states = f"the pane is in this state, or in one of several separated by commas: {', '.join(STATES)}"
    add_param(parser, CONDITIONS["state"].but(doc=states), "--state S")
    add_params(parser, CONDITIONS, "--stop RE")


def conditions(options: argparse.Namespace) -> "dict[str, Any]":
    """Return the values of the flags of ``add_conditions``, as parameters of flows."""
    return {name: getattr(options, name) for name in ("until", "regex", "gone", "idle_ms", "state", "stop")}


def add_budget(parser: argparse.ArgumentParser, params: "Mapping[str, Param]") -> None:
    """Add the flags that limit and format a printed text."""
    add_params(parser, params, "--grep RE", "--context N", "--head N", "--tail N", "--max-bytes N")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--stripped", action="store_true", help="print the text without escape sequences")
    # The old name of --stripped.
    modes.add_argument("--strip-ansi", dest="stripped", action="store_true", help=argparse.SUPPRESS)
    modes.add_argument("--raw", action="store_true", help="print the bytes as they were written")
    modes.add_argument("--rendered", action="store_true", help="print the text as a terminal shows it; the default")


def budget(options: argparse.Namespace) -> "dict[str, Any]":
    """Return the values of the flags of ``add_budget``, as parameters of flows."""
    mode = "raw" if options.raw else "stripped" if options.stripped else "rendered"
    return {name: getattr(options, name) for name in ("grep", "context", "head", "tail", "max_bytes")} | {"mode": mode}


def number_of(kind: "Kind") -> "type[float]":
    """Return an argument type for the numbers of a kind."""

    def parse(text: str) -> float:
        try:
            value = int(text) if kind.annotation == "int" else float(text)
        except ValueError:
            value = math.nan
        if not kind.fits(value):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not {kind.words}")
        return value

    return parse  # type: ignore[return-value]


def parse_size(text: str) -> tuple[int, int]:
    """Parse COLSxROWS."""
    cols, _cross, rows = text.lower().partition("x")
    numbers = [number.removeprefix("-") for number in (cols, rows)]
    if not all(number.isascii() and number.isdecimal() for number in numbers):
        raise UsageError(f"{text[:40]!r} is not a size", remedy="write COLSxROWS, such as 80x24")
    if len(text) > _LONGEST_SIZE or "-" in text:
        raise BadSizeError(f"{text[:40]!r} is not a size")
    return int(cols), int(rows)


def add_selection(parser: argparse.ArgumentParser, params: "Mapping[str, Param]") -> None:
    """Add the flags that select commands by time and exit status."""
    times = {"since": "only from this time on", "until": "only before this time"}
    for name, meaning in times.items():
        param = params[name].but(kind=STRING, doc=f"{meaning}: {TIME_FORMS}" if name == "since" else meaning)
        add_param(parser, param, f"--{name} TIME")
    add_params(parser, params, "--failed", "--exit-code N")


def selection(options: argparse.Namespace) -> "dict[str, Any]":
    """Return the values of the flags of ``add_selection``, as parameters of flows."""
    return {name: getattr(options, name) for name in ("since", "until", "failed", "exit_code")}


def add_program(parser: argparse.ArgumentParser, params: "Mapping[str, Param]") -> None:
    """Add the flags of verbs that start a program in a new pane."""
    add_params(parser, params, "-c --cwd CWD")
    add_param(
        parser, params["extra_env"].but(doc="an additional environment variable; may be repeated"), "-e --env K=V"
    )


def program(options: argparse.Namespace) -> "dict[str, Any]":
    """Return the values of the flags of ``add_program``, and the command after ``--``, as parameters of flows."""
    variables = {}
    for text in options.extra_env or ():
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise UsageError(f"-e {text!r} is not of the form K=V", remedy="write -e NAME=VALUE")
        variables[name] = value
    return {"cwd": options.cwd, "command": options.rest or None, "env": variables}
