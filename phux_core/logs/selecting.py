"""Select commands and parts of logs by time, exit status and text."""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING, Any

from attrs import define

from phux_core.log_calls import MOST_COMMANDS
from phux_core.logs import listing, places
from phux_core.logs.timeline import Timeline
from phux_core.patterns import TimeLimit, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from phux_core.logs.stored import Stored

    Document = dict[str, Any]


@define
class Selection:
    """The conditions for commands: those that ran in a period, ended with a status, and match a pattern.

    Attributes:
        since: The start of the period, in seconds since the epoch.
        until: Its end.
        failed: Whether the exit status must not be 0.
        exit_code: The exit status.
        grep: A pattern for the command line.
    """

    since: float | None = None
    until: float | None = None
    failed: bool = False
    exit_code: int | None = None
    grep: str | None = None

    @property
    def is_about_results(self) -> bool:
        """Whether exit statuses count."""
        return self.failed or self.exit_code is not None

    def commands(self, entries: Iterable[Document]) -> Iterator[Document]:
        """Yield the ledger entries that fit."""
        pattern = None if self.grep is None else compile_pattern(self.grep)
        for entry in entries:
            if not self._is_in_period(entry["started_at"]) or not self._has_result(entry["exit_code"]):
                continue
            if pattern is not None:
                with TimeLimit():
                    if not pattern.search(entry["command"] or ""):
                        continue
            yield entry

    def _is_in_period(self, moment: float) -> bool:
        return (self.since is None or moment >= self.since) and (self.until is None or moment < self.until)

    def _has_result(self, exit_code: int | None) -> bool:
        if self.exit_code is not None and exit_code != self.exit_code:
            return False
        return not self.failed or exit_code not in {None, 0}

    def parts(self, stored: Stored, commands: Sequence[Document]) -> list[tuple[float, float]] | None:
        """Return the parts of a log that were written in the period by commands with the exit status.

        Args:
            stored: The log.
            commands: The ledger entries of the log.

        Returns:
            The sequence numbers at which each part begins and ends; None for the whole log.
        """
        parts: list[tuple[float, float]] | None = None
        if self.is_about_results:
            parts = [
                (entry["start"], math.inf if entry["end"] is None else entry["end"])
                for entry in commands
                if entry["start"] is not None and self._has_result(entry["exit_code"])
            ]
        if self.since is None and self.until is None:
            return parts
        low, high = self._period(stored)
        whole = [(0.0, math.inf)] if parts is None else parts
        cut = [(max(start, low), min(end, high)) for start, end in whole]
        return [(start, end) for start, end in cut if start < end]

    def _period(self, stored: Stored) -> tuple[float, float]:
        """Return the part of a log that was written in the period, as sequence numbers."""
        timeline = Timeline(stored.directory)
        if timeline.first is None:  # only the times of the whole log are known
            meta = places.read_meta(stored.directory)
            began, ended = meta.get("started_at", 0.0), meta.get("ended_at", math.inf)
            is_outside = (self.since or 0.0) > ended or (self.until is not None and self.until <= began)
            return (0.0, 0.0) if is_outside else (0.0, math.inf)
        low = 0 if self.since is None else timeline.seq_at(self.since)
        high = None if self.until is None else timeline.seq_at(self.until)
        return math.inf if low is None else low, math.inf if high is None else high


def select_commands(
    root: str,
    selection: Selection,
    *,
    entries: Iterable[Document] = (),
    stored: bool = False,
    skipped: Sequence[str] = (),
    most: int | None = None,
) -> list[Document]:
    """Return the newest commands that fit, oldest first.

    Args:
        root: The directory of all logs.
        selection: The conditions.
        entries: Ledger entries of live panes.
        stored: Whether to add the commands of all stored logs.
        skipped: The logs to leave out of these.
        most: The most commands to return.
    """

    def all_entries() -> Iterator[Document]:
        yield from entries
        if stored:
            for log in places.logs(root):
                if str(log) not in skipped:
                    yield from listing.stored_commands(root, log)

    most = MOST_COMMANDS if most is None else most
    newest = heapq.nlargest(most, selection.commands(all_entries()), key=_order)
    return sorted(newest, key=_order)


def _order(entry: Document) -> tuple[float, int]:
    return entry["started_at"], int(entry["id"].rpartition(".")[2])
