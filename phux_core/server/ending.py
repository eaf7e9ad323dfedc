"""The end of a service whose keeper is gone: record what is known, and end the programs that a killed keeper left."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from phux_core.keeper.children import Child, Children

if TYPE_CHECKING:
    from collections.abc import Iterable

    from phux_core.server.pane import Pane


def record_end(panes: Iterable[Pane]) -> None:
    """Record the end of the programs that the keeper reported, and the commands that are still running."""
    for pane in panes:
        pane.intake.read_rest()
        with pane.faults.output:
            pane.ledger.flush()


async def end_programs(panes: Iterable[Pane]) -> None:
    """End the programs that the keeper did not end, as it would have done."""
    programs = Children()
    for pane in panes:
        master = pane.fd
        if master >= 0:
            pane.intake.close()  # a shell may report the end of a command that only ends with the server
            programs.add(Child(pane.id, pane.record.pid, master))
            programs.end(pane.id, time.monotonic())
    while (deadline := programs.next_deadline(time.monotonic())) is not None:
        await asyncio.sleep(deadline - time.monotonic())
        programs.kill_overdue(time.monotonic())
