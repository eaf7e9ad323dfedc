"""Whether /proc tells of the processes that this one knows by their numbers. Import-light.

It is missing in some chroots and sandboxes. In a PID namespace that kept the /proc of the one around it (``unshare -p``
without ``--mount-proc``), the same numbers there mean other processes. In either case nothing is read from it: the
terminal's modes and its foreground process group must do, and what they cannot tell is listed in ``missing``.
"""

import functools
import os
import sys


@functools.cache
def is_usable() -> bool:
    """Return True if /proc is mounted and shows this process under its own number."""
    try:
        return os.readlink("/proc/self") == str(os.getpid())
    except OSError:
        return False


def missing() -> str | None:
    """Explain what cannot be told of programs because /proc is not usable; None if it is."""
    if sys.platform != "linux" or is_usable():
        return None
    problem = "belongs to another PID namespace" if os.path.exists("/proc/self") else "is not mounted"
    return (
        f"/proc {problem}: the state awaiting_input is not detected, and names and directories of programs in the "
        "foreground are not known"
    )
