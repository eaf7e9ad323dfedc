"""The command ledger of a pane: each command with its directory, times, origin, exit status and output range.

The number of entries is bounded, and their numbers are never reused. Each change is a line of JSON that overrides
earlier lines of the same number, so a ledger is stored by appending: by the keeper for the next service, and in a file.
This module does no I/O.
"""

from __future__ import annotations

import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import asdict, define, field, fields

from phux_core.compact_json import to_bytes
from phux_core.errors import BadRequestError, RefusedError
from phux_core.kinds import BOOLEAN, COUNT, INTEGER, MOMENT, TEXT, one_of

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_ENTRIES = 1000
"""Maximum entries per pane."""
MOST_FILE_BYTES = 16 * 1024 * 1024
LONGEST_COMMAND = 4000
"""Maximum characters stored of a command."""
_LONGEST_ID = 100
_MOST_DIGITS = 10
_LAST = 2**53


class CommandId(NamedTuple):
    """The id of a command: its number in a pane, and the pane's log if the pane may be of an earlier server."""

    log: str | None
    pane: int
    number: int

    def __str__(self) -> str:
        return f"{self.pane if self.log is None else self.log}.{self.number}"

    @classmethod
    def parse(cls, text: str) -> CommandId:
        """Parse ``PANE.NUMBER``, or ``LOG.NUMBER``, which may refer to an earlier server.

        Raises:
            BadRequestError: The text is neither.
        """
        log, _, number = text.rpartition(".")
        pane = log.rpartition("/")[2]
        numbers = all(part.isdecimal() and len(part) <= _MOST_DIGITS for part in (pane, number))
        if len(text) > _LONGEST_ID or not numbers:
            raise BadRequestError(f"{text!r:.80} is not the id of a command", remedy="`phux commands` lists them")
        return cls(log if "/" in log else None, int(pane), int(number))


def range_of(entry: dict[str, Any]) -> dict[str, int]:
    """Return the range of a command's output, as arguments of a query.

    Raises:
        RefusedError: The command has not begun.
    """
    if entry["start"] is None:
        raise RefusedError(f"the command {entry['id']} has not started, so it has no output")
    return {"since": entry["start"], "until": _LAST if entry["end"] is None else entry["end"]}


@define
class Entry:
    """One command; see ``shapes.CommandInfo``.

    Attributes:
        number: Its number in the pane.
        place: The offset in the stream of the line on which it was typed; identifies a command that is reported again.
        lost: Whether it never began, or its end was not observed.
        request: The id that the caller of ``run`` or ``start`` chose.
    """

    pane: int
    number: int
    place: int
    command: str | None
    cwd: str | None
    by: str
    client: str | None
    started_at: float
    start: int | None = None
    ended_at: float | None = None
    end: int | None = None
    exit_code: int | None = None
    lost: bool = False
    request: str | None = None

    @property
    def id(self) -> str:
        """Return ``PANE.NUMBER``."""
        return f"{self.pane}.{self.number}"

    @property
    def state(self) -> str:
        """Return ``typed``, ``running``, ``finished`` or ``lost``."""
        if self.lost:
            return "lost"
        if self.ended_at is not None:
            return "finished"
        return "typed" if self.start is None else "running"

    def to_document(self, server: str | None = None) -> dict[str, Any]:
        """Return the entry as a wire document."""
        document = asdict(self) | {"id": self.id, "state": self.state}
        for name in ("number", "place", "lost", "request"):
            del document[name]
        return document if server is None else document | {"log": f"{server}/{self.pane}"}


@define
class Ledger:
    """The latest commands of one pane, by number.

    Attributes:
        requests: The numbers of the commands of ``run`` and ``start``, by the callers' ids.
    """

    pane: int
    entries: dict[int, Entry] = field(factory=dict)
    next_number: int = 1
    requests: dict[str | None, int] = field(factory=dict)

    @classmethod
    def of(cls, pane: int, data: bytes) -> Ledger:
        """Return the ledger stored in ``data``."""
        entries = {entry.number: entry for entry in load(data)}
        requests = {entry.request: number for number, entry in entries.items()}
        return cls(pane, entries, max(entries, default=0) + 1, requests)

    def add(self, **what: Any) -> Entry:
        """Add a new command and return its entry."""
        entry = Entry(pane=self.pane, number=self.next_number, **what)
        self.next_number += 1
        self.entries[entry.number] = entry
        self.requests[entry.request] = entry.number
        if len(self.entries) > MOST_ENTRIES:
            self.requests.pop(self.entries.pop(next(iter(self.entries))).request, None)
        return entry

    def change(self, number: int, **what: Any) -> Entry | None:
        """Update an entry and return it; return None if nothing changed or the entry was dropped."""
        entry = self.entries.get(number)
        if entry is None or all(getattr(entry, name) == value for name, value in what.items()):
            return None
        for name, value in what.items():
            setattr(entry, name, value)
        return entry

    @property
    def latest(self) -> Entry | None:
        """The last entry; None if there is none."""
        return self.entries[next(reversed(self.entries))] if self.entries else None

    def dump(self) -> bytes:
        """Return the ledger as lines of JSON, one per entry."""
        return b"".join(map(line, self.entries.values()))


def line(entry: Entry) -> bytes:
    """Return an entry as a line of JSON."""
    return to_bytes(_values(entry)) + b"\n"


def load(data: bytes) -> Iterable[Entry]:
    """Parse lines and return the last entry of each number; skip truncated and invalid lines.

    A line may be repeated after a later one of its command. An unfinished entry does not override a finished one.
    """
    entries: dict[int, Entry] = {}
    for text in data.splitlines():
        try:
            values = dict(zip(_NAMES, json.loads(text), strict=False))  # old lines have no request
            if not _are_valid(values):
                continue
            entry = Entry(**values)
            if entry.ended_at is not None or entry.number not in entries or entries[entry.number].ended_at is None:
                entries[entry.number] = entry
        except (ValueError, TypeError, RecursionError):
            continue
    return list(entries.values())[-MOST_ENTRIES:]


def _are_valid(values: dict[str, object]) -> bool:
    """Return whether these values can be an entry's."""
    given = {name: value for name, value in values.items() if value is not None}
    return given.keys() >= _KINDS.keys() and all(_ALL_KINDS[name].fits(value) for name, value in given.items())


_NAMES = [attribute.name for attribute in fields(Entry)]
_KINDS = {
    **dict.fromkeys(("pane", "number", "place"), COUNT),
    "by": one_of("typed", "run", "start"),
    "started_at": MOMENT,
    "lost": BOOLEAN,
}
_ALL_KINDS = _KINDS | {
    **dict.fromkeys(("command", "cwd", "client", "request"), TEXT),
    **dict.fromkeys(("start", "end"), COUNT),
    "ended_at": MOMENT,
    "exit_code": INTEGER,
}
_values = attrgetter(*_NAMES)
