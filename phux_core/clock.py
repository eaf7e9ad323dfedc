"""A clock for durations: it counts while the system sleeps, and does not follow changes of the date."""

from __future__ import annotations

import time

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def boottime() -> float:
    """Return the time in seconds since the system started; all processes see the same time."""
    return time.clock_gettime(_CLOCK)
