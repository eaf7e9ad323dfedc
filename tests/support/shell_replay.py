"""Feed recorded or generated streams to a shell tracker as a pane does, without a PTY."""

from __future__ import annotations

import copy
import itertools
import json
from typing import TYPE_CHECKING, Any

import attrs
from record_shells import FOLDER, NONCE

from phux_core.engine.protocol import PrivateOsc
from phux_core.engine.tap import Tap
from phux_core.server.kernel.foreground import Foreground
from phux_core.server.shell.events import Look
from phux_core.server.shell.marks import ShellMarks
from phux_core.server.shell.output_bounds import typed_line
from phux_core.server.shell.tracker import ShellTracker

if TYPE_CHECKING:
    from collections.abc import Iterable

    from phux_core.server.shell.events import CommandFinished, CommandStarted, ShellEvent
    from phux_core.server.shell.marks import NewMark

PID, OTHER = 100, 200


def load(name: str) -> list[list[Any]]:
    """Return the steps of a recording."""
    steps: list[list[Any]] = json.loads((FOLDER / f"{name}.json").read_text())
    return steps


def state_of(tracker: ShellTracker) -> dict[str, Any]:
    """Return a deep copy of a tracker's state."""
    return copy.deepcopy({**vars(tracker), "marks": attrs.asdict(tracker.marks), "line": attrs.asdict(tracker.line)})


class Replay:
    """A tracker, its stream, and all reported events.

    Args:
        shell: The kind of shell; None for a program that is not a shell.
        nonce: The secret in its marks.
    """

    oldest = 0

    def __init__(self, shell: str | None, nonce: str = NONCE) -> None:
        self.data = b""
        self.tracker = ShellTracker("@1", PID, shell, ShellMarks(nonce))
        self.now = 1000.0
        self.events: list[ShellEvent] = []
        self.states: list[str] = []
        self.marks = 0
        self._tap = Tap()

    def since(self, start: int, length: int) -> bytes:
        return self.data[start : start + length]

    def read_line(self, event: CommandStarted) -> str | None:
        return typed_line(event, self, 80, 24)  # type: ignore[arg-type]  # has the one journal method needed here

    def play(self, step: list[Any], cuts: Iterable[int] = ()) -> None:
        """Replay one step of a recording, with its output split into several reads."""
        self.now += 1
        match step:
            case ["typed", text, echo]:
                self.type(text.encode(), echo=echo or self.tracker.marks.editor not in {"", "none"})
            case ["output", text]:
                for start, end in itertools.pairwise((0, *cuts, len(text))):
                    self.write(text[start:end].encode("latin-1"))
            case ["look", own, shell, canonical, echo, waiting]:
                self.look(PID if own else OTHER, shell, canonical=canonical, echo=echo, waiting=waiting)

    def type(self, data: bytes, *, echo: bool = True, ours: bool = False) -> None:
        self.tracker.typed(data, len(self.data), self.now, echo=echo, ours=ours)

    def look(
        self,
        pid: int = PID,
        shell: str | None = None,
        *,
        name: str = "program",
        canonical: bool = False,
        echo: bool = False,
        waiting: bool | None = True,
        **more: Any,
    ) -> str:
        """Report the foreground to the tracker, and return the new state."""
        foreground = Foreground(pid, pid, name, "/", shell, True, canonical, echo, waiting)
        return self.take_look(Look(self.now, foreground, **more))

    def take_look(self, look: Look) -> str:
        self._report_pending(look)
        self.events += self.tracker.look(look)
        self.states.append(self.tracker.state)
        return self.tracker.state

    def write(self, data: bytes) -> list[ShellEvent]:
        """Feed output, and return the events it causes."""
        known = len(self.events)
        base = place = len(self.data)
        self.data += data
        self.tracker.wrote(self.now)
        for effect in self._tap.scan(data)[1]:
            if isinstance(effect, PrivateOsc):
                self._write_text(data, base, place, effect.start)
                self.feed_mark(effect)
                place = max(place, effect.end)
        self._write_text(data, base, place, len(self.data))
        return self.events[known:]

    def feed_mark(self, mark: PrivateOsc) -> None:
        new = self.tracker.marks.parse(mark)
        if new is not None:
            self._report_pending(new)
            self.events += self.tracker.mark(new)

    def _report_pending(self, cause: NewMark | Look) -> None:
        pending = self.tracker.pending(cause)
        if pending is not None:
            self.events += self.tracker.report(pending, self.read_line(pending))

    def _write_text(self, data: bytes, base: int, start: int, end: int) -> None:
        self.tracker.written(data[start - base : end - base], start)

    def mark(self, text: str) -> list[ShellEvent]:
        """Feed a mark with a new number, and return the events it causes."""
        self.marks += 1
        return self.write(f"\x1b]7748;{self.tracker.marks.nonce or NONCE};{self.marks};{text}\a".encode())

    def output(self, finished: CommandFinished) -> bytes:
        """Return the output of a command, without echoed input."""
        assert finished.start is not None
        return self.text(finished.start, finished.end)

    def text(self, start: int = 0, end: int | None = None) -> bytes:
        """Return the command output in a part of the stream."""
        end = len(self.data) if end is None else end
        return b"".join(self.data[first:last] for first, last in self.tracker.output_between(start, end))
