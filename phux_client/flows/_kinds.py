"""The steps that flows yield, and the process that calls them."""

import os
import time

from phux_core import hosts
from phux_core.errors import BadCwdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_client.flows._types import Flow, Result

_GRACE_S = 2.0
"""The time that requests may take beyond a verb's timeout, so that a busy server can still report the result."""


class Request:
    """Send a request; the flow receives the reply's document.

    Attributes:
        patience_s: Time to allow in addition to the client's time limit.
        limit_s: An upper bound for the client's time limit plus ``patience_s``; None for no bound.
    """

    __slots__ = ("call", "limit_s", "params", "patience_s")

    def __init__(self, call: str, patience_s: float = 0.0, limit_s: float | None = None, /, **params: object) -> None:
        self.call = call
        self.patience_s = patience_s
        self.limit_s = limit_s
        self.params = {name: value for name, value in params.items() if value is not None}

    def time_allowed_s(self, usual_s: float) -> float:
        """Return the time limit for the reply, given the client's usual one."""
        allowed_s = usual_s + self.patience_s
        return allowed_s if self.limit_s is None else min(allowed_s, self.limit_s)

    def __repr__(self) -> str:
        return f"Request({self.call!r}, {self.params!r})"


class Deadline:
    """Set the deadline of all later requests, on the monotonic clock; the flow receives the previous one."""

    __slots__ = ("at",)

    def __init__(self, at: float | None) -> None:
        self.at = at


class NextEvent:
    """Wait for the next event of a subscription; the flow receives the event, or None if the timeout expired."""

    __slots__ = ("subscription", "timeout_s")

    def __init__(self, subscription: int, timeout_s: float | None) -> None:
        self.subscription = subscription
        self.timeout_s = timeout_s


def within(flow: "Flow[Result]", timeout_s: float | None) -> "Flow[Result]":
    """Run a flow, and end its requests shortly after the timeout, even if the server does not answer."""
    if timeout_s is None:
        return (yield from flow)
    at = time.monotonic() + timeout_s + _GRACE_S
    before: float | None = yield Deadline(at)
    if before is not None and before < at:
        yield Deadline(before)
    result = yield from flow
    yield Deadline(before)
    return result


class Caller:
    """The calling process: its directory, its environment and its pane.

    Attributes:
        is_remote: Whether the server runs on another machine, where this directory and this environment mean nothing.
        pane: The id of the pane in which the process runs; None if it runs in no pane of this server.
    """

    __slots__ = ("_cwd", "env", "is_remote", "pane")

    def __init__(self, cwd: str | None, env: "Mapping[str, str]", socket: str) -> None:
        self._cwd = cwd
        self.env = env
        self.is_remote = hosts.is_remote(socket)
        place = env.get("PHUX_PANE", "")
        # A pane id is valid only for the server that assigned it.
        inside = env.get("PHUX_SOCKET") == socket and place[:1] == "@" and place[1:].isdecimal() and len(place) < 12
        self.pane = int(place[1:]) if inside else None

    @property
    def cwd(self) -> str:
        """The current working directory.

        Raises:
            BadCwdError: The directory was deleted, or cannot be reached.
        """
        if self._cwd is not None:
            return self._cwd
        try:
            return os.getcwd()
        except OSError as error:
            name = f" {self.env['PWD']}" if self.env.get("PWD") else ""
            problem = "was deleted" if isinstance(error, FileNotFoundError) else f"cannot be found: {error.strerror}"
            raise BadCwdError(
                f"the working directory{name} {problem}",
                remedy="change to a directory that exists, "
                "or pass an absolute path as the new program's working directory",
            ) from None
