"""The way from the command line to a server, which knows it as `phux`. Import-light."""

from phux_client.blocking import DEFAULT_TIMEOUT_S, Phux, connect
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

CLIENT = f"phux/{__version__}"
"""What the ledger of commands calls the command line."""


def connection(options: "argparse.Namespace", *, start: bool = False, timeout_s: float = DEFAULT_TIMEOUT_S) -> Phux:
    """Connect to the server that the options name; ``start`` one if none runs."""
    if start:
        return connect(options.socket, start=True, timeout_s=timeout_s, client=CLIENT)
    return Phux(options.socket, timeout_s=timeout_s, client=CLIENT)
