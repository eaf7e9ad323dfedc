"""The log of one live pane: what stands in its journal and not yet on disk is appended, before it is parsed.

The journal outlives the service, so the log does not have to be written in the same instant: after a death the next
service appends what is missing, and while a disk is full the bytes wait in the journal. Only when the journal has to be
emptied first is there a hole, and that is remembered. Nothing that goes wrong here touches the pane.
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
# Lines that are appended to the ledger's file before it is written anew.
_MOST_LINES = 3 * ledger.MOST_ENTRIES
_log = logging.getLogger("phux.logs")


class Hole(NamedTuple):
    """A part of the stream that is not in the log.

    Attributes:
        start: The place of the first byte that is missing.
        end: The place behind the last; None while it may still grow, or be filled.
        why: What kept it from being written.
    """

    start: int
    end: int | None
    why: str


class PaneLog:
    """The log of a pane.

    Args:
        root: The directory of all logs.
        log: Which.
        writer: Appends to it; None if this pane is not to be logged.
        journal: What the pane's program wrote.
        meta: What is known of the pane.
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
        self._appended_lines = _MOST_LINES  # the first time, it is written anew
        if writer is not None:
            try:
                writer.resume()
                self._remember()
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
        """What keeps the log from being written; None if nothing does."""
        return self._problem

    @property
    def holes(self) -> list[Hole]:
        """What is missing; the last may be open."""
        if self._problem is None or self._writer is None or self._writer.end >= self._journal.position:
            return self._holes
        return [*self._holes, Hole(self._writer.end, None, self._problem)]

    def append(self, place: int, data: bytes) -> None:
        """Append what was read, from a place in the stream on."""
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
        """Append everything that the journal has and the log has not."""
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
            _log.warning("the log of @%d goes on", self._log.pane)
            self._problem = None
            self._save_meta()

    def _check_directory(self) -> None:
        """Make the log's directory if it is missing, so that a problem is noticed before anything has to be written.

        Raises:
            OSError: It cannot be made, or is not ours alone.
        """
        os.close(places.open_log(self._root, self._log, create=True))

    def look_after(self) -> None:
        """Append what could not be written, and see whether somebody has deleted what was; now and then."""
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
        """Take note of segments that somebody has deleted, if the directory has changed."""
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
        """Give a part of the stream; nothing unless all of it was written."""
        if self._writer is None or start >= end:
            return b""
        with contextlib.suppress(OSError), Stored.open(self._root, self._log) as stored:
            place, data = stored.read(start, end - start)
            if place == start and len(data) == end - start:
                return data
        return b""

    def before_journal_restarts(self) -> None:
        """Take what the journal has, because it is about to be emptied; what cannot be taken is a hole."""
        self._retry_at = 0.0
        self.catch_up()
        writer = self._writer
        if writer is not None and writer.end < self._journal.position:
            self._note_hole(writer.end, self._journal.position)
            writer.close()
            writer.end = self._journal.position

    def update(self, **meta: Any) -> None:
        """Note what has changed of the pane."""
        if any(self._meta.get(name) != value for name, value in meta.items()):
            self._meta |= meta
            self._save_meta()

    def ended(self, **how: Any) -> None:
        """Note how the pane's program ended, and let the file go."""
        self._meta |= how
        self._meta["end"] = self._journal.position
        self.close()
        self._save_meta()

    def close(self) -> None:
        """Append what there is, and let the file go."""
        self._retry_at = 0.0
        self.catch_up()
        if self._writer is not None:
            self._writer.close()

    def note_commands(self, lines: bytes, all_of_them: Ledger) -> None:
        """Append lines to the ledger's file, for when the pane is gone; from time to time it is written anew."""
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
            self._appended_lines = _MOST_LINES  # lines may be missing, or torn: the next time, it is written anew

    def _failed(self, error: OSError) -> None:
        if self._problem is None:
            _log.warning("the log of @%d cannot be written: %s", self._log.pane, error)
        # A file that was deleted can be made anew at once; everything else needs time.
        self._retry_at = 0.0 if isinstance(error, FileNotFoundError) else time.monotonic() + _RETRY_S
        self._problem = error.strerror or str(error)
        if self._writer is not None:
            self._writer.close()

    def _note_hole(self, start: int, end: int) -> None:
        why = self._problem or "it could not be written"
        if self._holes and self._holes[-1].end == start:  # it has grown
            hole = self._holes.pop()
            start, why = hole.start, hole.why
        self._holes.append(Hole(start, end, why))
        del self._holes[:-_MOST_HOLES]
        self._save_meta()

    def _remember(self) -> None:
        """Learn from what is on disk how the pane ended, if it has, and where the log has holes, and why."""
        with contextlib.suppress(FileNotFoundError), Stored.open(self._root, self._log) as stored:
            self._meta = places.read_meta(stored.directory) | self._meta
            why = {hole[0]: str(hole[2]) for hole in self._meta.get("holes", [])}
            found = stored.holes(0, stored.end)
            self._holes = [Hole(start, end, why.get(start, "it could not be written")) for start, end in found]

    def _save_meta(self) -> None:
        if self._writer is None:
            return
        meta = self._meta | {"holes": [list(hole) for hole in self._holes]}
        with contextlib.suppress(OSError):  # it says nothing that cannot be done without
            directory = places.open_log(self._root, self._log, create=True)
            try:
                places.replace_file(places.META, json.dumps(meta).encode(), dir_fd=directory)
            finally:
                os.close(directory)


def _append(lines: bytes, directory: int) -> bool:
    """Append to the ledger's file, if there is one."""
    try:
        fd = places.open_file(places.COMMANDS, os.O_WRONLY | os.O_APPEND, dir_fd=directory)
    except FileNotFoundError:
        return False
    with os.fdopen(fd, "wb") as file:
        file.write(lines)
    return True
