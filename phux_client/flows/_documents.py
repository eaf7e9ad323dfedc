"""Parts that several documents share."""

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document


def place(reply: "Document") -> "Document":
    """Return a Place document from the server's reply."""
    above = ("session", "session_id", "window", "window_id", "window_name", "pane")
    return {
        "schema_version": 1,
        **{name: reply[name] for name in above},
        "terminal_id": reply["pane_id"],
        **{name: reply[name] for name in ("cols", "rows", "zoomed")},
    }


def timestamp(moment: float) -> str:
    """Format a time in UTC, to the millisecond.

    Example:
        >>> timestamp(1.5)
        '1970-01-01T00:00:01.500Z'
    """
    seconds, millis = divmod(int(moment * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{millis:03}Z"
