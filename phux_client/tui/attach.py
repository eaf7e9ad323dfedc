"""The entry point: take over the terminal, show a session, and always restore the terminal."""

import os

from phux_client.tui import outer
from phux_client.tui.app import App
from phux_core.errors import InternalError, PhuxError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def check_terminal(*, force: bool = False) -> None:
    """Raise RefusedError if there is no terminal that can draw, or if it is a pane and ``force`` is false."""
    outer.check()
    pane = os.environ.get("PHUX_PANE")
    if pane and not force:
        raise RefusedError(
            f"this terminal is already a pane of a phux session, {pane}",
            remedy="press the prefix and w to go to another session, or pass --force to attach anyway",
        )


def window_area(settings: "Mapping[str, object]") -> tuple[int, int]:
    """Return the columns and rows available to a window in this terminal."""
    cols, rows = os.get_terminal_size(1)
    return max(cols, 1), max(rows - 1 if settings["status"] and rows > 1 else rows, 1)


def attach(
    socket: str, session: int, settings: "Mapping[str, object]", *, cli: "Sequence[str]", read_only: bool = False
) -> tuple[str, int]:
    """Show a session in this terminal until the user detaches or the session ends.

    Args:
        settings: The values of the config file.
        cli: The program and first arguments that run a command of the command prompt.

    Returns:
        A message about the end, and the exit code.
    """
    terminal = outer.Outer()
    signals = outer.Signals()
    app = App(socket, session, settings, outer=terminal, signals=signals, cli=cli, read_only=read_only)
    try:
        terminal.enter()
        text = app.run()
    except PhuxError:
        raise
    except Exception as error:
        import traceback

        place = traceback.extract_tb(error.__traceback__)[-1]
        raise InternalError(
            f"attach failed: {error!r} ({place.filename}, line {place.lineno})",
            remedy="the session keeps running: attach again",
        ) from error
    finally:
        terminal.close()
        signals.close()
    return text, app.code
