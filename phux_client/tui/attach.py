"""The one door: take the terminal, show a session in it, and give it back whatever happens."""

import os

from phux_client.tui import outer
from phux_client.tui.app import App
from phux_core.bindings import Bindings
from phux_core.errors import InternalError, PhuxError, RefusedError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def check_terminal(*, force: bool = False, environ: "Mapping[str, str] | None" = None) -> None:
    """Check that a session can be shown here.

    Args:
        force: Allow it inside of a pane, too.
        environ: The environment; the process's own when omitted.

    Raises:
        RefusedError: There is no terminal, one that cannot draw, or it is a pane already.
    """
    environ = os.environ if environ is None else environ
    outer.check(environ)
    if environ.get("PHUX_PANE") and not force:
        raise RefusedError(
            f"this terminal is the pane {environ['PHUX_PANE']} of a phux session already",
            remedy="go to another session there with the prefix and w, or attach in a pane all the same with --force",
        )


def window_area(settings: "Mapping[str, object]") -> tuple[int, int]:
    """Give the columns and rows that a window has in this terminal."""
    cols, rows = os.get_terminal_size(1)
    return max(cols, 1), max(rows - 1 if settings["status"] and rows > 1 else rows, 1)


def attach(
    socket: str,
    session: int,
    settings: "Mapping[str, object]",
    *,
    cli: "Sequence[str]",
    read_only: bool = False,
) -> tuple[str, int]:
    """Show a session in this terminal until the user leaves it or it ends.

    Args:
        socket: The server's socket.
        session: The session's number.
        settings: The values of the config file.
        cli: How to run a command of the command prompt: program and first arguments.
        read_only: Whether only to watch.

    Returns:
        What happened, as a sentence, and the exit code.

    Raises:
        PhuxError: Attach itself failed; the terminal is as it was.
    """
    changes = settings["keys"]
    assert isinstance(changes, dict)
    bindings = Bindings(str(settings["prefix"]), changes)
    terminal = outer.Outer()
    signals = outer.Signals()
    app = App(
        socket,
        session,
        outer=terminal,
        signals=signals,
        bindings=bindings,
        cli=cli,
        read_only=read_only,
        with_status=bool(settings["status"]),
        with_mouse=bool(settings["mouse"]),
    )
    try:
        terminal.enter()
        text = app.run()
    except PhuxError:
        raise
    except Exception as error:
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f" ({place.tb_frame.f_code.co_filename}, line {place.tb_lineno})" if place is not None else ""
        raise InternalError(f"attach failed: {error!r}{where}", remedy="the session goes on: attach again") from error
    finally:
        terminal.close()
        signals.close()
    return text, app.code
