"""The blocking client, over plain sockets: the same API as ``phux_client`` without ``await``.

    with phux_client.blocking.connect() as phux:
        pane = phux.new_session("work").pane
        pane.send_keys("make test", "Enter")

``tools/generate_blocking.py`` generates all modules except this one and ``backend`` from ``phux_client.aio``. Shapes
(attrs) are imported only when a method returns one. The CLI gets plain documents from ``Phux.drive`` and never
imports shapes.
"""

from phux_client.blocking.handles import EventStream, Pane
from phux_client.blocking.logs import LogStream
from phux_client.blocking.server import Phux, connect, embedded
from phux_client.blocking.sessions import Session, Window
from phux_client.connection import DEFAULT_TIMEOUT_S

__all__ = ["DEFAULT_TIMEOUT_S", "EventStream", "LogStream", "Pane", "Phux", "Session", "Window", "connect", "embedded"]
