"""The client over plain sockets, without await: the same surface as ``phux_client``, light to import.

    with phux_client.blocking.connect() as phux:
        pane = phux.new_session("work").pane
        pane.send_keys("make test", "Enter")

Shapes (attrs) are imported only when a method returns one; the CLI, which prints documents as they are, uses
``Phux.drive`` and never pays for them.
"""

from phux_client.blocking.handles import EventStream, Pane
from phux_client.blocking.logs import LogStream
from phux_client.blocking.server import DEFAULT_TIMEOUT_S, Phux, connect, embedded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.blocking.sessions import Session, Window

__all__ = ["DEFAULT_TIMEOUT_S", "EventStream", "LogStream", "Pane", "Phux", "Session", "Window", "connect", "embedded"]


def __getattr__(name: str) -> object:
    if name not in {"Session", "Window"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from phux_client.blocking import sessions

    return getattr(sessions, name)
