"""Where in its code a shell that marks nothing waits for a command line, to know when it waits for something else.

Everything else about the two may be the same: the process, the call it sleeps in, the terminal's settings. A prompt may
be in several places (an editor's modes, a search), so they are collected. To take a read for the prompt is no worse
than to know nothing; to take the prompt for a read keeps everybody out, so what speaks for a prompt wins.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from phux_core.server.kernel.stack_depth import depth_of_wait
from phux_core.server.shell.remote_shell import INTERRUPT

if TYPE_CHECKING:
    from phux_core.server.kernel.foreground import Foreground

# Shells inside shells that are remembered, and places of each.
_SHELLS, _PLACES = 16, 8
# What a key or a line brings about has happened after that; before, the shell may not have heard of it.
_MOMENT_S = 0.25
# More lines than anybody takes before the next pause.
_UNKNOWN = 1_000_000
# Lines that are entered one upon the other may be taken by different readers.
_BURST_S = 0.5

_Shell = tuple[int, str]


class _Place(NamedTuple):
    depth: int | None
    canonical: bool


def _is_among(place: _Place, known: list[_Place]) -> bool:
    """Tell whether a place is one of those that are known, as far as can be told."""
    deep = [each for each in known if each.depth is not None]
    if place.depth is None or not deep:
        # A shell that edits its lines itself is not at its prompt where it does not.
        return not place.canonical or any(each.canonical for each in known)
    if any(each.depth == place.depth for each in deep):
        return True
    return not place.canonical and all(each.canonical for each in deep)  # it has begun to edit them: set -o emacs


class PromptPlaces:
    """The places of one pane's shells, those inside others among them; a shell is known by its number and name."""

    def __init__(self) -> None:
        self._places: dict[_Shell, list[_Place]] = {}
        self._last: _Shell | None = None
        self._entered = 0  # lines that nobody is known to have taken
        self._typed_at = 0.0
        self._at_prompt = False
        self._left: tuple[_Shell, _Place] | None = None  # where the shell was last that is not at its prompt
        self._entered_at_left: tuple[_Shell, _Place] | None = None

    def typed(self, data: bytes) -> None:
        """Take note that somebody typed."""
        now = time.monotonic()
        if self._at_prompt and now > self._typed_at + _BURST_S:
            self._entered = 0
        self._typed_at = now
        _before, interrupt, after = data.rpartition(INTERRUPT)
        if interrupt:
            self._entered = 0
        lines = after.count(b"\r") + after.count(b"\n")
        self._entered += lines
        self._entered_at_left = self._left if lines else None

    def line_taken(self) -> None:
        """Take note that a shell which marks its commands has the terminal, and took a line."""
        self._last = None
        self._entered = max(0, self._entered - 1)

    def run_began(self, shell: _Shell, depth: int | None, *, canonical: bool) -> None:
        """Take note that a shell has taken a line of ours where it waited.

        Args:
            shell: The shell.
            depth: How deep it waited.
            canonical: Whether it left the editing of the line to the terminal.
        """
        self._entered = 0
        self._learn(shell, _Place(depth, canonical))

    def forget(self) -> None:
        """Take note that nobody knows what was entered so far."""
        self._places.clear()
        self._entered = _UNKNOWN

    def is_left(self, foreground: Foreground) -> bool:
        """Tell whether a shell waits for the terminal, and likely not at its prompt.

        Args:
            foreground: A shell that marks nothing.
        """
        if not foreground.waiting:
            return False
        shell, here = (foreground.pid, foreground.name), _Place(depth_of_wait(foreground.pid), foreground.canonical)
        if shell != self._last and self._last is not None:
            self._entered = max(0, self._entered - 1)  # the line that has started this one, or ended the other
        self._last = shell
        known = self._places.get(shell)
        if known is None:
            if not self._entered:  # the first thing it waits for is its first line, unless that was there before it
                self._learn(shell, here)
            self._at_prompt = True
        else:
            self._at_prompt = _is_among(here, known)
            if not self._at_prompt and self._can_be_prompt(shell, here):
                self._learn(shell, here)
                self._at_prompt = True
        self._left = None if self._at_prompt else (shell, here)
        return not self._at_prompt

    def _can_be_prompt(self, shell: _Shell, here: _Place) -> bool:
        """Tell whether a shell that was at its prompt elsewhere may have it here."""
        if time.monotonic() < self._typed_at + _MOMENT_S:
            return False
        # Keys without a line start no command. And where a line was entered and the shell waits again there is its
        # prompt; or a loop of reads, of which nothing is lost but that it is told from the prompt.
        return not self._entered or self._entered_at_left == (shell, here)

    def _learn(self, shell: _Shell, place: _Place) -> None:
        places = self._places.pop(shell, [])
        self._places[shell] = [*(each for each in places if each != place), place][-_PLACES:]
        if len(self._places) > _SHELLS:
            del self._places[next(iter(self._places))]
