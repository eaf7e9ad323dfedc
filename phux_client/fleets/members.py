"""The hosts of a fleet, and the connection to each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio

from phux_client.aio import connect
from phux_core import errors, hosts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from phux_client.aio import Phux

ANSWER_S = 15.0
"""The time in which a host that is in use must answer."""
MOST_LOGINS = 32
"""The largest number of hosts that are connected at the same time."""


class Member:
    """A host of a fleet. It is connected when it is first used, and again after it was lost.

    Attributes:
        name: The host, as the user named it.
    """

    def __init__(
        self, name: str, address: str, *, start: bool, timeout_s: float, client: str | None, logins: anyio.Semaphore
    ) -> None:
        self.name = name
        self._address = address
        self._start = start
        self._timeout_s = timeout_s
        self._client = client
        self._logins = logins
        self._lock = anyio.Lock()
        self._phux: Phux | None = None

    async def phux(self) -> Phux:
        """Return the connected client.

        Raises:
            PhuxError: The host cannot be reached, or no server is running there.
        """
        async with self._lock:
            if self._phux is None:
                async with self._logins:
                    # Closed by ``close``, which may be called from another task.
                    opening = connect(self._address, start=self._start, timeout_s=self._timeout_s, client=self._client)
                    self._phux = await opening.__aenter__()
            return self._phux

    async def loss(self, phux: Phux) -> errors.PhuxError | None:
        """Return why a connected client cannot be used any more; None if its server answers in time."""
        try:
            with anyio.fail_after(ANSWER_S):
                await phux.status()
        except TimeoutError:
            return errors.DisconnectedError(f"{self.name}: the server did not answer within {ANSWER_S:g} s")
        except errors.PhuxError as error:
            return error
        return None

    def close(self, phux: Phux | None = None) -> None:
        """Close the connection, so that the next use makes another one.

        Args:
            phux: Close this client only, if it is still in use.
        """
        if self._phux is not None and phux in {None, self._phux}:
            self._phux.close()
            self._phux = None


def find_addresses(names: Iterable[str]) -> dict[str, str]:
    """Return the address of each host; a name that begins with a slash is the path of a socket on this machine.

    Raises:
        BadHostError: A name is invalid, a host is given twice, or there is none.
    """
    if isinstance(names, str):
        raise errors.BadHostError(f"a fleet is a list of hosts, and not the text {names[:80]!r}")
    found: dict[str, str] = {}
    owners: dict[str, str] = {}
    for name in names:
        address = hosts.server_address(name, hosts.LOCAL) if name.startswith("/") else hosts.server_address(None, name)
        if address in owners:
            other = owners[address]
            also = "" if other == name else f", also as {other[:80]!r}"
            raise errors.BadHostError(
                f"the host {name[:80]!r} is in the fleet twice{also}", remedy="name each host once"
            )
        owners[address] = name
        found[name] = address
    if not found:
        raise errors.BadHostError("the fleet has no hosts", remedy="name at least one host")
    return found
