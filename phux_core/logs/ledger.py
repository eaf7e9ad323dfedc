"""The ledger of a pane's commands: what ran, where, when, by whom, how it ended and where its output stands.

Entries are bounded and their numbers never used again. Each change is a line of JSON, which the last line of the same
number overrules; so a ledger can be kept by appending, by the keeper for the next service and in a file for later.
Pure state.
"""

from __future__ import annotations

import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import asdict, define, field, fields

from phux_core.compact_json import to_bytes
from phux_core.errors import BadRequestError, RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_ENTRIES = 1000
"""Commands of one pane that are remembered."""
MOST_FILE_BYTES = 16 * 1024 * 1024
LONGEST_COMMAND = 4000
"""Characters of a command that are remembered."""
_LONGEST_ID = 100
_MOST_DIGITS = 10
_LAST = 2**53


class CommandId(NamedTuple):
    """Which command.

    Attributes:
        log: The log that has it, if that was said.
        pane: The pane it ran in.
        number: Its number there.
    """

    log: str | None
    pane: int
    number: int

    def __str__(self) -> str:
        return f"{self.pane if self.log is None else self.log}.{self.number}"

    @classmethod
    def parse(cls, text: str) -> CommandId:
        """Read ``PANE.NUMBER``, or ``LOG.NUMBER`` for one that may be of an earlier server.

        Raises:
            BadRequestError: It is neither.
        """
        log, _, number = text.rpartition(".")
        pane = log.rpartition("/")[2]
        numbers = all(part.isdecimal() and len(part) <= _MOST_DIGITS for part in (pane, number))
        if len(text) > _LONGEST_ID or not numbers:
            raise BadRequestError(f"{text!r:.80} is no id of a command", remedy="`phux commands` lists them")
        return cls(log if "/" in log else None, int(pane), int(number))


def range_of(entry: dict[str, Any]) -> dict[str, int]:
    """Tell where the output of a command stands, as a query takes it.

    Raises:
        RefusedError: It has none.
    """
    if entry["start"] is None:
        raise RefusedError(f"the command {entry['id']} has not begun, and has no output")
    return {"since": entry["start"], "until": _LAST if entry["end"] is None else entry["end"]}


@define
class Entry:
    """One command, as far as is known by now.

    Attributes:
        pane: The pane it ran in.
        number: Its number there.
        place: Where in the stream the line began that it was typed on; what tells commands apart when they are heard
            of again.
        command: The line; None if nobody knows it.
        cwd: Where it was started.
        by: ``typed``, ``run`` or ``start``.
        client: Who ran, started or typed it.
        started_at: When.
        start: Where its output begins; None until it began.
        ended_at: When it ended; None until then.
        end: Where its output ends.
        exit_code: How it ended; None until then, and if the shell did not say.
        lost: Whether it never began, or nobody saw its end.
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

    @property
    def id(self) -> str:
        """What it is called: the pane's number and its own."""
        return f"{self.pane}.{self.number}"

    @property
    def state(self) -> str:
        """What it does."""
        if self.lost:
            return "lost"
        if self.ended_at is not None:
            return "finished"
        return "typed" if self.start is None else "running"

    def to_document(self, server: str | None = None) -> dict[str, Any]:
        """Tell it, as the wire does."""
        document = asdict(self) | {"id": self.id, "state": self.state}
        for name in ("number", "place", "lost"):
            del document[name]
        return document if server is None else document | {"log": f"{server}/{self.pane}"}


@define
class Ledger:
    """The commands of one pane.

    Attributes:
        pane: The pane.
        entries: The latest of them, by number.
        next_number: The next one's number.
    """

    pane: int
    entries: dict[int, Entry] = field(factory=dict)
    next_number: int = 1

    @classmethod
    def of(cls, pane: int, data: bytes) -> Ledger:
        """Read a ledger that was kept."""
        entries = {entry.number: entry for entry in load(data)}
        return cls(pane, entries, max(entries, default=0) + 1)

    def add(self, **what: Any) -> Entry:
        """Take a new command."""
        entry = Entry(pane=self.pane, number=self.next_number, **what)
        self.next_number += 1
        self.entries[entry.number] = entry
        if len(self.entries) > MOST_ENTRIES:
            del self.entries[next(iter(self.entries))]
        return entry

    def change(self, number: int, **what: Any) -> Entry | None:
        """Note what became of a command; None if that is nothing new, or it is remembered no more."""
        entry = self.entries.get(number)
        if entry is None or all(getattr(entry, name) == value for name, value in what.items()):
            return None
        for name, value in what.items():
            setattr(entry, name, value)
        return entry

    @property
    def latest(self) -> Entry | None:
        """The last one."""
        return self.entries[next(reversed(self.entries))] if self.entries else None

    def dump(self) -> bytes:
        """Write it down, a line an entry."""
        return b"".join(map(line, self.entries.values()))


def line(entry: Entry) -> bytes:
    """Write one entry down."""
    return to_bytes(_values(entry)) + b"\n"


def load(data: bytes) -> Iterable[Entry]:
    """Read lines, the last of each number; one that was cut is left out.

    A line may come again, behind what became of its command. What has ended does not begin anew by that.
    """
    entries: dict[int, Entry] = {}
    for text in data.splitlines():
        try:
            values = json.loads(text)
            entry = Entry(**dict(zip(_NAMES, values, strict=True)))
            if entry.ended_at is not None or entry.number not in entries or entries[entry.number].ended_at is None:
                entries[entry.number] = entry
        except (ValueError, TypeError):
            continue
    return list(entries.values())[-MOST_ENTRIES:]


_NAMES = [attribute.name for attribute in fields(Entry)]
_values = attrgetter(*_NAMES)
