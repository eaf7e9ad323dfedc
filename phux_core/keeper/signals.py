"""Names of signals, also of those that have none."""

from __future__ import annotations

import signal


def signal_name(number: int) -> str:
    """Name a signal; real-time signals have no name of their own.

    Example:
        >>> signal_name(9), signal_name(40)
        ('SIGKILL', 'SIG40')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
