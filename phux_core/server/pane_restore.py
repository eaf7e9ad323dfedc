"""Restore the state of a pane after a restart of the service, except its screen: shell, runs and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core.engine.protocol import PrivateOsc
from phux_core.errors import InternalError
from phux_core.server.screen.rebuild import SET_ASIDE
from phux_core.server.shell.marks import ShellMarks

if TYPE_CHECKING:
    from phux_core.server.pane import Pane
    from phux_core.server.screen.rebuild import Rebuilt


def restore(pane: Pane, rebuilt: Rebuilt) -> None:
    """Restore the shell and runs of a pane at its checkpoint, and process the marks since."""
    contained = pane.faults.restoring
    if rebuilt.notes is not None:
        with contained:
            pane.tracker.marks = ShellMarks.load(rebuilt.notes)
    with contained:
        pane.runs.restore()
    if rebuilt.is_aside:
        unknown = f"it is not known whether the command in @{pane.id} has ended: {SET_ASIDE}"
        pane.runs.close(InternalError(unknown, remedy="look at the screen and the log before you run it again"))
    starts = [entry.start for entry in pane.ledger.entries if entry.start is not None]
    for effect in rebuilt.effects:
        if isinstance(effect, PrivateOsc):
            with contained:
                pane.tracker.marks.resume(starts, effect.start)
                pane.router.take_mark(effect)
    pane.tracker.marks.resume(starts, pane.journal.position)
    marks = pane.tracker.marks
    marks.is_unknown = marks.at_prompt is None and rebuilt.notes is None and (rebuilt.is_aside or pane.journal.base > 0)
    with contained:
        pane.runs.after_replay()
        pane.runner.resume()
    if rebuilt.note is not None:
        pane.keep_checkpoint()  # so that the next service does not fail in the same way
