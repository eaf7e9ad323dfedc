"""The number of clients that are served: fewer if file descriptors run out, and a few more for the user in need."""

from __future__ import annotations

import resource

from phux_core.errors import LimitError

_MOST = 1024
RESERVED = 16
"""Additional connections for ``RESERVED_FOR``, so that a user can inspect and end a server with too many clients."""
RESERVED_FOR = frozenset({"status", "tree", "kill", "kill_server"})
# For log workers, and files that are open for a moment.
_KEPT_FILES = 8


def most_clients(others: int, descriptor: int) -> int:
    """Return how many clients may be connected, besides those reserved.

    Args:
        others: The number of other clients.
        descriptor: That of the newest connection: the kernel assigns the lowest free number.
    """
    limit, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return _MOST
    return min(_MOST, max(0, others + limit - descriptor - _KEPT_FILES - RESERVED))


def too_many_clients(most: int) -> LimitError:
    """Return the error for a client beyond the maximum."""
    problem = f"{most} clients are connected, which is the maximum"
    if most < _MOST:
        limit, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        problem = f"the server has too few file descriptors left for another client: its limit is {limit}"
    return LimitError(problem, remedy="close some, or end the server: phux kill --server")
