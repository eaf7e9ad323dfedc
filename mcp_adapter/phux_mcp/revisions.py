"""What the revisions of MCP do differently, in one table."""

from __future__ import annotations

from typing import NamedTuple


class Revision(NamedTuple):
    """One revision of the protocol.

    Attributes:
        name: Its date.
        seed: Whether it is served exactly as the first version of phux-mcp did: six tools, nothing else.
        batches: Whether several messages may come as an array.
        annotations: Whether tools tell what they do to the world, and progress carries a message.
        structured: Whether tools have titles and output schemas, and results carry ``structuredContent``.
        stateless: Whether every request tells its revision, and there is no handshake.
        not_found: The code of the error for a resource that is not there.
    """

    name: str
    seed: bool = False
    batches: bool = False
    annotations: bool = True
    structured: bool = True
    stateless: bool = False
    not_found: int = -32002


REVISIONS = {
    revision.name: revision
    for revision in (
        Revision("2024-11-05", seed=True, annotations=False, structured=False),
        Revision("2025-03-26", batches=True, structured=False),
        Revision("2025-06-18"),
        Revision("2025-11-25"),
        Revision("2026-07-28", stateless=True, not_found=-32602),
    )
}
"""Every revision that is served, by its name, oldest first."""

OLDEST = REVISIONS["2024-11-05"]
"""What somebody gets who asks without any handshake: the contract of the seed."""
NEWEST_WITH_HANDSHAKE = REVISIONS["2025-11-25"]
"""What ``initialize`` answers to somebody who wants a revision that is not known."""
NEWEST = REVISIONS["2026-07-28"]

META_REVISION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META_CLIENT = "io.modelcontextprotocol/clientInfo"
META_SERVER = "io.modelcontextprotocol/serverInfo"
META_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
UNSUPPORTED_REVISION = -32022

CACHE_MS = 0
"""How long a list may be kept: it is cheap to ask, and may have changed."""


def with_handshake(wanted: object) -> Revision:
    """Choose the revision for an ``initialize``: the one that is wanted, if it can be had."""
    revision = REVISIONS.get(wanted) if isinstance(wanted, str) else None
    return NEWEST_WITH_HANDSHAKE if revision is None or revision.stateless else revision
