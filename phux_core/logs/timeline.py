"""The timeline of a log: when its output was read, and what happened meanwhile.

    00000001.time                 entries, oldest first; when a file is full, the next one begins
    00000000000004194304.screen   a compressed checkpoint of the terminal at this offset of the output

Each line of a file is an entry. ``MS OFFSET`` means that the output from an offset on was read at this time, in
milliseconds since the epoch, up to the offset of the next such line. Any other entry is ``[MS, OFFSET, KIND, FIELDS]``.
Times never decrease. A line that is damaged is skipped.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core.compact_json import to_bytes
from phux_core.kinds import COUNT, INTEGER, STATES, TEXT, one_of
from phux_core.logs import places

if TYPE_CHECKING:
    from collections.abc import Iterator

RESOLUTION_S = 0.01
"""The shortest time between two entries for output."""
FILE_BYTES = 256 * 1024
"""The size at which a file is full."""
OUTPUT, RESIZED, SCREEN, TERMINAL = "output", "resized", "screen", "terminal"
INTERNAL = frozenset({SCREEN, TERMINAL})
"""Kinds of entries that are used only to rebuild screens."""
EVENTS = {
    RESIZED: ("cols", "rows"),
    "state_changed": ("state", "command"),
    "command_started": ("command", "command_id"),
    "command_finished": ("exit_code", "command_id"),
    "title_changed": ("title",),
    "cwd_changed": ("cwd",),
    "bell": (),
    "pane_closed": ("exit_status", "signal"),
}
"""The events that are recorded, and their fields."""
_KINDS: dict[str, tuple[str, ...]] = {OUTPUT: (), "typed": ("text",), TERMINAL: ("cols", "rows"), SCREEN: (), **EVENTS}
_FIELDS = {
    **dict.fromkeys(("text", "command", "command_id", "title", "cwd", "signal"), TEXT),
    **dict.fromkeys(("cols", "rows"), COUNT),
    **dict.fromkeys(("exit_code", "exit_status"), INTEGER),
    "state": one_of(*STATES),
}
_FILE = re.compile(r"(\d{8})\.time")
_CHECKPOINT = re.compile(r"(\d{20})\.screen")
_MOST_FILE = 2 * FILE_BYTES
# A cursor is the number of a file and the index of an entry in it; no file has this many entries.
_PER_FILE = 2**20
_FIRST_LINE = 16 * 1024


class Entry(NamedTuple):
    """An entry of a timeline.

    Attributes:
        at: The time, in seconds since the epoch.
        seq: The offset in the output.
        kind: ``output``, ``typed``, the name of an event, or a kind of ``INTERNAL``.
        fields: The fields of an event; ``text`` of typed input.
    """

    at: float
    seq: int
    kind: str
    fields: dict[str, Any]


def file_name(number: int) -> str:
    """Return the name of a file of entries."""
    return f"{number:08}.time"


def file_number(name: str) -> int | None:
    """Return the number in the name of a file of entries; None for other files."""
    match = _FILE.fullmatch(name)
    return int(match[1]) if match else None


def checkpoint_name(offset: int) -> str:
    """Return the name of the checkpoint at an offset."""
    return f"{offset:020}.screen"


def checkpoint_offset(name: str) -> int | None:
    """Return the offset in the name of a checkpoint; None for other files."""
    match = _CHECKPOINT.fullmatch(name)
    return int(match[1]) if match else None


def output_line(at: float, offset: int) -> bytes:
    """Return the line of an entry for output."""
    return b"%d %d\n" % (round(at * 1000), offset)


def event_line(at: float, offset: int, kind: str, fields: dict[str, Any]) -> bytes:
    """Return the line of any other entry."""
    return to_bytes([round(at * 1000), offset, kind, fields]) + b"\n"


def parse(data: bytes) -> list[Entry]:
    r"""Parse lines; skip damaged ones, and an incomplete last one.

    Example:
        >>> parse(b'1000 0\n[2500,7,"bell",{}]\n30')
        [Entry(at=1.0, seq=0, kind='output', fields={}), Entry(at=2.5, seq=7, kind='bell', fields={})]
    """
    entries: list[Entry] = []
    at, seq = 0.0, 0
    for line in data.split(b"\n")[:-1]:
        entry = _parse_line(line)
        if entry is not None and entry.at >= at and entry.seq >= seq:
            at, seq = entry.at, entry.seq
            entries.append(entry)
    return entries


def _parse_line(line: bytes) -> Entry | None:
    try:
        if line[:1] == b"[":
            ms, seq, kind, fields = json.loads(line)
        else:
            ms, seq = map(int, line.split(b" "))
            kind, fields = OUTPUT, {}
    except (ValueError, TypeError, RecursionError):
        return None
    return Entry(ms / 1000, seq, kind, fields) if _is_valid(ms, seq, kind, fields) else None


def _is_valid(ms: object, seq: object, kind: object, fields: object) -> bool:
    names = _KINDS.get(kind) if isinstance(kind, str) else None
    if names is None or not isinstance(fields, dict) or not COUNT.fits(ms) or not COUNT.fits(seq):
        return False
    return all(fields.get(name) is None or _FIELDS[name].fits(fields[name]) for name in names)


class Timeline:
    """The timeline of a log, open for reading. A writer may append to it and remove its oldest files meanwhile.

    Args:
        directory: A descriptor of the log's directory, which stays the caller's.
    """

    def __init__(self, directory: int) -> None:
        self._directory = directory
        self._loaded: dict[int, list[Entry]] = {}
        self._files: list[int] = []
        self._first: list[Entry] = []
        names = filter(None, map(file_number, os.listdir(directory)))
        for number in sorted(names):
            first = parse(places.read_file(file_name(number), _FIRST_LINE, dir_fd=directory))[:1]
            if first and (not self._first or first[0] >= self._first[-1]):
                self._files.append(number)
                self._first += first

    @property
    def first(self) -> Entry | None:
        """The first entry; None if there is none."""
        return self._first[0] if self._first else None

    @property
    def last(self) -> Entry | None:
        """The last entry; None if there is none."""
        return self.latest[-1] if self._files else None

    @property
    def latest(self) -> list[Entry]:
        """The entries of the last file."""
        return self._load(self._files[-1]) if self._files else []

    def entries(self, cursor: int = 0) -> Iterator[tuple[int, Entry]]:
        """Yield the entries from a cursor on, each with the cursor that follows it."""
        number, index = divmod(cursor, _PER_FILE)
        for file in self._files:
            if file >= number:
                found = self._load(file)
                for place in range(index if file == number else 0, len(found)):
                    yield file * _PER_FILE + place + 1, found[place]

    def cursor_at(self, seq: int) -> int:
        """Return the cursor of the first entry at an offset or after it."""
        # The entries at this offset may begin in the file before the first one that begins there.
        file = max(0, bisect_right(self._first, seq - 1, key=attrgetter("seq")) - 1)
        if not self._files:
            return 0
        found = self._load(self._files[file])
        return self._files[file] * _PER_FILE + bisect_right(found, seq - 1, key=attrgetter("seq"))

    def time_at(self, seq: int) -> float | None:
        """Return when the output before an offset was complete; None if that is not known."""
        before = [entry for entry in self._around(seq, "seq") if entry.seq < max(seq, 1)]
        return before[-1].at if before else None

    def seq_at(self, moment: float) -> int | None:
        """Return the offset of the first output that was read after a moment; None if there is none."""
        after = (entry for entry in self._around(moment, "at") if entry.at > moment)
        return next((entry.seq for entry in after if entry.kind == OUTPUT), None)

    def checkpoints(self, seq: int, before: float | None) -> Iterator[tuple[int, Entry]]:
        """Yield the entries of checkpoints up to a moment, newest first, each with the cursor that follows it.

        The entries of those before the first entry of the timeline are made up.
        """
        offsets = filter(None, map(checkpoint_offset, os.listdir(self._directory)))
        for offset in sorted((offset for offset in offsets if offset <= seq), reverse=True):
            if self.first is None or offset < self.first.seq:
                yield 0, Entry(0.0, offset, SCREEN, {})
            for cursor, entry in self.entries(self.cursor_at(offset)):
                if entry.seq > offset or not is_until(entry, seq, before):
                    break
                if entry.kind == SCREEN:
                    yield cursor, entry

    def last_before(self, kind: str, seq: int, before: float | None) -> Entry | None:
        """Return the last entry of a kind up to a moment; None if there is none near it."""
        near = self._around(seq, "seq")
        return next((entry for entry in reversed(near) if entry.kind == kind and is_until(entry, seq, before)), None)

    def _around(self, value: float, key: str) -> list[Entry]:
        """Return the entries of the last file that begins at or before a value, and of the one after it."""
        index = max(0, bisect_right(self._first, value, key=attrgetter(key)) - 1)
        return [entry for file in self._files[index : index + 2] for entry in self._load(file)]

    def _load(self, number: int) -> list[Entry]:
        if number not in self._loaded:
            self._loaded[number] = parse(places.read_file(file_name(number), _MOST_FILE, dir_fd=self._directory))
        return self._loaded[number]


def is_until(entry: Entry, seq: int, before: float | None) -> bool:
    """Return whether an entry is not later than a moment: an offset, and possibly a time at that offset."""
    return entry.seq < seq or (entry.seq == seq and (before is None or entry.at <= before))
