"""The conditions of a wait, checked before any request is sent. Import-light."""

from phux_core.errors import BadRequestError
from phux_core.kinds import LARGEST, MAX_COUNT, STATES
from phux_core.patterns import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from phux_client.flows._types import Document

_DEFAULT_IDLE_MS = 500


class Conditions:
    """The conditions of one wait, and the parts of a pane they examine.

    Without a condition, the wait is for an idle pane. ``Pane.wait`` of the library describes each condition.

    Attributes:
        is_default: Whether there is no condition except ``stop``, so that the wait is for an idle pane.
        reads_text: Whether a condition examines output.
        follows: Whether a condition examines output or the screen.
        silent_ms: After this silence, a state counts although nothing was written since ``since``.
    """

    def __init__(
        self,
        *,
        until: str | None = None,
        regex: str | None = None,
        gone: str | None = None,
        idle_ms: int | None = None,
        state: "str | Sequence[str] | None" = None,
        command_done: bool = False,
        exit: bool = False,  # noqa: A002  the CLI's word
        stop: str | None = None,
        since: int | None = None,
        output_only: bool = False,
    ) -> None:
        check_number("idle_ms", idle_ms, LARGEST)
        check_number("since", since, MAX_COUNT)
        for name, text in {"until": until, "gone": gone}.items():
            if text is not None and not isinstance(text, str):
                raise BadRequestError(f"{name} must be a text, not {text!r:.80}", remedy="give the text to search for")
        # Each function returns the index of the first line that meets its condition, and the text that identifies the
        # match.
        self._matchers: list[tuple[str, Callable[[Sequence[str]], tuple[int, str] | None]]] = []
        if stop is not None:
            self._matchers.append(("stop", _pattern(stop)))
        if until is not None:
            self._matchers.append(("until", _text(until)))
        if regex is not None:
            self._matchers.append(("regex", _pattern(regex)))
        self.reads_text = bool(self._matchers)
        if output_only and not self.reads_text:
            raise BadRequestError("output_only needs a text to wait for", remedy="give until, regex or stop as well")
        self.follows = self.reads_text or gone is not None
        self.gone = gone
        self.states = _states(state)
        self.command_done = command_done
        self.exit = exit
        self.since = since
        self.output_only = output_only
        self.silent_ms: int | None = None
        others = (until, regex, gone, idle_ms)
        self.is_default = all(value is None for value in others) and not (self.states or command_done or exit)
        self.idle_ms = _DEFAULT_IDLE_MS if self.is_default else idle_ms

    def find(self, lines: "Sequence[str]") -> "tuple[str, str] | None":
        """Return the condition that ends the wait, and the first line that meets it.

        Written text has blanks at the ends of lines, and a screen has not; a pattern such as `>>>$` finds both.
        """
        found = None
        lines = [bare for line in lines for bare in ((line, line.rstrip(" ")) if line.endswith(" ") else (line,))]
        for name, first in self._matchers:
            hit = first(lines)
            if hit is not None:
                # A later condition ends the wait only on an earlier line.
                found = name, lines[hit[0]]
                lines = lines[: hit[0]]
        return found

    def find_drawn(self, drawn: "Document") -> "tuple[str, str] | None":
        """Return the condition and the line of the first new match in lines drawn on the alternate screen.

        A match is old if a replaced line had the same match: a clock, for example, changes only a part of its row.
        """
        old = [hit for line in drawn["instead_of"] for hit in self._hits(line)]
        for line in drawn["lines"]:
            for name, words in self._hits(line):
                if (name, words) not in old:
                    return name, line
                old.remove((name, words))
        return None

    def _hits(self, line: str) -> "Iterator[tuple[str, str]]":
        """Yield the conditions that a line meets, each with the text that matched."""
        for name, first in self._matchers:
            hit = first([line])
            if hit is not None:
                yield name, hit[1]

    def missed(self, screen: "Document") -> str:
        """Return the error message for a program that ended before any condition held."""
        names = [name for name, _first in self._matchers if name != "stop"]
        names += [name for name in ("gone", "command_done") if getattr(self, name)]
        if self.states:
            names.append("state")
        return f"the program in @{screen['pane']} ended before the condition held ({', '.join(names)})"


def is_seen(text: str, lines: "Iterable[str]") -> bool:
    """Return whether a line contains a text."""
    blanks = _trailing_blanks(text)
    return any(text in line + blanks for line in lines)


def _trailing_blanks(text: str) -> str:
    """Return the trailing blanks of a text. Lines have none, so they are added to lines before searching."""
    return " " * (len(text) - len(text.rstrip(" ")))


def _text(text: str) -> "Callable[[Sequence[str]], tuple[int, str] | None]":
    blanks = _trailing_blanks(text)

    def first(lines: "Sequence[str]") -> "tuple[int, str] | None":
        for index, line in enumerate(lines):
            if text in (line + blanks if blanks else line):
                return index, ""
        return None

    return first


def _pattern(pattern: str) -> "Callable[[Sequence[str]], tuple[int, str] | None]":
    searcher = Searcher(pattern)
    if " " not in pattern and r"\s" not in pattern:
        return searcher.first

    # The pattern `\$ $` is meant for a prompt that ends in a blank, but a screen's lines have no trailing blanks.
    def first(lines: "Sequence[str]") -> "tuple[int, str] | None":
        hit = searcher.first(lines)
        padded = [line + " " for line in (lines if hit is None else lines[: hit[0]])]
        return searcher.first(padded) or hit

    return first


def _states(state: "str | Sequence[str] | None") -> "frozenset[str]":
    given = [] if state is None else [state] if isinstance(state, str) else state
    states = frozenset(part.strip() for words in given for part in words.split(","))
    unknown = sorted(states.difference(STATES))
    if unknown:
        raise BadRequestError(f"there is no state {unknown[0]!r:.80}", remedy=f"the states are: {', '.join(STATES)}")
    return states


def check_number(name: str, value: object, most: int = LARGEST, *, optional: bool = True) -> None:
    """Raise BadRequestError if a number is invalid or too large."""
    if not (value is None and optional) and not (isinstance(value, (int, float)) and 0 <= value <= most):
        raise BadRequestError(f"{name} is not a valid number: {value!r:.80}", remedy=f"give a number from 0 to {most}")
