"""Timestamps of documents."""

import time


def timestamp(moment: float) -> str:
    """Format a time in UTC, to the millisecond.

    Example:
        >>> timestamp(1.5)
        '1970-01-01T00:00:01.500Z'
    """
    seconds, millis = divmod(int(moment * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{millis:03}Z"
