"""Whether a command has ended whose shell was to mark that, and no longer can."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phux_core.server.run_record import Run

UNKNOWN = 255
"""The exit code of a command of which nobody can say how it ended."""


def end_at_prompt(run: Run, front: tuple[int, str] | None) -> int | None:
    """Tell why a shell is at its prompt while a run has not marked its end.

    Args:
        run: A run that has begun, in a shell that marks nothing itself.
        front: The shell that has the terminal now, by number and name.

    Returns:
        The exit code if the run has ended; None if it goes on: a shell that it has started may read from the terminal.
    """
    if run.interrupted:
        return 128 + signal.SIGINT  # C-c also ends the file that would have marked the end
    if front is None or run.front is None or front == run.front:
        return None
    if front[0] == run.front[0]:
        return 0  # it has executed another one in its place
    return None if _is_there(run.front[0]) else UNKNOWN


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
