"""The async client: typed, live handles over the flows. Runs under asyncio and trio.

    backend                       the I/O of this client
    link                          connects and reconnects
    driver                        runs flows
    server                        ``connect``, ``embedded`` and ``Phux``
    sessions                      handles of sessions and windows
    handles, acts, logs, screens,
    pointing                      handles of panes

``tools/generate_blocking.py`` generates ``phux_client.blocking`` from all modules except this one and ``backend``.
"""

from phux_client.aio.handles import EventStream, Pane
from phux_client.aio.logs import LogStream
from phux_client.aio.server import Phux, connect, embedded
from phux_client.aio.sessions import Session, Window
from phux_client.connection import DEFAULT_TIMEOUT_S

__all__ = ["DEFAULT_TIMEOUT_S", "EventStream", "LogStream", "Pane", "Phux", "Session", "Window", "connect", "embedded"]
