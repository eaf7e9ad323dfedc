"""``ls``: a short list of the sessions."""

from phux_client.flows._kinds import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow


def ls() -> "Flow[Document]":
    """List the sessions by name, as a SessionList document."""
    return session_list((yield Request("tree")))


def session_list(tree: "Document") -> "Document":
    """Return a SessionList document from a Tree document."""
    sessions = [
        {
            "name": session["name"],
            "windows": len(session["windows"]),
            "attached": session["attached_clients"] > 0,
        }
        for session in tree["sessions"]
    ]
    return {"schema_version": 1, "sessions": sorted(sessions, key=lambda session: str(session["name"]))}
