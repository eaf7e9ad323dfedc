"""The parts of a pane that follow its shell and type into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import frozen

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.keeper.journal import Journal
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
