"""Distribute the events of a shell to its runs, to the command ledger and to clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core.server.shell.events import CommandFinished, CommandStarted, LineLength, PromptReady
from phux_core.server.shell.pane_shell import current_directory

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.engine.protocol import Engine, PrivateOsc
    from phux_core.server.history.pane_ledger import PaneLedger
    from phux_core.server.run.follower import RunFollower
    from phux_core.server.run.runner import Runner
    from phux_core.server.shell.events import ShellEvent
    from phux_core.server.shell.pane_shell import PaneShell


class EventRouter:
    """Distributes the events of one pane's shell; ``emit`` publishes an event to clients."""

    def __init__(
        self,
        shell: PaneShell,
        engine: Engine,
        runs: RunFollower,
        runner: Runner,
        ledger: PaneLedger,
        emit: Callable[..., None],
    ) -> None:
        self._shell, self._engine, self._runs = shell, engine, runs
        self._runner, self._ledger, self._emit = runner, ledger, emit
        self._saw_prompt = False

    def take_mark(self, mark: PrivateOsc) -> None:
        """Process a mark of the pane's own shell, or of a run."""
        events = self._shell.tracker.mark(mark, alt_screen=self._engine.alt_screen)
        if events:
            self.publish(events)
        elif not self._runner.remote.take_mark(mark):
            event = self._runs.take_mark(mark)
            if event is not None:
                self._publish_event(event)
        self._saw_prompt |= self._shell.tracker.marks.continued
        self._shell.changed.wake_all()

    def take_output(self, data: bytes, base: int, start: int, end: int) -> int:
        """Pass output without marks to the tracker if it needs any; return where the output ends."""
        if end > start and self._shell.tracker.wants_output:
            self.publish(self._shell.tracker.written(data[start - base : end - base], start))
        return max(start, end)

    def finish_output(self) -> None:
        """Query the foreground process group if a prompt was drawn.

        Called after all available output was processed, because the kernel reports the current group, not the group at
        the time of the prompt.
        """
        if self._saw_prompt:
            self._saw_prompt = False
            self._shell.watch.look_now()

    def take_directory(self, cwd: str) -> None:
        """Record the shell's working directory."""
        if cwd != self._shell.record.cwd:
            self._shell.record.cwd = cwd
            self._emit("cwd_changed", cwd=cwd)

    def publish(self, events: list[ShellEvent]) -> None:
        """Distribute events of the tracker."""
        for event in events:
            if isinstance(event, LineLength):
                self._runner.prompt.take_answer(event)
            else:
                self._runs.take_event(event)
                self._publish_event(event)

    def _publish_event(self, event: ShellEvent) -> None:
        if isinstance(event, CommandStarted):
            command = self._runs.command or event.command or self._ledger.line_at(event.start)
            command = command or self._runs.read_line(event)
            self._ledger.take(event, command)
            self._emit("command_started", command=command, command_id=self._ledger.id_at(event.start))
        elif isinstance(event, CommandFinished):
            if event.start is not None:
                id_ = self._ledger.id_at(event.start)
                self._emit("command_finished", exit_code=event.exit_code, command_id=id_)
            self._runs.settle()  # first: callers of a run do not wait for the ledger
            self._ledger.take(event, None)
        elif self._shell.tracker.marks.editor:
            self.take_directory(current_directory(self._shell.record))  # POSIX shells do not report it
        self._saw_prompt |= isinstance(event, PromptReady) or bool(self._shell.tracker.marks.at_prompt)
