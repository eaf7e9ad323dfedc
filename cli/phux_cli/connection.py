"""The CLI's connection to a server, under the client name `phux`. Import-light."""

from phux_client.blocking import DEFAULT_TIMEOUT_S, Phux, connect
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

CLIENT = f"phux/{__version__}"
"""The name of the CLI in the command ledger."""


def connection(options: "argparse.Namespace", *, start: bool = False, timeout_s: float = DEFAULT_TIMEOUT_S) -> Phux:
    """Connect to the server that the options name; with ``start``, start one if none is running."""
    if start:
        return connect(options.socket, start=True, timeout_s=timeout_s, client=CLIENT)
    return Phux(options.socket, timeout_s=timeout_s, client=CLIENT)
