"""Wait until a pane's program has drawn its screen.

A program that waits for input has drawn everything; a busy one may not. A program with several threads may draw while
one of them waits, so a full-screen program must also pause for a moment. All waits are bounded, because some programs
never pause.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from phux_core.server.documents.screen import catch_up

if TYPE_CHECKING:
    from phux_core.server.pane import Pane

_PAUSE_S = 0.02
# Short, because a shell is at its prompt soon after its last output.
_POLL_S = 0.002
# Limits for a program that writes without a pause, and for a silent one that is busy: htop enters the alternate screen,
# measures for 80 ms, and then draws.
_LONGEST_OUTPUT_S = 0.1
_LONGEST_SILENCE_S = 0.25


def is_painted(pane: Pane) -> bool:
    """Read the output written so far, and return whether the program has drawn its screen."""
    catch_up(pane)
    state = pane.watch.state
    if state == "dead":
        return True
    if state in {"running", "fullscreen"} and _quiet_s(pane) < _PAUSE_S:
        return False
    if state == "running":
        return True
    foreground = pane.observer.foreground()
    return foreground is not None and foreground.waiting is not False


async def wait_until_painted(pane: Pane) -> None:
    """Wait until a pane's program has drawn its screen, at most a quarter of a second."""
    loop = asyncio.get_running_loop()
    give_up_at = loop.time() + _LONGEST_SILENCE_S
    pauses_by = loop.time() + _LONGEST_OUTPUT_S
    while not is_painted(pane) and loop.time() < pauses_by:
        if _quiet_s(pane) >= _PAUSE_S:
            pauses_by = give_up_at  # it is busy
        await asyncio.sleep(_POLL_S)


def _quiet_s(pane: Pane) -> float:
    return asyncio.get_running_loop().time() - pane.tracker.last_output
