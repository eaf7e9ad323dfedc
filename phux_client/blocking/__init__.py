"""The blocking client, over plain sockets: the same API as ``phux_client`` without ``await``.

    with phux_client.blocking.connect() as phux:
        pane = phux.new_session("work").pane
        pane.send_keys("make test", "Enter")

``tools/generate_blocking.py`` generates all modules except this one and ``backend`` from ``phux_client.aio``. Shapes
(attrs) are imported only when a method returns one. The CLI gets plain documents from ``Driver.drive``, and imports
neither shapes nor handles: names are imported when first used.
"""

from phux_core.lazy import importer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.blocking.handles import EventStream as EventStream
    from phux_client.blocking.handles import Pane as Pane
    from phux_client.blocking.logs import LogStream as LogStream
    from phux_client.blocking.server import Phux as Phux
    from phux_client.blocking.server import connect as connect
    from phux_client.blocking.server import embedded as embedded
    from phux_client.blocking.sessions import Session as Session
    from phux_client.blocking.sessions import Window as Window
    from phux_client.connection import DEFAULT_TIMEOUT_S as DEFAULT_TIMEOUT_S

_MODULES = {
    "EventStream": "phux_client.blocking.handles",
    "Pane": "phux_client.blocking.handles",
    "LogStream": "phux_client.blocking.logs",
    "Phux": "phux_client.blocking.server",
    "connect": "phux_client.blocking.server",
    "embedded": "phux_client.blocking.server",
    "Session": "phux_client.blocking.sessions",
    "Window": "phux_client.blocking.sessions",
    "DEFAULT_TIMEOUT_S": "phux_client.connection",
}
__all__ = list(_MODULES)
__getattr__ = importer(globals(), _MODULES)
