"""The CLI's connection to a server, under the client name `phux`. Import-light."""

from phux_client.blocking import DEFAULT_TIMEOUT_S, Phux, connect
from phux_core.errors import NoServerError
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec, TypeVar

    from phux_client.flows import Caller
    from phux_client.flows._types import Document, Flow

    Arguments = ParamSpec("Arguments")
    Result = TypeVar("Result")

CLIENT = f"phux/{__version__}"
"""The name of the CLI in the command ledger."""


def connection(options: "argparse.Namespace", *, start: bool = False, timeout_s: float = DEFAULT_TIMEOUT_S) -> Phux:
    """Connect to the server that the options name; with ``start``, start one if none is running."""
    if start:
        return connect(options.socket, start=True, timeout_s=timeout_s, client=CLIENT)
    return Phux(options.socket, timeout_s=timeout_s, client=CLIENT)


def drive(
    options: "argparse.Namespace",
    flow: "Callable[Concatenate[Caller, Arguments], Flow[Result]]",
    *args: "Arguments.args",
    **named: "Arguments.kwargs",
) -> "Result":
    """Run a flow on the server that the options name, and return its result."""
    with connection(options) as phux:
        return phux.drive(flow(phux.caller, *args, **named))


def drive_or_read(
    options: "argparse.Namespace",
    flow: "Callable[..., Flow[Document]]",
    stored: "Callable[..., Document]",
    *args: object,
    **named: object,
) -> "Document":
    """Run a flow; if no server is running, read the stored logs with the same arguments."""
    try:
        return drive(options, flow, *args, **named)
    except NoServerError:
        return stored(*args, **named)
