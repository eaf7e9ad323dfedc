"""The way from the command line to a server, which knows it as `phux`. Import-light."""

from phux_client.blocking import Phux, connect
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

CLIENT = f"phux/{__version__}"
"""What the ledger of commands calls the command line."""


def connection(options: "argparse.Namespace", *, start: bool = False) -> Phux:
    """Make the way to the server that the options name; ``start`` one if none runs."""
    return connect(options.socket, start=True, client=CLIENT) if start else Phux(options.socket, client=CLIENT)
