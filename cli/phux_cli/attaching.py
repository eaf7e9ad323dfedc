"""What `attach` and `new` share: a session in this terminal."""

import sys

from phux_client.tui import attach, check_terminal
from phux_core.config import config_path, load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def prepare(*, force: bool = False) -> "Mapping[str, object]":
    """Check that a session can be shown here, and read the config file.

    Returns:
        The settings.

    Raises:
        PhuxError: It cannot, or the file makes no sense.
    """
    check_terminal(force=force)
    return load(config_path())


def show(socket: str, session: int, settings: "Mapping[str, object]", *, read_only: bool = False) -> int:
    """Show a session until it is over, and say what happened.

    Returns:
        The exit code.
    """
    # The same Python as this one, not what PATH finds: another release may speak another protocol.
    cli = [sys.executable, "-P", "-m", "phux_cli.main"]
    text, code = attach(socket, session, settings, cli=cli, read_only=read_only)
    print(f"[phux: {text}]", file=sys.stderr if code else sys.stdout)
    return code
