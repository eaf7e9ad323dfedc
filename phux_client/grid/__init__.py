"""Grid: all panes as live tiles in the user's terminal.

arranging  the places of the tiles
tiles      one tile: a frame with the pane's name, state, title and last exit code, around its screen
model      the panes, their order, their screens and the selection
exchange   the conversation with the server
view       the composed screen
app        the event loop

Only ``exchange`` and ``app`` do I/O. Watching attaches to nothing and resizes nothing.
"""

from phux_client.tui import outer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.grid.app import Visit


def check_terminal() -> None:
    """Raise RefusedError if there is no terminal that can draw."""
    outer.check("watch --grid", "list the panes with `phux tree`")


def show_grid(socket: str, visit: "Visit") -> tuple[str, int]:
    """Show all panes in this terminal until the user quits; return a message about the end, and the exit code.

    Args:
        socket: The server's socket.
        visit: Shows a pane in this terminal until the user comes back, given its id; returns a message.

    Raises:
        PhuxError: The server cannot be reached.
    """
    from phux_client.grid.app import Grid

    terminal = outer.Outer()
    signals = outer.Signals()
    grid = Grid(socket, visit, outer=terminal, signals=signals)
    try:
        terminal.enter()
        grid.run()
    finally:
        terminal.close()
        signals.close()
    return grid.ending or "", grid.code
