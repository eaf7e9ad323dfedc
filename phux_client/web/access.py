"""Who may use the live view: tokens, allowed hosts and origins, and the headers of every response. No I/O."""

from __future__ import annotations

import ipaddress
import secrets
from typing import Literal

from phux_core.errors import BadRequestError

Level = Literal["control", "watch"]
"""What a token allows: to watch and type, or only to watch."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""The headers of every response. With them, no text can become a script or a style, even if the page had a bug."""
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


class Tokens:
    """The tokens of one run; both are secret, random and compared in constant time.

    Attributes:
        by_level: The token of each level that may be used.
    """

    def __init__(self, *, read_only: bool) -> None:
        levels: tuple[Level, ...] = ("watch",) if read_only else ("control", "watch")
        self.by_level: dict[Level, str] = {level: secrets.token_urlsafe(32) for level in levels}

    def level(self, token: object) -> Level | None:
        """Return what a token allows; None for a wrong one."""
        given = token.encode("utf-8", "surrogatepass") if isinstance(token, str) else b""
        matches = [level for level, right in self.by_level.items() if secrets.compare_digest(given, right.encode())]
        return matches[0] if matches else None


class Gate:
    """The hosts and origins that requests may name, against pages of other sites and DNS rebinding.

    Args:
        is_secure: Whether the connection uses TLS. A certificate is valid for its own names only, so behind TLS any
            host is accepted; without, only this machine's loopback names. A tunnel may use another port.
    """

    def __init__(self, *, is_secure: bool) -> None:
        self._is_secure = is_secure

    def allows_host(self, host: str | None) -> bool:
        """Return whether a request may have this Host header."""
        if not host:
            return False
        name, colon, port = host.lower().rpartition(":")
        if not colon or host.endswith("]"):
            name, port = host.lower(), "0"
        return port.isdecimal() and (self._is_secure or name in _LOOPBACK_NAMES)

    def allows_origin(self, origin: str | None, host: str | None) -> bool:
        """Return whether a page of this origin may connect: only our own page may."""
        scheme = "https" if self._is_secure else "http"
        return self.allows_host(host) and origin is not None and origin.lower() == f"{scheme}://{host}".lower()


def parse_bind(text: str) -> tuple[str, int]:
    """Parse ADDRESS:PORT, and return the address and the port.

    Raises:
        BadRequestError: The text is not of this form.

    Example:
        >>> parse_bind("127.0.0.1:8737"), parse_bind("[::1]:0"), parse_bind("localhost:80")
        (('127.0.0.1', 8737), ('::1', 0), ('127.0.0.1', 80))
    """
    address, _colon, port = text.rpartition(":")
    address = address.removeprefix("[").removesuffix("]") if address.startswith("[") else address
    if address == "localhost":
        address = "127.0.0.1"
    try:
        ipaddress.ip_address(address)
        number = int(port) if port.isascii() and port.isdecimal() and len(port) < 6 else -1
    except ValueError:
        number = -1
    if not 0 <= number < 2**16:
        raise BadRequestError(
            f"{text!r:.80} is not an address and a port", remedy="write ADDRESS:PORT, such as 127.0.0.1:8737"
        )
    return address, number


def check_reach(address: str, port: int, *, allow_remote: bool, has_tls: bool) -> None:
    """Raise BadRequestError unless the address may be bound: loopback, or any with TLS if remote access is allowed."""
    if ipaddress.ip_address(address).is_loopback:
        return
    tunnel = f"bind 127.0.0.1, and use `ssh -L {port}:127.0.0.1:{port} THIS_HOST` on the other machine"
    if not allow_remote:
        raise BadRequestError(
            f"{address} can be reached from other machines",
            remedy=f"{tunnel}; or pass --allow-remote with --tls-cert and --tls-key",
        )
    if not has_tls:
        raise BadRequestError(
            f"without TLS, others can read what is sent to and from {address}",
            remedy=f"pass --tls-cert and --tls-key; or {tunnel}",
        )
