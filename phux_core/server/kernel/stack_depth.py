"""How deep in its own code a process waits for input.

A shell gets to its prompt by the same way each time, and to the ``read`` of a command by a longer one. The kernel tells
the stack's depth, so the two can be told apart where everything else about them is the same.
"""

from __future__ import annotations

from phux_core.server.kernel.foreground import WAITING_CALLS
from phux_core.server.kernel.syscall import read_call

_START_OF_STACK = 25  # in proc_pid_stat(5), behind the name


def depth_of_wait(pid: int) -> int | None:
    """Tell how deep a process waits; None if it does not wait for input, or the system does not tell."""
    call = read_call(pid, pid)
    if len(call) != 9 or int(call[0]) not in WAITING_CALLS:
        return None
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            start = int(file.read(4096).rpartition(b")")[2].split()[_START_OF_STACK])
    except (OSError, ValueError, IndexError):
        return None
    return start - int(call[7], 16) if start else None
