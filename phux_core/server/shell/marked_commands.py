"""The commands of an integrated shell, by its marks, and in POSIX shells also by what was typed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core.engine.protocol import CwdChanged
from phux_core.server.kernel.line_discipline import is_echoed
from phux_core.server.run.output_capture import typed_line
from phux_core.server.shell.marks import PromptReady

if TYPE_CHECKING:
    from phux_core.engine.protocol import PrivateOsc
    from phux_core.server.pane import Pane
    from phux_core.server.shell.marks import News


def take_mark(pane: Pane, mark: PrivateOsc) -> None:
    """Take what a pane's shell says of its commands, or a run's own mark."""
    commands = pane.commands
    commands.ahead = pane.ahead.is_possible
    commands.scan(pane.journal, mark.start)
    if commands.ends(mark):
        commands.begin_ahead()
    if not commands.continues(mark):
        report_start(pane)
    news: News | None = commands.take(mark)
    if news is not None:
        pane.runs.take_news(news)
    else:
        news = pane.runs.take_mark(mark)
    if isinstance(news, PromptReady):
        commands.on_alt_screen = pane.engine.alt_screen
        if commands.prompts is not None:
            pane.on_effect(CwdChanged(pane.current_directory()))
    pane.tell_of_command(news)


def take_output(pane: Pane) -> None:
    """Find the begin of a command in new output; one that has written something by then has begun."""
    commands = pane.commands
    commands.scan(pane.journal, pane.seq)
    if commands.start is not None and commands.start < pane.seq:
        report_start(pane)


def report_start(pane: Pane) -> None:
    """Report the command that runs, if its shell does not mark that it has begun."""
    commands = pane.commands
    started = commands.unreported()
    if started is None:
        return
    command = pane.runs.command or typed_line(started, pane.journal, pane.record.cols, pane.record.rows)
    if (command is None and not commands.is_ahead_line) or (command or "").lstrip().startswith("#"):
        commands.withdraw()
        return
    started = commands.report(command)
    pane.runs.take_news(started)
    pane.tell_of_command(started)


def record_typed(pane: Pane, data: bytes) -> None:
    """Record typed input, from which the begin of a command is found in POSIX shells."""
    if pane.commands.prompts is not None:
        column, cols = pane.engine.cursor().x, pane.record.cols
        pane.commands.typed(data, pane.seq, column, cols, echo=is_echoed(pane.fd))
