"""The list of all panes that an overview shows, without I/O.

The caller reads the tree and the command ledger, and passes on the events of the whole server. ``phux web`` and
``phux watch --grid`` show the list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from attrs import evolve, frozen

if TYPE_CHECKING:
    from collections.abc import Iterable

    from phux_client.flows._types import Document
    from phux_core.shapes import State

Attention = Literal["needed", "running", "rest"]
"""How much attention a pane needs: it awaits input or a secret, its program is running, or neither."""

_ATTENTION: dict[str, Attention] = {
    "awaiting_secret": "needed",
    "awaiting_input": "needed",
    "running": "running",
    "fullscreen": "running",
}
ORDER: tuple[Attention, ...] = ("needed", "running", "rest")
# Events after which the tree must be read again.
_STRUCTURE = frozenset(
    (
        *("pane_spawned", "session_added", "session_closed", "window_added", "window_moved", "window_closed"),
        *("layout_changed", "renamed", "dropped"),
    )
)


@frozen(kw_only=True)
class OverviewPane:
    """A pane in the overview.

    Attributes:
        id: The pane's id.
        session: The name of its session.
        window: The index of its window in the session.
        window_name: The name of the window.
        index: The pane's index in the window.
        cols: Columns.
        rows: Rows.
        title: The title; empty until a program sets one.
        state: The pane's state.
        command: The name of the program in the foreground; that of the started program if there is none.
        cwd: The working directory of the pane's program.
        exit_code: The exit status of the last finished command, or of a dead pane's program; None if unknown.
        signal: The name of the signal that ended a dead pane's program; None otherwise.
    """

    id: int
    session: str
    window: int
    window_name: str
    index: int
    cols: int
    rows: int
    title: str
    state: State
    command: str
    cwd: str
    exit_code: int | None = None
    signal: str | None = None

    @property
    def attention(self) -> Attention:
        """How much attention the pane needs."""
        return _ATTENTION.get(self.state, "rest")


class Overview:
    """All panes of a server.

    Attributes:
        panes: The panes by id, in the order of the tree.

    Example:
        >>> overview = Overview()
        >>> overview.take_tree({"sessions": []})
        >>> overview.take_event({"event": "pane_spawned", "terminal": "@1", "seq": 0})
        True
        >>> overview.by_attention()
        []
    """

    def __init__(self) -> None:
        self.panes: dict[int, OverviewPane] = {}

    def take_tree(self, tree: Document) -> None:
        """Replace the list of panes by that of a Tree document; keep what the tree does not report."""
        before = self.panes
        self.panes = {
            pane["id"]: _pane(session, window, pane, before.get(pane["id"]))
            for session in tree["sessions"]
            for window in session["windows"]
            for pane in window["panes"]
        }

    def take_commands(self, commands: Iterable[Document]) -> None:
        """Take the exit codes from entries of the command ledger, oldest first."""
        for command in commands:
            pane = self.panes.get(command["pane"])
            if pane is not None and command["state"] == "finished" and pane.state != "dead":
                self._put(evolve(pane, exit_code=command["exit_code"]))

    def take_event(self, event: Document) -> bool:
        """Apply an event, and return True if the tree must be read again.

        After a ``dropped`` event, the ledger must be read again, too.
        """
        name = event["event"]
        if name in _STRUCTURE:
            return True
        pane = self.panes.get(int(event["terminal"][1:])) if "terminal" in event else None
        if pane is None:
            return False
        if name == "state_changed":
            self._put(evolve(pane, state=event["state"], command=event["command"] or pane.command))
        elif name == "pane_closed":
            ending = {"exit_code": event["exit_status"], "signal": event.get("signal")}
            self._put(evolve(pane, state="dead", **ending))
        elif name == "command_finished":
            self._put(evolve(pane, exit_code=event["exit_code"]))
        elif name == "title_changed":
            self._put(evolve(pane, title=event["title"]))
        elif name == "cwd_changed":
            self._put(evolve(pane, cwd=event["cwd"]))
        elif name == "resized":
            self._put(evolve(pane, cols=event["cols"], rows=event["rows"]))
        return False

    def by_attention(self) -> list[OverviewPane]:
        """Return the panes: first those that await input or a secret, then running ones, then the rest."""
        return sorted(self.panes.values(), key=lambda pane: ORDER.index(pane.attention))

    def _put(self, pane: OverviewPane) -> None:
        self.panes[pane.id] = pane


def _pane(session: Document, window: Document, pane: Document, before: OverviewPane | None) -> OverviewPane:
    is_dead = pane["state"] == "dead"
    foreground = pane["foreground"]
    return OverviewPane(
        id=pane["id"],
        session=session["name"],
        window=window["index"],
        window_name=window["name"],
        index=pane["index"],
        cols=pane["cols"],
        rows=pane["rows"],
        title=pane["title"] or "",
        state=pane["state"],
        command=pane["command"] if foreground is None else foreground["command"],
        cwd=pane["cwd"],
        exit_code=pane["exit_status"] if is_dead else before.exit_code if before else None,
        signal=pane.get("signal"),
    )
