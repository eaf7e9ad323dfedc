"""Check whether /proc shows processes under the ids that this process uses. Import-light.

/proc is missing in some chroots and sandboxes. In a PID namespace with the /proc of its parent (``unshare -p`` without
``--mount-proc``), the same ids mean other processes. In both cases phux reads nothing from /proc. It relies on the
terminal's modes and its foreground process group, and ``missing`` explains the effect.
"""

import functools
import os
import sys


@functools.cache
def is_usable() -> bool:
    """Return True if /proc is mounted and shows this process under its own id."""
    try:
        return os.readlink("/proc/self") == str(os.getpid())
    except OSError:
        return False


def resident_bytes(pid: int) -> int | None:
    """Return the resident memory of a process; None if it is unknown."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") if is_usable() else None
    except OSError:
        return None


def missing() -> str | None:
    """Explain what is unknown without a usable /proc; return None if /proc is usable or the system is not Linux."""
    if sys.platform != "linux" or is_usable():
        return None
    problem = "belongs to another PID namespace" if os.path.exists("/proc/self") else "is not mounted"
    return (
        f"/proc {problem}: the state awaiting_input is not detected, and names and directories of programs in the "
        "foreground are not known"
    )
