"""The timeline of one live pane: times of its output, input, sizes, states and commands, beside its log.

It is written as soon as output was processed, so a killed service loses none of it. Errors here do not affect the pane:
while nothing can be written, entries are missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
import time
import zlib
from typing import TYPE_CHECKING, Any, Protocol

from phux_core.logs.timeline import EVENTS, RESOLUTION_S, SCREEN, TERMINAL, event_line, output_line

if TYPE_CHECKING:
    from phux_core.engine import Engine
    from phux_core.logs.timeline_writing import TimelineWriter

REPLAY_S = 0.15
"""How long it may take to parse the output between two checkpoints."""
# After less output, no checkpoint follows another: it takes that long only because it came in many small pieces.
_LEAST_BYTES = 512 * 1024
_RETRY_S = 1.0
_LONGEST_TEXT = 1000
_MOST_HELD = 16
_FIRST_LINE = re.compile(rb"(?:\x1b\[200~.*?\x1b\[201~|[^\r\n])*[\r\n]?", re.DOTALL)


class ParsedTerminal(Protocol):
    """The parts of a terminal that checkpoints need; ``parsing_s`` is set to 0 by a checkpoint."""

    parsing_s: float

    @property
    def engine(self) -> Engine: ...


class PaneTimeline:
    """The timeline of a pane; without a writer, nothing is recorded."""

    def __init__(self, writer: TimelineWriter | None) -> None:
        self._writer = writer
        self._at = 0.0
        self._seq = 0
        self._next_at = 0.0
        self._retry_at = 0.0
        self._is_storing = False
        self._held: list[bytes] | None = None
        self._screen_at = 0
        self._commands: set[tuple[str, object]] = set()  # those that an earlier service recorded
        if writer is not None:
            with contextlib.suppress(OSError):
                for entry in writer.resume():
                    self._at, self._seq = entry.at, entry.seq
                    self._commands.add((entry.kind, entry.fields.get("command_id")))

    @property
    def is_on(self) -> bool:
        return self._writer is not None

    def read(self, seq: int) -> None:
        """Record that output, which starts at a sequence number, was read now."""
        if self._writer is None:
            return
        now = time.time()
        if now >= self._next_at:
            self._at = now = max(now, self._at)  # the date may have been set back
            self._next_at = now + RESOLUTION_S
            self._seq = max(seq, self._seq)
            self._write(output_line(now, seq))

    def happened(self, event: str, seq: int, fields: dict[str, Any]) -> None:
        """Record an event, if it is of a kind that is recorded; after an earlier one, even if it is noticed later."""
        if self._writer is None or event not in EVENTS:
            return
        command_id = fields.get("command_id")
        if command_id is None or (event, command_id) not in self._commands:  # a restart repeats events
            self._add(seq, event, {name: _shortened(fields.get(name)) for name in EVENTS[event]})

    def typed(self, seq: int, data: bytes) -> None:
        """Record input that was typed while it was echoed, without the brackets of a paste."""
        if self._writer is not None and data:
            text = data.replace(b"\x1b[200~", b"").replace(b"\x1b[201~", b"").decode("utf-8", "replace")
            self._add(seq, "typed", {"text": _shortened(text)})

    def terminal(self, seq: int, engine: str, cols: int, rows: int, history: int | None) -> None:
        """Record the terminal that parses the output from here on."""
        if self._writer is not None:
            self._add(seq, TERMINAL, {"engine": engine, "cols": cols, "rows": rows, "history": history})

    def needs_screen(self, terminal: ParsedTerminal) -> bool:
        """Whether so much output follows the last checkpoint that a moment after it would take too long to show."""
        is_long = terminal.parsing_s >= REPLAY_S and terminal.engine.position - self._screen_at >= _LEAST_BYTES
        return is_long and self.takes_screen(terminal)

    def takes_screen(self, terminal: ParsedTerminal) -> bool:
        """Whether a checkpoint that was made for another purpose should be stored here, too."""
        is_on = self._writer is not None and not self._is_storing
        # The nonce of a mark must not be stored.
        return is_on and terminal.parsing_s >= REPLAY_S / 2 and not terminal.engine.tap.is_inside_mark

    def keep_screen(self, checkpoint: bytes, terminal: ParsedTerminal, first: int) -> None:
        """Store a checkpoint of the terminal in a thread, which compresses it.

        Args:
            first: The offset of the first byte of the log; earlier checkpoints are removed.
        """
        terminal.parsing_s = 0.0
        writer, seq, loop = self._writer, terminal.engine.position, asyncio.get_running_loop()
        if writer is None or not checkpoint:
            return
        self._screen_at = seq
        self._add(seq, SCREEN, {})  # now, because its place among the entries matters

        def store() -> None:
            with contextlib.suppress(OSError):  # an entry without a checkpoint is skipped
                writer.add_checkpoint(seq, zlib.compress(checkpoint, 1), first)
            loop.call_soon_threadsafe(setattr, self, "_is_storing", False)

        with contextlib.suppress(RuntimeError):  # no thread can be started
            loop.run_in_executor(None, store)
            self._is_storing = True

    def check(self) -> None:
        """Check whether the file was deleted."""
        if self._writer is not None:
            self._writer.close_deleted()

    def close(self) -> None:
        """Record nothing more."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _add(self, seq: int, kind: str, fields: dict[str, Any]) -> None:
        self._at, self._seq = max(time.time(), self._at), max(seq, self._seq)
        self._write(event_line(self._at, self._seq, kind, fields))

    def hold(self) -> None:
        """Hold entries back until ``release``, while their output is processed: a restart would repeat them."""
        self._held = []

    def release(self) -> None:
        """Write the entries that were held back."""
        held, self._held = self._held, None
        if held and self._writer is not None:
            self._write(b"".join(held))

    def _write(self, line: bytes) -> None:
        assert self._writer is not None
        if self._held is not None:
            self._held.append(line)
            if len(self._held) >= _MOST_HELD:
                self.release()
            return
        if time.monotonic() < self._retry_at:
            return
        try:
            self._writer.write(line)
        except OSError:
            self._writer.close()
            self._retry_at = time.monotonic() + _RETRY_S


def first_line(data: bytes) -> bytes:
    r"""Return typed input up to the first Enter outside of a paste: a program may read the rest without echoing it.

    Example:
        >>> first_line(b"read -s x\rsecret\r")
        b'read -s x\r'
    """
    match = _FIRST_LINE.match(data)
    return match[0] if match else data


def _shortened(value: Any) -> Any:
    return value[:_LONGEST_TEXT] if isinstance(value, str) else value
