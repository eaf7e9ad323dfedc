"""What a shell that marks nothing itself is about, while a command runs in it: that command, or its prompt again."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, NamedTuple

from phux_core.server.kernel.stack_depth import depth_of_wait

if TYPE_CHECKING:
    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.run.record import Run


def depth_at_prompt(foreground: Foreground | None) -> int | None:
    """Tell how deep a shell that is at its prompt waits there; None if there is none, or that cannot be told."""
    return None if foreground is None or foreground.shell is None else depth_of_wait(foreground.pid)


def reads_in_command(run: Run | None, foreground: Foreground) -> bool:
    """Tell whether a shell that waits for the terminal does so in a run's command, and not at its prompt.

    Args:
        run: What was typed and has not told its end.
        foreground: The shell.
    """
    if run is None or run.start is None or run.interrupted or (foreground.pid, foreground.name) != run.front:
        return False
    depth = depth_of_wait(foreground.pid)
    if depth is None or run.depth is None:
        return run.edits and foreground.canonical
    return depth != run.depth


def is_back(run: Run) -> bool:
    """Tell whether a shell is surely where it was when a run was typed: at its prompt."""
    return run.front is not None and run.depth is not None and depth_of_wait(run.front[0]) == run.depth


class UnmarkedEnd(NamedTuple):
    """The end of a run that no mark reported.

    Attributes:
        exit_code: The command's exit status; None if it cannot be known.
    """

    exit_code: int | None


def end_at_prompt(run: Run, front: tuple[int, str] | None) -> UnmarkedEnd | None:
    """Tell why a shell is at its prompt while a run has not marked its end.

    Args:
        run: A run that has begun, in a shell that marks nothing itself.
        front: The shell that has the terminal now, by number and name.

    Returns:
        The run's end; None if it goes on: a shell that it has started may read from the terminal.
    """
    if run.interrupted:
        return UnmarkedEnd(128 + signal.SIGINT)  # C-c also ends the file that would have marked the end
    if front is None or run.front is None or front == run.front:
        return None
    if front[0] == run.front[0]:
        return UnmarkedEnd(0)  # it has executed another one in its place
    return None if _is_there(run.front[0]) else UnmarkedEnd(None)


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
