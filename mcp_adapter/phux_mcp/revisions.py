"""The differences between the revisions of MCP, in one table."""

from __future__ import annotations

from typing import NamedTuple


class Revision(NamedTuple):
    """One revision of the protocol.

    Attributes:
        name: The date of the revision.
        seed: Whether the revision has exactly the contents of the first version of phux-mcp: six tools, nothing else.
        batches: Whether several messages may be sent as an array.
        annotations: Whether tools have annotations, and progress has messages.
        structured: Whether tools have titles and output schemas, and results have ``structuredContent``.
        icons: Whether the server's description has icons and a text.
        stateless: Whether every request names its revision, and there is no handshake.
        elicits: Whether the host may be asked to offer a URL to the person.
        tasks: Whether the host may call tools as tasks.
        not_found: The error code for a missing resource.
    """

    name: str
    seed: bool = False
    batches: bool = False
    annotations: bool = True
    structured: bool = True
    icons: bool = False
    stateless: bool = False
    elicits: bool = False
    tasks: bool = False
    not_found: int = -32002


REVISIONS = {
    revision.name: revision
    for revision in (
        Revision("2024-11-05", seed=True, annotations=False, structured=False),
        Revision("2025-03-26", batches=True, structured=False),
        Revision("2025-06-18"),
        Revision("2025-11-25", icons=True, elicits=True, tasks=True),
        Revision("2026-07-28", icons=True, stateless=True, elicits=True, not_found=-32602),
    )
}
"""Every supported revision by name, oldest first."""

OLDEST = REVISIONS["2024-11-05"]
"""The revision for requests without a handshake: the contract of the seed."""
NEWEST_WITH_HANDSHAKE = REVISIONS["2025-11-25"]
"""The revision that ``initialize`` returns if the requested one is unknown."""
NEWEST = REVISIONS["2026-07-28"]

META_REVISION = "io.modelcontextprotocol/protocolVersion"
META_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
META_CLIENT = "io.modelcontextprotocol/clientInfo"
META_SERVER = "io.modelcontextprotocol/serverInfo"
META_SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
UNSUPPORTED_REVISION = -32022


def with_handshake(wanted: object) -> Revision:
    """Return the revision for an ``initialize``: the requested one, if it is supported."""
    revision = REVISIONS.get(wanted) if isinstance(wanted, str) else None
    return NEWEST_WITH_HANDSHAKE if revision is None or revision.stateless else revision
