"""Names of signals."""

from __future__ import annotations

import signal


def signal_name(number: int) -> str:
    """Return the name of a signal, such as SIGKILL; SIG40 for a real-time signal, which has no standard name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"
