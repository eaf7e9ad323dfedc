"""Describe what was lost with a server that was killed. Import-light."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

_MOST_NAMED = 10


def describe_unclean_end(unclean_end: "Document") -> str:
    """Return one sentence about the ``unclean_end`` of a Status document."""
    panes = unclean_end["panes"]
    named = [
        f"{pane['terminal']} in session {pane['session']}"
        + (f", running {', '.join(pane['running'])}" if pane["running"] else "")
        for pane in panes[:_MOST_NAMED]
    ]
    if len(panes) > _MOST_NAMED:
        named.append(f"{len(panes) - _MOST_NAMED} more")
    return f"the previous server was killed, and its programs were lost: {'; '.join(named)}"


REMEDY = "read what they wrote: phux logs @ID, phux output COMMAND_ID, phux logs --list"
"""What can be done about an unclean end."""
