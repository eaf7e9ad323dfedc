"""Input of a pty: one queue per pane, each entry written whole and in order.

The queue serializes a pane's input: an entry is encoded, checked and appended in one step, so that nothing is inserted
between its bytes. It is bounded, and an entry that the program does not read in time fails with an error that reports
how much was written.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from attrs import define

from phux_core.errors import DisconnectedError, InputBlockedError, InputTooLongError, PaneClosedError
from phux_core.server.kernel.line_discipline import LINE_LIMIT, has_unread_input, measure
from phux_core.server.pty.typed_input import TypedInput

if TYPE_CHECKING:
    import asyncio

MAX_QUEUED = 1024 * 1024
"""Maximum number of queued bytes."""
MAX_QUEUED_REPLIES = 64 * 1024
DEADLINE_S = 5.0
"""How long an entry may wait for a program that does not read."""


@define(eq=False)
class _Entry:
    data: memoryview
    size: int
    done: asyncio.Future[None] | None = None
    key: str | None = None
    timer: asyncio.TimerHandle | None = None

    def settle(self, error: Exception | None = None) -> None:
        if self.timer is not None:
            self.timer.cancel()
        if self.done is not None and not self.done.done():
            if error is None:
                self.done.set_result(None)
            else:
                self.done.set_exception(error)


class WriteQueue:
    """The input queued for one program.

    Args:
        name: The pane's name in messages.
        typed: The memory in which the progress of entries survives the service.

    Attributes:
        may_be_unread: Whether there was input since all of it was last found to be read.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, fd: int, name: str, typed: memoryview) -> None:
        self._loop = loop
        self._fd = fd
        self._name = name
        self._typed = TypedInput(typed)
        self._entries: list[_Entry] = []  # usually empty, and then smaller than a deque
        self._queued = 0
        self._writing = False
        self._read_at = 0.0
        self._pending_line = 0
        self.may_be_unread = False

    def find(self, key: str) -> tuple[int, asyncio.Future[None]] | None:
        """Return what ``type`` returned for a key, with the number of bytes; None if nothing was typed for it.

        Raises:
            InputBlockedError: Only a part was typed.
            DisconnectedError: It is unknown how much was typed.
        """
        for entry in self._entries:
            if entry.key == key and entry.done is not None:
                return entry.size, entry.done
        found = self._typed.find(key)
        if found is None:
            return None
        if found.is_writing:
            raise DisconnectedError(f"the service died while it typed into {self._name}; how much was typed is unknown")
        if found.written < found.size:
            raise _blocked(f"the input for {self._name} was interrupted", found.written, found.size)
        done: asyncio.Future[None] = self._loop.create_future()
        done.set_result(None)
        return found.size, done

    def type(self, data: bytes, key: str | None = None) -> asyncio.Future[None]:
        """Queue bytes, all or nothing.

        Args:
            key: The key of the request, for ``find``.

        Returns:
            A future that is done when the kernel has accepted all bytes. It fails with InputBlockedError if the program
            does not read in time, and with PaneClosedError if it ends first.

        Raises:
            InputTooLongError: A line is longer than the terminal's line editor can hold.
            InputBlockedError: The queue is full.
        """
        pending = self._check_line_limit(data)
        if len(data) > MAX_QUEUED:
            raise InputTooLongError(f"{len(data)} bytes are more than the {MAX_QUEUED} that can be typed at once")
        if self._queued + len(data) > MAX_QUEUED:
            raise InputBlockedError(
                f"{self._queued} bytes wait to be read by the program in {self._name}, and at most {MAX_QUEUED} may; "
                "nothing was typed"
            )
        self._pending_line = pending
        done: asyncio.Future[None] = self._loop.create_future()
        if not data:  # a mouse event that was not requested, for example
            done.set_result(None)
            return done
        entry = self._append(data, done, key)
        if not done.done():
            entry.timer = self._loop.call_later(DEADLINE_S, self._give_up, entry)
        return done

    def reply(self, data: bytes) -> None:
        """Queue the terminal's reply to a query; dropped if the program does not read its replies."""
        if self._queued + len(data) <= MAX_QUEUED_REPLIES:
            _longest, self._pending_line = measure(self._fd, self._pending_line, data)
            self._append(data, None)

    def is_unread(self) -> bool:
        if self.may_be_unread:
            self.may_be_unread = bool(self._queued) or has_unread_input(self._fd)
        return self.may_be_unread

    def close(self) -> None:
        """Fail all queued entries: the program has ended."""
        if self._writing:
            self._loop.remove_writer(self._fd)
            self._writing = False
        while self._entries:
            entry = self._entries.pop(0)
            entry.settle(PaneClosedError(f"the program in {self._name} ended before it had read everything"))
        self._queued = 0
        self.may_be_unread = False

    def _append(self, data: bytes, done: asyncio.Future[None] | None, key: str | None = None) -> _Entry:
        entry = _Entry(memoryview(data), len(data), done, key)
        self._entries.append(entry)
        self._queued += entry.size
        self.may_be_unread = True
        if not self._writing:
            self._flush()
        return entry

    def _flush(self) -> None:
        while self._entries:
            entry = self._entries[0]
            self._record(entry, is_writing=True)
            try:
                written = os.write(self._fd, entry.data)
            except BlockingIOError:
                written = 0
            except OSError:  # EIO: the program has closed the slave
                self._record(entry)
                self.close()
                return
            self._queued -= written
            entry.data = entry.data[written:]
            self._record(entry)
            if written:
                self._read_at = self._loop.time()
            if entry.data:
                if written == 0:
                    break
                continue
            self._entries.pop(0)
            entry.settle()
        if bool(self._entries) != self._writing:
            self._writing = not self._writing
            if self._writing:
                self._loop.add_writer(self._fd, self._flush)
            else:
                self._loop.remove_writer(self._fd)

    def _record(self, entry: _Entry, *, is_writing: bool = False) -> None:
        if entry.key is not None:
            self._typed.record(entry.key, entry.size - len(entry.data), entry.size, is_writing=is_writing)

    def _give_up(self, entry: _Entry) -> None:
        if entry not in self._entries:
            return
        deadline = self._read_at + DEADLINE_S
        if self._loop.time() < deadline:  # it reads, but slowly
            entry.timer = self._loop.call_at(deadline, self._give_up, entry)
            return
        self._entries.remove(entry)
        self._queued -= len(entry.data)
        self._pending_line = max(0, self._pending_line - len(entry.data))
        problem = f"the program in {self._name} has not read its input for {DEADLINE_S:.0f} s"
        entry.settle(_blocked(problem, entry.size - len(entry.data), entry.size))

    def _check_line_limit(self, data: bytes) -> int:
        """Refuse input that canonical mode would truncate; return the length of the unfinished line afterwards."""
        longest, pending = measure(self._fd, self._pending_line, data)
        if longest > LINE_LIMIT:
            raise InputTooLongError(
                f"a line of {longest} bytes is longer than the {LINE_LIMIT} that {self._name} can take: "
                "its program reads line by line (canonical mode); nothing was typed"
            )
        return pending


def _blocked(problem: str, written: int, size: int) -> InputBlockedError:
    how_much = "nothing was typed" if written == 0 else f"{written} of {size} bytes were typed"
    error = InputBlockedError(f"{problem}; {how_much}")
    error.executed = written > 0
    return error
