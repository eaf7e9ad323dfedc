"""Lines that were typed before a shell was ready for them.

A shell reads them at its next prompt, which is over as soon as it is drawn. So such a prompt is not one that a caller
waits for. When it is, only the kernel knows: a shell may take typed bytes from the terminal and keep them to itself.
"""

from __future__ import annotations

import select
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phux_core.server.kernel.foreground import Foreground

# A shell whose way of waiting cannot be seen has read everything when it has written nothing for this long.
_QUIET_S = 0.5


class TypeAhead:
    """What was typed ahead into one pane.

    Attributes:
        is_possible: Whether a line may be left that the shell has not executed.
    """

    def __init__(self) -> None:
        self.is_possible = False

    def typed(self, data: bytes, *, early: bool) -> None:
        """Record typed input.

        Args:
            data: The bytes.
            early: Whether the shell executes a command, or has not taken the line before this one.
        """
        self.is_possible |= early or b"\r" in data[:-1] or b"\n" in data[:-1]

    def is_left(self, master: int, foreground: Foreground, quiet_s: float) -> bool:
        """Return True while a shell that has drawn its prompt may still have a line to execute.

        It has none if it waits for input and has written nothing that was not read: its mark that a command begins.

        Args:
            master: The terminal, from which everything typed has been read.
            foreground: The shell, looked at after that was found out.
            quiet_s: How long it has written nothing.
        """
        if self.is_possible and (quiet_s > _QUIET_S or (foreground.waiting is not False and not _has_output(master))):
            self.is_possible = False
        return self.is_possible


def _has_output(master: int) -> bool:
    poll = select.poll()
    poll.register(master, select.POLLIN)
    return bool(poll.poll(0))
