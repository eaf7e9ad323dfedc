"""The log of one live pane: output is appended before it is parsed.

The journal survives the service, so a delay loses nothing: after a restart the next service appends what is missing,
and while the disk is full, the output waits in the journal. Only if the journal has to be restarted first, the log gets
a hole, which is recorded. Errors here do not affect the pane.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from phux_core.logs import ledger, places
from phux_core.logs.stored import Stored
from phux_core.logs.writing import DELETED

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal
    from phux_core.logs.ledger import Ledger
    from phux_core.logs.writing import LogWriter

_PIECE = 1024 * 1024
_RETRY_S = 1.0
_MOST_HOLES = 100
# Lines that are appended to the ledger's file before it is rewritten.
_MOST_LINES = 3 * ledger.MOST_ENTRIES
_log = logging.getLogger("phux.logs")


class Hole(NamedTuple):
    """A part of the stream that is not in the log.

    Attributes:
        start: The sequence number of the first missing byte.
        end: The sequence number after the last one; None while it may still grow, or be filled.
        why: Why it could not be written.
    """

    start: int
    end: int | None
    why: str


class PaneLog:
    """The log of a pane.

    Args:
        root: The directory of all logs.
        log: The id of this log.
        writer: Appends to the log; None if the pane is not logged.
        journal: The pane's output.
        meta: The description of the pane.
    """

    def __init__(
        self, root: str, log: places.LogId, writer: LogWriter | None, journal: Journal, meta: dict[str, Any]
    ) -> None:
        self._root = root
        self._log = log
        self._writer = writer
        self._journal = journal
        self._meta = meta
        self._holes: list[Hole] = []
        self._problem: str | None = None
        self._retry_at = 0.0
        self._changed_at: int | None = None
        self._appended_lines = _MOST_LINES  # rewrite it the first time
        if writer is not None:
            try:
                writer.resume()
                self._load_meta()
                self._check_directory()
            except OSError as error:
                self._failed(error)
            self._save_meta()
            self.catch_up()

    @property
    def is_on(self) -> bool:
        """Whether the pane is logged."""
        return self._writer is not None

    @property
    def problem(self) -> str | None:
        """Why the log cannot be written; None if it can."""
        return self._problem

    @property
    def holes(self) -> list[Hole]:
        """The missing parts; the last one may still grow."""
        if self._problem is None or self._writer is None or self._writer.end >= self._journal.position:
            return self._holes
        return [*self._holes, Hole(self._writer.end, None, self._problem)]

    def append(self, place: int, data: bytes) -> None:
        """Append output that starts at a sequence number."""
        writer = self._writer
        if writer is None or place + len(data) <= writer.end:
            return
        if place == writer.end and self._problem is None:
            try:
                if writer.write(place, data) == len(data):
                    return
            except OSError as error:
                self._failed(error)
        self.catch_up()

    def catch_up(self) -> None:
        """Append the part of the journal that is not in the log."""
        writer = self._writer
        if writer is None or (self._problem is not None and time.monotonic() < self._retry_at):
            return
        try:
            if self._problem is not None:
                self._check_directory()
            while writer.end < self._journal.position:
                place = max(writer.end, self._journal.base)
                if place > writer.end:
                    self._note_hole(writer.end, place)
                writer.write(place, self._journal.since(place, _PIECE))
        except OSError as error:
            self._failed(error)
            return
        if self._problem is not None:
            _log.warning("the log of @%d is written again", self._log.pane)
            self._problem = None
            self._save_meta()

    def _check_directory(self) -> None:
        """Create the log's directory if it is missing, to detect a problem before there is output.

        Raises:
            OSError: It cannot be created, or is accessible to others.
        """
        os.close(places.open_log(self._root, self._log, create=True))

    def check_files(self) -> None:
        """Append output that could not be written, and check for deleted files; called periodically."""
        self.catch_up()
        if self._writer is None or self._problem is not None:
            return
        try:
            self._writer.check_exists()
            self._find_holes()
        except OSError as error:
            self._failed(error)
            self.catch_up()
            if "end" in self._meta:
                self._writer.close()  # the pane's program has ended

    def _find_holes(self) -> None:
        """Record deleted segments as holes, if the directory has changed."""
        changed_at = os.stat(os.path.join(self._root, self._log.server, f"pane-{self._log.pane}")).st_mtime_ns
        if self._changed_at is not None and changed_at != self._changed_at:
            with Stored.open(self._root, self._log) as stored:
                known = {hole.start for hole in self._holes}
                new = [hole for hole in stored.holes(0, stored.end) if hole[0] not in known]
            self._holes = sorted([*self._holes, *(Hole(start, end, DELETED) for start, end in new)])[-_MOST_HOLES:]
            if new:
                self._save_meta()
        self._changed_at = changed_at

    def read(self, start: int, end: int) -> bytes:
        """Return a part of the output; empty unless all of it is in the log."""
        if self._writer is None or start >= end:
            return b""
        with contextlib.suppress(OSError), Stored.open(self._root, self._log) as stored:
            place, data = stored.read(start, end - start)
            if place == start and len(data) == end - start:
                return data
        return b""

    def before_journal_restarts(self) -> None:
        """Append the journal, which is about to be restarted; what cannot be written becomes a hole."""
        self._retry_at = 0.0
        self.catch_up()
        writer = self._writer
        if writer is not None and writer.end < self._journal.position:
            self._note_hole(writer.end, self._journal.position)
            writer.close()
            writer.end = self._journal.position

    def update(self, **meta: Any) -> None:
        """Update the description of the pane."""
        if any(self._meta.get(name) != value for name, value in meta.items()):
            self._meta |= meta
            self._save_meta()

    def ended(self, **how: Any) -> None:
        """Record how the pane's program ended, and close the file."""
        self._meta |= how
        self._meta["end"] = self._journal.position
        self.close()
        self._save_meta()

    def close(self) -> None:
        """Append the rest, and close the file."""
        self._retry_at = 0.0
        self.catch_up()
        if self._writer is not None:
            self._writer.close()

    def note_commands(self, lines: bytes, all_of_them: Ledger) -> None:
        """Append lines to the ledger's file, which is read when the pane is gone; it is rewritten from time to time."""
        if self._writer is None:
            return
        self._appended_lines += lines.count(b"\n")
        try:
            directory = places.open_log(self._root, self._log, create=True)
            try:
                if self._appended_lines > _MOST_LINES or not _append(lines, directory):
                    places.replace_file(places.COMMANDS, all_of_them.dump(), dir_fd=directory)
                    self._appended_lines = 0
            finally:
                os.close(directory)
        except OSError:
            self._appended_lines = _MOST_LINES  # lines may be missing or incomplete: rewrite it the next time

    def _failed(self, error: OSError) -> None:
        if self._problem is None:
            _log.warning("the log of @%d cannot be written: %s", self._log.pane, error)
        # A deleted file can be created again at once; other problems take time.
        self._retry_at = 0.0 if isinstance(error, FileNotFoundError) else time.monotonic() + _RETRY_S
        self._problem = error.strerror or str(error)
        if self._writer is not None:
            self._writer.close()

    def _note_hole(self, start: int, end: int) -> None:
        why = self._problem or "it could not be written"
        if self._holes and self._holes[-1].end == start:  # the last hole has grown
            hole = self._holes.pop()
            start, why = hole.start, hole.why
        self._holes.append(Hole(start, end, why))
        del self._holes[:-_MOST_HOLES]
        self._save_meta()

    def _load_meta(self) -> None:
        """Read from disk how the pane ended, if it has, and the holes of the log."""
        with contextlib.suppress(FileNotFoundError), Stored.open(self._root, self._log) as stored:
            self._meta = places.read_meta(stored.directory) | self._meta
            why = {hole[0]: str(hole[2]) for hole in self._meta.get("holes", [])}
            found = stored.holes(0, stored.end)
            self._holes = [Hole(start, end, why.get(start, "it could not be written")) for start, end in found]

    def _save_meta(self) -> None:
        if self._writer is None:
            return
        meta = self._meta | {"holes": [list(hole) for hole in self._holes]}
        with contextlib.suppress(OSError):  # the description is not essential
            directory = places.open_log(self._root, self._log, create=True)
            try:
                places.replace_file(places.META, json.dumps(meta).encode(), dir_fd=directory)
            finally:
                os.close(directory)


def _append(lines: bytes, directory: int) -> bool:
    """Append to the ledger's file; return False if there is none."""
    try:
        fd = places.open_file(places.COMMANDS, os.O_WRONLY | os.O_APPEND, dir_fd=directory)
    except FileNotFoundError:
        return False
    with os.fdopen(fd, "wb") as file:
        file.write(lines)
    return True
