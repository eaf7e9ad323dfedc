"""The CLI's connection to a server, under the client name `phux`. Import-light."""

import os

from phux_client.blocking.driver import Driver
from phux_client.connection import DEFAULT_TIMEOUT_S
from phux_core.errors import NoServerError
from phux_core.hosts import is_remote
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from typing import Concatenate, ParamSpec, TypeVar

    from phux_client.flows import Caller
    from phux_client.flows._types import Flow

    Arguments = ParamSpec("Arguments")
    Result = TypeVar("Result")

CLIENT = f"phux/{__version__}"
"""The name of the CLI in the command ledger."""


def connection(options: "argparse.Namespace", *, start: bool = False, timeout_s: float = DEFAULT_TIMEOUT_S) -> Driver:
    """Connect to the server that the options name; with ``start``, start one if none is running."""
    log_in(options)
    if start:
        from phux_client.blocking import connect

        return connect(options.socket, start=True, timeout_s=timeout_s, client=CLIENT)
    return Driver(options.socket, timeout_s=timeout_s, client=CLIENT)


def log_in(options: "argparse.Namespace") -> None:
    """Log in to the host that the options name, if there is a terminal on which ssh can ask."""
    if is_remote(options.socket or "") and os.isatty(0) and os.isatty(2):
        from phux_client.remote import login

        login.log_in(options.socket)


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
    flow: "Callable[..., Flow[Result]]",
    *args: object,
    **named: object,
) -> "Result":
    """Run a flow that reads logs; if no server is running, on the stored logs."""
    with connection(options) as phux:
        try:
            return phux.drive(flow(phux.caller, *args, **named))
        except NoServerError:
            if is_remote(phux.socket):
                raise
            from phux_client import stored_logs

            return stored_logs.drive(flow(phux.caller, *args, **named))
