"""When a pane's screen is worth reading: its program has drawn what it draws now.

A program that waits for input has drawn everything; one that works may go on. Programs with several threads draw while
one of them waits, so a full screen has to be quiet for a moment as well. Everything is bounded: some never pause.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from phux_core.server.documents.screen import catch_up

if TYPE_CHECKING:
    from phux_core.server.pane import Pane

_PAUSE_S = 0.02
# A shell is at its prompt soon after the last output, and need not have paused.
_LOOK_AGAIN_S = 0.002
# How long output without a pause is waited for, and how long a program that is silent because it works: htop enters the
# alternate screen, measures for 80 ms, and draws then.
_LONGEST_OUTPUT_S = 0.1
_LONGEST_SILENCE_S = 0.25


def is_painted(pane: Pane) -> bool:
    """Read what a pane's program has written by now, and tell whether that is all it draws for the moment."""
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
            pauses_by = give_up_at  # it works
        await asyncio.sleep(_LOOK_AGAIN_S)


def _quiet_s(pane: Pane) -> float:
    return asyncio.get_running_loop().time() - pane.tracker.last_output
