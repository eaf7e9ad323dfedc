"""The log of one live pane: output is appended before it is parsed.

The journal survives the service, so a delay loses nothing: after a restart the next service appends the missing output,
and while the disk is full, the output waits in the journal. Only if the journal has to be restarted first, the log gets
a hole, which the files show. Errors here do not affect the pane.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import time
from typing import TYPE_CHECKING, Any

from phux_core.logs import ledger, places, sizes
from phux_core.logs.stored import Stored
from phux_core.logs.timeline_writing import TimelineWriter
from phux_core.server.history.pane_timeline import PaneTimeline
from phux_core.server.shell.hidden_nonce import without_nonce

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal
    from phux_core.logs.ledger import Ledger
    from phux_core.logs.sizes import Size
    from phux_core.logs.writing import LogWriter

_PIECE = 1024 * 1024
_RETRY_S = 1.0
# Lines that are appended to the ledger's file before it is rewritten.
_MOST_LINES = 3 * ledger.MOST_ENTRIES
_log = logging.getLogger("phux.logs")


class PaneLog:
    """The log of a pane, without the nonce of its shell's marks; without a writer, the pane is not logged.

    Attributes:
        problem: Why the log cannot be written; None if it can.
        timeline: When its output was read, and what happened meanwhile.
    """

    def __init__(
        self,
        root: str,
        log: places.LogId,
        writer: LogWriter | None,
        journal: Journal,
        meta: dict[str, Any],
        nonce: str = "",
    ) -> None:
        self._root = root
        self._log = log
        self._writer = writer
        self._journal = journal
        self._meta = meta
        self._nonce = nonce
        self.problem: str | None = None
        self.timeline = PaneTimeline(None if writer is None else TimelineWriter(root, log, writer.most))
        self._retry_at = 0.0
        self._appended_lines = _MOST_LINES  # the first time, the file is rewritten
        stored: dict[str, Any] = {}
        if writer is not None:
            try:
                writer.resume()
                stored = self._load_meta()
                self._check_directory()
            except OSError as error:
                self._failed(error)
        self._meta["sizes"] = self._sizes_with(*sizes.load(meta)[-1][1:])
        if json.dumps(self._meta) != json.dumps(stored):  # after a restart, often the same
            self._save_meta()

    @property
    def is_on(self) -> bool:
        return self._writer is not None

    def held(self) -> dict[str, Any]:
        """Return the output that is in the journal, but in no file, as parts of a request to a worker."""
        start = self._journal.oldest if self._writer is None else max(self._journal.oldest, self._writer.end)
        return {"offset": start, "data": without_nonce(self._journal.since(start), self._nonce, self._journal, start)}

    @property
    def first(self) -> int:
        """The offset of the first byte of the log."""
        return 0 if self._writer is None else self._writer.first

    def append(self, place: int, data: bytes) -> None:
        """Append output that starts at a sequence number."""
        writer = self._writer
        if writer is None or place + len(data) <= writer.end:
            return
        if place == writer.end and self.problem is None:
            try:
                if writer.write(place, without_nonce(data, self._nonce, self._journal, place)) == len(data):
                    return
            except OSError as error:
                self._failed(error)
        self.catch_up()

    def catch_up(self, *, at_once: bool = False) -> None:
        """Append the part of the journal that is not in the log; soon after a failure only if ``at_once``."""
        writer = self._writer
        if writer is None or (self.problem is not None and not at_once and time.monotonic() < self._retry_at):
            return
        try:
            if self.problem is not None:
                self._check_directory()
            while (place := max(writer.end, self._journal.base)) < self._journal.position:
                self._write(writer, place)
        except OSError as error:
            self._failed(error)
            return
        # A log that lacks the end of the output, and of which the journal has nothing, keeps its problem until the next
        # output, which makes the missing end a hole.
        if self.problem is not None and writer.end == self._journal.position:
            _log.warning("the log of @%d is written again", self._log.pane)
            self.problem = None
            self._save_meta()

    def _write(self, writer: LogWriter, place: int) -> None:
        """Append a piece of the journal, which may begin after the end of the log."""
        end = writer.end
        try:
            data = self._journal.since(place, _PIECE)
            writer.write(place, without_nonce(data, self._nonce, self._journal, place))
        except OSError:
            writer.end = min(end, writer.end)  # the part before the piece is still missing
            raise

    def _check_directory(self) -> None:
        """Create the log's directory if it is missing, to detect a problem before there is output."""
        os.close(places.open_log(self._root, self._log, create=True))

    def check_files(self) -> None:
        """Append output that could not be written, and check for deleted and changed files.

        Called periodically, and before reads.
        """
        self.catch_up()
        if self._writer is None or self.problem is not None:
            return
        self.timeline.check()
        try:
            self._writer.check_file()
        except OSError as error:
            self._failed(error)
            self.catch_up()
            if "end" in self._meta:
                self._writer.close()  # the pane's program has ended

    def read(self, start: int, end: int) -> bytes:
        """Return a part of the output; empty unless all of it is in the log."""
        if self._writer is None or start >= end:
            return b""
        with contextlib.suppress(OSError), Stored.open(self._root, self._log) as stored:
            place, data = stored.read(start, end - start)
            if place == start and len(data) == end - start:
                return data
        return b""

    def update(self, **meta: Any) -> None:
        """Update the description of the pane."""
        if any(self._meta.get(name) != value for name, value in meta.items()):
            self._meta |= meta
            self._save_meta()

    @property
    def sizes(self) -> list[Size]:
        """The sizes that the terminal has had."""
        return sizes.load(self._meta)

    def resized(self, cols: int, rows: int) -> None:
        """Record the size of the terminal for the output from here on."""
        self.update(cols=cols, rows=rows, sizes=self._sizes_with(cols, rows))

    def _sizes_with(self, cols: int, rows: int) -> list[Size]:
        return sizes.with_size(self.sizes, self._journal.position, cols, rows)

    def ended(self, **how: Any) -> None:
        """Record how the pane's program ended, and close the file."""
        self._meta |= how
        self._meta["end"] = self._journal.position
        self.close()
        self._save_meta()

    def close(self) -> None:
        """Append the rest, and close the file."""
        self.catch_up(at_once=True)
        if self._writer is not None:
            self._writer.close()

    def note_commands(self, lines: bytes, all_of_them: Ledger) -> None:
        """Append lines to the ledger's file, which is read when the pane is gone; it is rewritten from time to time."""
        if self._writer is None:
            return
        self._appended_lines += lines.count(b"\n")
        try:
            with places.log_directory(self._root, self._log, create=True) as directory:
                if self._appended_lines > _MOST_LINES or not _append(lines, directory):
                    places.replace_file(places.COMMANDS, all_of_them.dump(), dir_fd=directory)
                    self._appended_lines = 0
        except OSError:
            self._appended_lines = _MOST_LINES  # lines may be missing or incomplete: rewrite the file the next time

    def _failed(self, error: OSError) -> None:
        if self.problem is None:
            _log.warning("the log of @%d cannot be written: %s", self._log.pane, error)
        # A deleted file can be created again at once; other problems take time.
        self._retry_at = 0.0 if isinstance(error, FileNotFoundError) else time.monotonic() + _RETRY_S
        self.problem = error.strerror or str(error)
        if self._writer is not None:
            self._writer.close()

    def _load_meta(self) -> dict[str, Any]:
        """Read from disk how the pane ended, if it has; return the metadata."""
        stored: dict[str, Any] = {}
        with (
            contextlib.suppress(FileNotFoundError),
            places.log_directory(self._root, self._log) as directory,
        ):
            stored = places.read_meta(directory)
        self._meta = stored | self._meta
        return stored

    def _save_meta(self) -> None:
        if self._writer is None:
            return
        with (
            contextlib.suppress(OSError),  # the description is not essential
            places.log_directory(self._root, self._log, create=True) as directory,
        ):
            places.replace_file(places.META, json.dumps(self._meta).encode(), dir_fd=directory)


def _append(lines: bytes, directory: int) -> bool:
    """Append to the ledger's file; return False if there is none."""
    try:
        fd = places.open_file(places.COMMANDS, os.O_WRONLY | os.O_APPEND, dir_fd=directory)
    except FileNotFoundError:
        return False
    with os.fdopen(fd, "wb") as file:
        file.write(lines)
    return True
