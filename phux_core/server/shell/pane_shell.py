"""The shell of one pane: the parts that follow it and type into it, and looks at its foreground."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING

from attrs import frozen

from phux_core import procfs
from phux_core.server.kernel.foreground import look, working_directory
from phux_core.server.shell.events import Look
from phux_core.server.shell.output_bounds import start_of_unmarked_prompt
from phux_core.shells import NONCE_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.keeper.journal import Journal
    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.shell.keyboard import Keyboard
    from phux_core.server.shell.state_watch import StateWatch
    from phux_core.server.shell.tracker import ShellTracker
    from phux_core.server.sync import Waker


@frozen(eq=False)
class PaneShell:
    """The shell of one pane.

    Attributes:
        changed: Wakes up when something happened in the pane.
        position: Returns how much of the pane's stream was parsed.
        read_now: Reads available output.
    """

    record: PaneRecord
    fd: int
    tracker: ShellTracker
    keyboard: Keyboard
    watch: StateWatch
    journal: Journal
    changed: Waker
    position: Callable[[], int]
    read_now: Callable[[], None]

    @property
    def name(self) -> str:
        """The pane's id in messages, such as ``@3``."""
        return f"@{self.record.id}"

    def foreground(self) -> Foreground | None:
        """Return the foreground of the terminal; None if there is none."""
        return look(self.fd, self.record.command, self.record.shell)

    def look(self, now: float, *, alt_screen: bool, in_editor: bool) -> Look:
        """Return the state of the kernel and the terminal; change nothing."""
        tracker, marks = self.tracker, self.tracker.marks
        unread = self.keyboard.queue.is_unread()  # first: a program that has read everything may already wait
        known = tracker.foreground
        foreground = known if tracker.knows_foreground and self._has_foreground(known) else self.foreground()
        replaced_at = None
        if tracker.may_be_replaced(foreground) and self._is_replaced(foreground):
            end = self.position()
            replaced_at = end if marks.start is None else start_of_unmarked_prompt(self.journal, marks.start, end)
        has_output = marks.has_typed_ahead and _is_readable(self.fd)
        return Look(now, foreground, unread, alt_screen, has_output, in_editor, replaced_at)

    def _has_foreground(self, known: Foreground | None) -> bool:
        """Return whether the process group that had the foreground still has it."""
        try:
            return known is not None and os.tcgetpgrp(self.fd) == known.pgid
        except OSError:
            return False

    def _is_replaced(self, foreground: Foreground | None) -> bool:
        """Return whether the first process is a shell of another kind, or was started without integration."""
        if not procfs.is_usable():
            return False
        if foreground is not None and foreground.shell != self.record.shell:
            return True  # fish still has the variable while it reads config.fish
        try:
            with open(f"/proc/{self.record.pid}/environ", "rb") as file:
                return f"\0{NONCE_VARIABLE}=".encode() not in b"\0" + file.read()
        except OSError:
            return False


def current_directory(record: PaneRecord) -> str:
    """Ask the kernel for the working directory of a pane's first process; return the last known one if it fails."""
    return (None if record.dead else working_directory(record.pid)) or record.cwd


def _is_readable(fd: int) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(0))
