"""The live view in a browser: all panes as live tiles, each of which opens to full size.

access    tokens, allowed hosts and origins, and security headers; no I/O
tiles     which pane's frame to send next; no I/O
past      the timeline and past screens, reduced to what the page draws; no I/O
asking    what a browser may ask, as flows
browser   the conversation with one browser
app       the web application
serving   binds the address, prints the URLs and runs the web server
static/   the page

Each browser has a connection to the phux server and one WebSocket. Frames (docs/wire.md) are passed on as they are; the
page draws their rows and interprets no escape sequences. A frame is read only when the browser has drawn the previous
one of that pane, so nothing queues for a slow browser. Nothing attaches.
"""

from phux_core.errors import RefusedError

DEFAULT_BIND = "127.0.0.1:8737"


def check_installed() -> None:
    """Raise RefusedError unless the libraries of the extra ``phux[web]`` are installed."""
    import importlib.util

    missing = [name for name in ("starlette", "uvicorn", "websockets") if importlib.util.find_spec(name) is None]
    if missing:
        raise RefusedError(
            f"the live view needs {' and '.join(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed",
            remedy="install them with `pip install 'phux[web]'`",
        )
