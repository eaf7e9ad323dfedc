"""What flows are made of."""

import os

from phux_core.errors import BadCwdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Request:
    """Ask the server; the flow is sent the reply's document.

    Attributes:
        call: What to ask.
        params: With what.
        patience_s: How much longer than usual the answer may take.
        limit_s: How long it may take at most, whatever is usual.
    """

    __slots__ = ("call", "limit_s", "params", "patience_s")

    def __init__(self, call: str, **params: object) -> None:
        self.call = call
        self.patience_s: float = 0.0
        self.limit_s: float | None = None
        self.params = {name: value for name, value in params.items() if value is not None}

    def time_allowed_s(self, usual_s: float) -> float:
        """Return how long the answer may take, given what a client usually allows."""
        allowed_s = usual_s + self.patience_s
        return allowed_s if self.limit_s is None else min(allowed_s, self.limit_s)

    def __repr__(self) -> str:
        return f"Request({self.call!r}, {self.params!r})"


class Deadline:
    """End every request that follows by a moment of the monotonic clock; the flow is sent None."""

    __slots__ = ("at",)

    def __init__(self, at: float) -> None:
        self.at = at


class NextEvent:
    """Wait for the next event of a subscription; the flow is sent it, or None when the time is over."""

    __slots__ = ("subscription", "timeout_s")

    def __init__(self, subscription: int, timeout_s: float | None) -> None:
        self.subscription = subscription
        self.timeout_s = timeout_s


def working_directory(env: "Mapping[str, str]") -> str:
    """Return the directory this process is in.

    Raises:
        BadCwdError: It was deleted, or cannot be reached.
    """
    try:
        return os.getcwd()
    except OSError as error:
        name = f" {env['PWD']}" if env.get("PWD") else ""
        problem = "was deleted" if isinstance(error, FileNotFoundError) else f"cannot be found: {error.strerror}"
        raise BadCwdError(
            f"the working directory{name} {problem}",
            remedy="change to a directory that exists, or name an absolute one as the new program's working directory",
        ) from None


class Caller:
    """Who asks: what a verb needs to know of the process it runs in.

    Attributes:
        env: Its environment.
        pane: The pane it runs in, if it is one of the server that is asked.
    """

    __slots__ = ("_cwd", "env", "pane")

    def __init__(self, cwd: str | None, env: "Mapping[str, str]", socket: str) -> None:
        self._cwd = cwd
        self.env = env
        place = env.get("PHUX_PANE", "")
        # A pane's number means something only to the server that gave it.
        inside = env.get("PHUX_SOCKET") == socket and place[:1] == "@" and place[1:].isdecimal() and len(place) < 12
        self.pane = int(place[1:]) if inside else None

    @property
    def cwd(self) -> str:
        """Where it is now."""
        return working_directory(self.env) if self._cwd is None else self._cwd
