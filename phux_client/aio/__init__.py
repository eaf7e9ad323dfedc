"""The async client: typed, live handles over the flows. Runs under asyncio and trio."""

from phux_client.aio.handles import EventStream, Pane
from phux_client.aio.logs import LogStream
from phux_client.aio.server import Phux, connect, embedded
from phux_client.aio.sessions import Session, Window

__all__ = ["EventStream", "LogStream", "Pane", "Phux", "Session", "Window", "connect", "embedded"]
