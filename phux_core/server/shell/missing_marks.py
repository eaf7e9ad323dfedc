"""Whether a pane's first program is still the shell that we have taught to mark its commands.

``exec zsh`` puts another program in its place, under the same number and with the same name, but with the environment
of then: ours is only in that of the shell we started.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from phux_core import procfs
from phux_core.server.kernel.stack_depth import depth_of_wait

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal
    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.shell.marks import Commands

MARK_S = 0.25
"""How long a mark may take from the shell to us."""
EDITOR_S = 0.001
"""How long a shell that has drawn its prompt takes to set the terminal for its editor."""
# A prompt may ask the terminal something and read the answer; that takes no longer.
_DRAWN_S = 0.05
# One that has written nothing for so long has drawn what it draws.
_PREPARED_S = 0.5


def is_in_front(known: Foreground | None, pane_pid: int, fd: int) -> bool:
    """Tell whether the pane's shell, as it was seen before, still has the terminal: then its marks say the rest."""
    if known is None or known.pid != pane_pid or known.shell is None:
        return False  # never seen, or seen before it had become a shell
    try:
        return os.tcgetpgrp(fd) == known.pgid
    except OSError:
        return False


def reads_unseen(foreground: Foreground, commands: Commands, quiet_s: float) -> bool:
    """Tell whether the pane's own shell reads a line at a prompt that it has not marked.

    It had no room in a tiny pane, or C-c came as the shell was about to draw it (fish).
    """
    idle = commands.at_prompt is False and commands.start is None
    return (
        (commands.drawing or idle)
        and foreground.shell is not None
        and bool(foreground.waiting)
        and not foreground.canonical
        and quiet_s > (_DRAWN_S if commands.drawing else _PREPARED_S)
    )


def is_back_unseen(foreground: Foreground, commands: Commands, prompt_depth: int | None) -> bool:
    """Tell whether the pane's own shell reads a line again, though by its marks a command still runs.

    Args:
        foreground: The shell.
        commands: What its marks say.
        prompt_depth: How deep it waited at an earlier prompt.
    """
    return (
        commands.start is not None
        and prompt_depth is not None
        and bool(foreground.waiting)
        and depth_of_wait(foreground.pid) == prompt_depth
    )


def is_unready(
    foreground: Foreground, commands: Commands | None, *, entered_at: float, last_output: float, now: float
) -> bool:
    """Tell whether a shell that runs nothing does not read a line yet, or not the next one.

    Args:
        foreground: What has the terminal.
        commands: What the marks of the pane's own shell say, if it is that.
        entered_at: When Enter was pressed at its prompt, if no mark came since; else 0.
        last_output: When the pane's program wrote something.
        now: The time now.
    """
    marked = commands is not None and bool(commands.nonce)
    if not marked and foreground.shell is None:
        return False
    if entered_at and last_output <= entered_at:
        return True
    if commands is None or not marked:
        return False
    quiet_s = now - last_output
    if commands.at_prompt:
        # It may also go on to edit: an open quote, a menu.
        return entered_at > 0 and not (foreground.waiting and quiet_s > _DRAWN_S)
    if commands.continued:
        return False  # it reads the rest of a line
    # fish asks the terminal this and that before each prompt, and waits for the answers.
    return commands.start is None and not foreground.canonical and quiet_s < _PREPARED_S


def is_editor_starting(foreground: Foreground, quiet_s: float) -> bool:
    """Return True if a shell that draws its prompt before it sets the terminal for its editor may not have done so."""
    return foreground.canonical and not (foreground.waiting is not False and quiet_s > _DRAWN_S)


def was_replaced(foreground: Foreground, commands: Commands) -> bool:
    """Tell whether another shell stands where the pane's own stood, and reads a line."""
    return (
        commands.at_prompt is False
        and foreground.shell is not None
        and bool(foreground.waiting)
        and not _was_started_with(foreground.pid, f"PHUX_NONCE={commands.nonce}")
    )


def _was_started_with(pid: int, variable: str) -> bool:
    if not procfs.is_usable():
        return True
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return variable.encode() in file.read().split(b"\0")
    except OSError:
        return True  # nobody can tell, and it seldom is another


def end_of_output(journal: Journal, start: int | None, seq: int) -> int:
    """Find where the output of the command ends that brought the other shell: its prompt stands on the last line."""
    if start is None:
        return seq
    written = journal.since(max(start, journal.base))
    return seq - len(written) + written.rfind(b"\n") + 1
