"""Names of signals."""

from __future__ import annotations

import signal


def signal_name(number: int) -> str:
    """Return the name of a signal; real-time signals have no standard name.

    Example:
        >>> signal_name(9), signal_name(40)
        ('SIGKILL', 'SIG40')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
