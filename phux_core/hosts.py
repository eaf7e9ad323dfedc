"""Other machines: destinations of ssh, addresses of servers, and targets qualified by a host.

A server's address is the path of its socket, or ``ssh://[USER@]HOST[:PORT]`` for the server of a user on another
machine, followed by the path of its socket there unless it is the default one. Import-light, because the CLI imports
this module.
"""

import os

from phux_core import paths
from phux_core.errors import BadHostError

SCHEME = "ssh://"
LOCAL = "local"
"""The destination that means this machine."""
_MOST_CHARACTERS = 255
# Configurations of ssh may pass the host and the user to a shell (`ProxyCommand %h`).
_IN_HOST = "._-:%"
_IN_USER = "._-+@"
_UNSAFE_IN_PATHS = "\\!"


class Destination:
    """A machine as ssh reaches it: a name or an alias of ssh's config, with a user and a port if they were given."""

    __slots__ = ("host", "port", "user")

    def __init__(self, user: str | None, host: str, port: int | None) -> None:
        self.user = user
        self.host = host
        self.port = port

    def __str__(self) -> str:
        user = "" if self.user is None else f"{self.user}@"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return user + host + ("" if self.port is None else f":{self.port}")


def parse(text: str) -> Destination:
    """Parse ``HOST``, ``USER@HOST``, ``USER@HOST:PORT`` or the same after ``ssh://``; an IPv6 address in brackets.

    Raises:
        BadHostError: The text is not a destination.
    """
    place = text.removeprefix(SCHEME)
    user, at, rest = place.rpartition("@")
    if rest.startswith("["):
        host, bracket, port = rest[1:].partition("]")
        is_whole = bool(bracket) and (not port or port[0] == ":")
        colon, port = port[:1], port[1:]
    elif rest.count(":") > 1:  # an IPv6 address
        host, colon, port, is_whole = rest, "", "", True
    else:
        host, colon, port = rest.partition(":")
        is_whole = True
    if not place or len(place) > _MOST_CHARACTERS:
        problem = "is empty" if not place else "is too long"
    elif not host or not is_whole or (at and not user):
        problem = "is not of the form USER@HOST:PORT"
    elif host[0] == "-" or user[:1] == "-":
        problem = "begins with `-`"
    elif not (_consists_of(host, _IN_HOST) and _consists_of(user, _IN_USER)):
        problem = "contains a character that neither users nor hosts have"
    elif colon and not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 65536):
        problem = f"has the port {port[:20]!r}, which is not a number from 1 to 65535"
    else:
        return Destination(user or None, host, int(port) if colon else None)
    raise BadHostError(f"the host {text[:80]!r} {problem}")


def _consists_of(text: str, more: str) -> bool:
    return all(character.isalnum() or character in more for character in text)


def server_address(socket: str | None = None, host: str | None = None) -> str:
    """Return the address of the server that a user means.

    Args:
        socket: The path of the socket, on the host if there is one; or an address.
        host: The destination; ``local`` for this machine. Without it and without ``socket``, it is ``$PHUX_HOST``.

    Raises:
        BadHostError, UnsafePathError: The host or the path is invalid.
    """
    if host is None and not socket:
        host = os.environ.get("PHUX_HOST")
    if host and host != LOCAL:
        return _address(host, socket)
    named = socket or os.environ.get("PHUX_SOCKET", "")
    if is_remote(named):
        return paths.socket_path(paths.default_socket_path()) if host == LOCAL else _address(named)
    return paths.socket_path(socket)


def _address(text: str, socket: str | None = None) -> str:
    place, slash, path = text.removeprefix(SCHEME).partition("/")
    destination = parse(place)
    path = socket or (slash + path if path else "")
    if not path:
        return f"{SCHEME}{destination}"
    if not os.path.isabs(path) or not path.isprintable() or any(character in path for character in _UNSAFE_IN_PATHS):
        raise BadHostError(
            f"the socket {path[:80]!r} on another machine is not an absolute path of plain characters",
            remedy="write --socket /run/user/1000/phux/phux.sock, or leave it out",
        )
    return f"{SCHEME}{destination}{path}"


def is_remote(address: str) -> bool:
    """Return whether an address names a server on another machine."""
    return address.startswith(SCHEME)


def split_address(address: str) -> tuple[str, str | None]:
    """Return the destination in a remote address as text, and the path of the socket or None."""
    place, slash, path = address.removeprefix(SCHEME).partition("/")
    return place, slash + path if slash else None


def split_target(target: str) -> tuple[str | None, str]:
    """Split ``HOST/TARGET``; the host is None if there is none.

    Example:
        >>> split_target("box/work:0.1"), split_target("work")
        (('box', 'work:0.1'), (None, 'work'))
    """
    start = len(SCHEME) if target.startswith(SCHEME) else 0
    host, slash, rest = target[start:].partition("/")
    # A log has a permanent id such as 20260101T120000Z-4711-a1b2/1.
    if not slash or not host or (host[:8].isdigit() and host[8:9] == "T" and "Z-" in host):
        return None, target
    return target[:start] + host, rest
