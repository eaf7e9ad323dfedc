"""``resize`` and ``rename``: what can be changed of a pane, a window, a session."""

from phux_client.flows._kinds import Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._kinds import Flow


def resize(pane: int, cols: int, rows: int) -> "Flow[None]":
    """Change the size of a pane."""
    yield Request("resize", pane=pane, cols=cols, rows=rows)


def rename(scope: str, id_: int, name: str) -> "Flow[None]":
    """Give a session or a window another name."""
    yield Request("rename", scope=scope, id=id_, name=name)
