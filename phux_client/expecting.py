"""``expect``: assertions about panes that wait until they hold, and the messages of those that fail."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, overload

from phux_client.regions import source
from phux_core import documents, errors, shapes
from phux_core.patterns import Searcher
from phux_core.width import columns, join_wrapped

if TYPE_CHECKING:
    import re

    from phux_client import aio, blocking
    from phux_client.aio.expecting import PaneExpectation
    from phux_client.blocking.expecting import PaneExpectation as BlockingPaneExpectation
    from phux_client.flows import Document

EXPECT_TIMEOUT_S = 5.0
"""The default time limit of an expectation."""


class ExpectationError(errors.PhuxError, AssertionError):
    """A pane did not meet an expectation in time. The message has its screen and the line nearest to the expected text.

    Attributes:
        screen: The last screen.

    Example:
        >>> from phux_client import expect
        >>> try:
        ...     expect(pane, timeout_s=0).to_show("Saved")
        ... except ExpectationError as error:
        ...     print(error.message.splitlines()[0])
        expected @1 to show 'Saved' within 0 s
    """

    code = "expectation_failed"

    def __init__(self, message: str, screen: shapes.ScreenState) -> None:
        super().__init__(message)
        self.screen = screen


@overload
def expect(pane: aio.Pane, *, timeout_s: float = EXPECT_TIMEOUT_S) -> PaneExpectation: ...


@overload
def expect(pane: blocking.Pane, *, timeout_s: float = EXPECT_TIMEOUT_S) -> BlockingPaneExpectation: ...


def expect(
    pane: aio.Pane | blocking.Pane, *, timeout_s: float = EXPECT_TIMEOUT_S
) -> PaneExpectation | BlockingPaneExpectation:
    """Return assertions about a pane. Each waits until it holds; those of an async pane are awaited.

    Args:
        pane: A pane of the async or of the blocking client.
        timeout_s: How long each assertion waits.

    Raises:
        BadRequestError: The argument is not a pane.

    Example:
        >>> from phux_client import expect
        >>> result = pane.run("echo Saved")
        >>> expect(pane).to_show("Saved")
        >>> expect(pane).to_be("prompt")
    """
    from phux_client import blocking

    if isinstance(pane, blocking.Pane):
        from phux_client.blocking.expecting import PaneExpectation as BlockingPaneExpectation

        return BlockingPaneExpectation(pane, timeout_s)
    from phux_client import aio
    from phux_client.aio.expecting import PaneExpectation

    if not isinstance(pane, aio.Pane):
        raise errors.BadRequestError(f"expect got {pane!r:.80}", remedy="pass a pane, such as session.pane")
    return PaneExpectation(pane, timeout_s)


class Text:
    """A text or a pattern to look for in the lines of a screen; wrapped lines are joined."""

    def __init__(self, text: str | re.Pattern[str]) -> None:
        self._text = text if isinstance(text, str) else None
        self._searcher = None if isinstance(text, str) else Searcher(source(text))
        self._shown = repr(text) if isinstance(text, str) else f"/{text.pattern}/"

    def __str__(self) -> str:
        return self._shown

    def is_in(self, lines: list[str]) -> bool:
        """Return whether a line contains the text or matches the pattern."""
        if self._searcher is not None:
            return self._searcher.first(lines) is not None
        text = self._text or ""
        blanks = " " * (len(text) - len(text.rstrip(" ")))  # lines have no trailing blanks
        return any(text in line + blanks for line in lines)

    def shown(self, screen: Document) -> bool | None:
        """Return True if the screen shows the text."""
        return self.is_in(logical_lines(screen)) or None

    def not_shown(self, screen: Document) -> bool | None:
        """Return True if the screen does not show the text."""
        return not self.is_in(logical_lines(screen)) or None

    def titled(self, screen: Document) -> bool | None:
        """Return True if the pane's title contains the text."""
        return self.is_in([screen.get("title", "")]) or None

    def nearest(self, screen: Document) -> str | None:
        """Return the line of the screen that is most similar to the text; None if there is none."""
        if self._text is None:
            return None
        near = difflib.get_close_matches(self._text, [line for line in screen["lines"] if line], n=1, cutoff=0.3)
        return f"the nearest line is row {screen['lines'].index(near[0])}: {near[0]!r}" if near else None


def logical_lines(screen: Document) -> list[str]:
    """Join the rows of a screen that belong to one wrapped line."""
    return join_wrapped(screen["lines"], set(screen["soft_wrap"]["lines"]), screen["cols"])


def failure(screen: Document, expected: str, timeout_s: float, *details: str | None) -> ExpectationError:
    """Return the error for an expectation that did not hold, with the screen."""
    state = f"its state is {screen['state']!r}"
    if screen["state"] == "dead":
        state = f"its program has ended ({how_it_ended(screen)})"
    elif screen.get("foreground"):
        state += f", {screen['foreground']['command']} is in the foreground"
    lines = [f"expected @{screen['pane']} {expected} within {timeout_s:g} s"]
    lines += [detail for detail in (*details, state) if detail]
    return ExpectationError("\n".join([*lines, *_framed(screen)]), documents.load(shapes.ScreenState, screen))


def how_it_ended(screen: Document) -> str:
    """Return how the program of a dead pane ended."""
    if screen.get("signal"):
        return f"killed by SIG{screen['signal'].removeprefix('SIG')}"
    return f"exit status {screen.get('exit_status', 'unknown')}"


def _framed(screen: Document) -> list[str]:
    cols = screen["cols"]
    edge = "+" + "-" * cols + "+"
    rows = [f"|{line}{' ' * (cols - columns(line))}|" for line in screen["lines"]]
    while len(rows) > 1 and not screen["lines"][len(rows) - 1]:
        rows.pop()
    left_out = len(screen["lines"]) - len(rows)
    return [edge, *rows, *([f"({left_out} empty rows)"] if left_out else []), edge]
