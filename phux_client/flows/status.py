"""``status`` and ``tree``: what the server says of itself, as it says it."""

from phux_client.flows._kinds import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Document, Flow


def status() -> "Flow[Document]":
    """Tell how the server is, as a Status document."""
    document: Document = yield Request("status")
    return document


def tree() -> "Flow[Document]":
    """Tell every session, window and pane, as a Tree document."""
    document: Document = yield Request("tree")
    return document
