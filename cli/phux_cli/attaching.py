"""Show a session in this terminal, for `attach` and `new`."""

import sys

from phux_cli.output import print_on_stderr, write
from phux_client.tui import attach, check_terminal
from phux_core.config import config_path, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def prepare(*, force: bool = False) -> "Mapping[str, object]":
    """Check that a session can be shown here, and return the settings of the config file."""
    check_terminal(force=force)
    return load(config_path())


def show(socket: str, session: int, settings: "Mapping[str, object]", *, read_only: bool = False) -> int:
    """Show a session until the user detaches or the session ends, print a message, and return the exit code."""
    text, code = visit(socket, session, settings, read_only=read_only)
    print_end(text, code)
    return code


def visit(socket: str, session: int, settings: "Mapping[str, object]", *, read_only: bool = False) -> tuple[str, int]:
    """Show a session until the user detaches or the session ends; return a message and the exit code."""
    # Use this Python, not the `phux` in PATH, because another release may use another protocol version.
    cli = [sys.executable, "-P", "-m", "phux_cli.main"]
    return attach(socket, session, settings, cli=cli, read_only=read_only)


def print_end(text: str, code: int) -> None:
    """Print the message about the end of a program that had the whole terminal."""
    message = f"[phux: {text}]"
    if code:
        print_on_stderr(message)
    else:
        write(f"{message}\n")
