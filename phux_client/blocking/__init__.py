"""The client over plain sockets, without await: the same surface as ``phux_client``, light to import.

    with phux_client.blocking.connect() as phux:
        pane = phux.new_session("work").pane
        pane.send_keys("make test", "Enter")

All modules but ``backend`` are generated from ``phux_client.aio`` by ``tools/generate_blocking.py``. Shapes (attrs) are
imported only when a method returns one. The CLI prints plain documents through ``Phux.drive`` and never imports them.
"""

from phux_client.blocking.handles import EventStream, Pane
from phux_client.blocking.logs import LogStream
from phux_client.blocking.server import Phux, connect, embedded
from phux_client.blocking.sessions import Session, Window
from phux_client.connection import DEFAULT_TIMEOUT_S

__all__ = ["DEFAULT_TIMEOUT_S", "EventStream", "LogStream", "Pane", "Phux", "Session", "Window", "connect", "embedded"]
