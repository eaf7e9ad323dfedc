"""Attached clients: what each of them sees, pushed as it changes.

Nothing is queued. For each client and each pane it sees, the server remembers what it has told, and that something
changed; when it is time (at once after quiet, and at most sixty times a second) it sends the difference to what is
there then. Each pane has its own pace, so that what is typed into one is seen at once while another floods. A client
that does not read is sent nothing until it does, and then the difference again. So neither a flood nor a slow client
costs anybody else more than that.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

from phux_core.errors import LimitError, NoSuchTargetError, RefusedError
from phux_core.server.push.pane_focus import PaneFocus
from phux_core.server.screen.attach_frames import PaneSight
from phux_core.server.screen.frame_pacing import Pace
from phux_core.server.tree.size_policy import View

if TYPE_CHECKING:
    import asyncio

    from phux_core.engine import Engine
    from phux_core.server.clients.connection import Connection
    from phux_core.server.pane import Pane
    from phux_core.server.tree.arranger import Arranger
    from phux_core.server.tree.records import SessionRecord, Tree, WindowRecord

MORE_S = 0.006
"""How long a pane is waited for that has more to show: one picture of all of it is better than four."""
SYNC_S = 0.2
"""How long a program that said it is drawing is waited for."""
MAX_ATTACHMENTS = 256

# What may be asked on a connection that only watches.
_WATCHING = frozenset(
    (
        *("status", "tree", "snapshot", "subscribe", "unsubscribe"),
        *("logs", "log_list", "output", "search", "commands"),
        *("attach", "detach", "resize_attachment", "freeze", "frozen_rows", "thaw"),
    )
)
# Of a window's panes, the state that somebody should know about first.
_URGENCY = ("awaiting_secret", "awaiting_input", "running", "fullscreen", "prompt", "dead")


class Host(Protocol):
    """What attachments need of the service."""

    loop: asyncio.AbstractEventLoop
    tree: Tree
    panes: dict[int, Pane]
    arranger: Arranger

    def tree_changed(self) -> None:
        """Write the tree down, and tell what is another in it."""


class Attachment:
    """One client on one session.

    Attributes:
        number: Its number, which every push for it carries.
        session_id: The session.
        cols: Columns it has for a window.
        rows: Rows it has for a window.
        read_only: Whether it may only watch.
        focused: Whether its terminal has the focus; True as long as it does not say anything else.
        used: Counts up with what its user does, over all clients, to tell who was the latest.
        frozen: The copy of a pane that it reads in.
    """

    def __init__(
        self,
        host: Host,
        connection: Connection,
        number: int,
        session_id: int,
        *,
        size: tuple[int, int],
        read_only: bool,
        bells: set[int],
    ) -> None:
        self.number = number
        self.connection = connection
        self.session_id = session_id
        self.cols, self.rows = size
        self.read_only = read_only
        self.focused = True
        self.used = number
        self.frozen: Engine | None = None
        self._host = host
        self._told: dict[str, Any] | None = None
        self._sights: dict[int, PaneSight] = {}
        self._due: dict[int, float] = {}  # panes that changed, and when that is to be told
        self._look_again = False
        self._bells = bells  # windows that rang and were not looked at since; all clients share it
        self._rung: set[int] = set()
        self._pace = Pace()
        self._timer: asyncio.TimerHandle | None = None
        self._waiting_since: dict[int, float] = {}

    def pane_changed(self, pane: Pane) -> None:
        """Take note that a pane shows something else; it matters only if this client sees it."""
        sight = self._sights.get(pane.id)
        if sight is None:
            return
        now = self._host.loop.time()
        due = max(sight.pace.next, now + MORE_S) if pane.intake.more_follows else sight.pace.next
        self._due[pane.id] = due = min(due, self._due.get(pane.id, due))
        if due <= now and not self._look_again and self._may_push:
            self._push_frame(pane.id, now)
        else:
            self._wake_at(due)

    def typed(self, pane_id: int) -> None:
        """Take note that its user types into a pane, and waits to see it there."""
        sight = self._sights.get(pane_id)
        if sight is not None:
            sight.pace.hurry()

    def view_changed(self) -> None:
        """Take note that the session may look different."""
        self._look_again = True
        self.schedule()

    def rang(self, window_id: int) -> None:
        """Take note that a bell rang."""
        self._rung.add(window_id)
        self.schedule()

    def push_view(self, session: SessionRecord) -> None:
        """Push the session at once: whoever asked for a change gets the picture before the answer.

        Not the first time: then it is the answer that tells the client its number.
        """
        self._look_again = True
        if self._told is not None and not self.connection.is_slow:
            self._look_again = False
            self._push_view(session)
        self.schedule()

    def schedule(self) -> None:
        """Push what there is as soon as it is time."""
        waiting = [*self._due.values()]
        if self._look_again or self._rung:
            waiting.append(self._pace.next)
        if waiting:
            self._wake_at(min(waiting))

    @property
    def _may_push(self) -> bool:
        """Whether the client takes anything; else all of it is still to be told, and will be when it reads again."""
        return self.connection.is_open and not self.connection.is_slow

    def _wake_at(self, when: float) -> None:
        if not self._may_push:
            return
        if self._timer is not None:
            if self._timer.when() <= when:
                return
            self._timer.cancel()
        self._timer = self._host.loop.call_at(when, self._push)

    def end(self) -> None:
        """Push nothing any more."""
        if self._timer is not None:
            self._timer.cancel()
        self.thaw()

    def thaw(self) -> None:
        """Let the frozen copy go."""
        if self.frozen is not None:
            self.frozen.close()
            self.frozen = None

    def _push(self) -> None:
        self._timer = None
        session = self._host.tree.sessions.get(self.session_id)
        if session is None or not self._may_push:
            return
        now = self._host.loop.time()
        if (self._look_again or self._rung) and now >= self._pace.next:
            self._push_news(session, now)
        for pane_id in [pane_id for pane_id in sorted(self._due) if self._due[pane_id] <= now]:
            self._push_frame(pane_id, now)
        self.schedule()

    def _push_news(self, session: SessionRecord, now: float) -> None:
        self._pace.step(now)
        if self._look_again:
            self._look_again = False
            self._push_view(session)
        for window_id in self._rung:
            self._send("bell", {"window": window_id})
        self._rung.clear()

    def _push_view(self, session: SessionRecord) -> None:
        window = session.current
        view = {
            "session": {"id": session.id, "name": session.name},
            "windows": [self._window_document(session, one) for one in session.windows],
            "window": {
                "id": window.id,
                "cols": window.cols,
                "rows": window.rows,
                "layout": window.layout,
                "zoomed": window.zoomed,
                "active_pane": window.active_pane,
            },
            "read_only": self.read_only,
        }
        shown = window.arrangement.panes
        if view != self._told:
            self._told = view
            # A pane that is not seen now is told whole when it is seen again: the client forgets it too.
            self._sights = {pane_id: self._sights.get(pane_id) or PaneSight() for pane_id in shown}
            self._due = {pane_id: sight.pace.next for pane_id, sight in self._sights.items()}
            self._send("view", view)

    def _shown_name(self, window: WindowRecord) -> str:
        """Give the name that somebody chose, else that of the program in front: that is what people look for."""
        pane = None if window.named else self._host.panes.get(window.active_pane)
        foreground = pane.watch.foreground if pane is not None else None
        return window.name if foreground is None else foreground.name

    def _window_document(self, session: SessionRecord, window: WindowRecord) -> dict[str, Any]:
        states = {self._host.panes[pane.id].watch.state for pane in window.panes if pane.id in self._host.panes}
        return {
            "id": window.id,
            "index": window.index,
            "name": self._shown_name(window),
            "active": window.id == session.active_window,
            "zoomed": window.zoomed is not None,
            "bell": window.id in self._bells,
            "state": next((state for state in _URGENCY if state in states), "dead"),
        }

    def _push_frame(self, pane_id: int, now: float) -> None:
        del self._due[pane_id]
        pane = self._host.panes.get(pane_id)
        sight = self._sights.get(pane_id)
        if pane is None or sight is None:
            return
        if pane.engine.modes().synchronized_output:
            # The end of its picture is announced by output, which brings us back here; or that never comes.
            until = self._waiting_since.setdefault(pane_id, now) + SYNC_S
            if now < until:
                self._due[pane_id] = until
                self._wake_at(until)
                return
        self._waiting_since.pop(pane_id, None)
        frame = sight.difference(pane.terminal)
        if frame is not None:
            sight.pace.step(now)
            self._send("frame", {"pane": pane.id, "seq": pane.seq} | frame)

    def _send(self, kind: str, body: dict[str, Any]) -> None:
        self.connection.push({"attachment": self.number, kind: body})


class Attachments:
    """Every attached client.

    Args:
        host: The service.
        first_number: Where to begin counting; another in each life of the service.
    """

    def __init__(self, host: Host, first_number: int = 1) -> None:
        self._host = host
        self._all: dict[int, Attachment] = {}
        self._next = first_number
        self._bells: set[int] = set()
        self._focus_of_panes = PaneFocus(host.panes)

    def attach(self, connection: Connection, session_id: int, *, size: tuple[int, int], read_only: bool) -> Attachment:
        """Show a session to a client from now on.

        Raises:
            NoSuchTargetError: There is no such session, or nothing runs in it.
            LimitError: There are too many.
        """
        session = self._host.tree.session(session_id)
        if not session.alive:
            raise NoSuchTargetError(
                f"every program in the session {session.name!r} has ended",
                remedy="read what is left with `phux snapshot`",
            )
        if len(self._all) >= MAX_ATTACHMENTS:
            raise LimitError(f"{MAX_ATTACHMENTS} clients are attached, and there may be no more")
        attachment = Attachment(
            self._host, connection, self._next, session_id, size=size, read_only=read_only, bells=self._bells
        )
        self._next += 1
        self._all[attachment.number] = attachment
        if not read_only:
            self._focus(session_id)
        self._clients_changed(session_id)
        return attachment

    def resize(self, connection: Connection, number: int, size: tuple[int, int]) -> None:
        """Take note that a client has more or less room."""
        attachment = self.of(connection, number)
        attachment.cols, attachment.rows = size
        self._touch(attachment)
        self._clients_changed(attachment.session_id)

    def of(self, connection: Connection, number: int) -> Attachment:
        """Find an attachment of a connection.

        Raises:
            NoSuchTargetError: It has none of that number.
        """
        attachment = self._all.get(number)
        if attachment is None or attachment.connection is not connection:
            raise NoSuchTargetError(f"this connection has no attachment {number}", remedy="attach first")
        return attachment

    def on(self, session_id: int) -> list[Attachment]:
        """List the clients on a session."""
        return [one for one in self._all.values() if one.session_id == session_id]

    def counts(self) -> dict[int, int]:
        """Count the clients on each session that has some."""
        return dict(Counter(one.session_id for one in self._all.values()))

    def detach(self, attachments: list[Attachment], reason: str, message: str) -> int:
        """End attachments, and tell their clients why."""
        for attachment in attachments:
            if self._all.pop(attachment.number, None) is not None:
                attachment.end()
                attachment.connection.push(
                    {"attachment": attachment.number, "detached": {"reason": reason, "message": message}}
                )
        for session_id in {attachment.session_id for attachment in attachments}:
            self._clients_changed(session_id)
        return len(attachments)

    def chosen(self, session_id: int | None, number: int | None, keep: int | None) -> list[Attachment]:
        """List the attachments that a detach means."""
        return [
            one
            for one in self._all.values()
            if (session_id is None or one.session_id == session_id)
            and (number is None or one.number == number)
            and one.number != keep
        ]

    def check_allowed(self, connection: Connection, call: str) -> None:
        """Check that a client may make a call.

        Raises:
            RefusedError: It may only watch.
        """
        if call not in _WATCHING and any(attachment.read_only for attachment in self._with(connection)):
            raise RefusedError("this client is attached read-only", remedy="attach without --read-only")

    def used(self, connection: Connection) -> None:
        """Record that a client's user is about to type."""
        for attachment in self._with(connection):
            self._focus(attachment.session_id)
            self._touch(attachment)

    def typed(self, connection: Connection, pane_id: int) -> None:
        """Take note of what a client types."""
        for attachment in self._with(connection):
            attachment.typed(pane_id)

    def terminal_focused(self, connection: Connection, *, focused: bool) -> bool:
        """Record that the terminal of an attached client gained or lost the focus.

        Returns:
            False if the connection has no attachment.
        """
        attachments = self._with(connection)
        for attachment in attachments:
            attachment.focused = focused
        if focused:
            self.used(connection)
        self._update_focus()
        return bool(attachments)

    def _with(self, connection: Connection) -> list[Attachment]:
        return [one for one in self._all.values() if one.connection is connection]

    def _update_focus(self) -> None:
        """Report the focus to programs: it is where a client that is not read-only has the keyboard."""
        sessions = self._host.tree.sessions
        looked_at = {one.session_id for one in self._all.values() if one.focused and not one.read_only}
        active = {sessions[session_id].current.active_pane for session_id in looked_at if session_id in sessions}
        self._focus_of_panes.update(active)

    def _touch(self, attachment: Attachment) -> None:
        latest = max(self._all.values(), key=lambda one: one.used)
        if latest is not attachment:
            attachment.used = latest.used + 1
            self._tell_sizes(attachment.session_id)

    def _focus(self, session_id: int) -> None:
        """Let the focus follow whoever uses a client."""
        tree = self._host.tree
        if session_id in tree.sessions and tree.focus_order[-1] != session_id:
            tree.focus(session_id)
            self._host.tree_changed()

    def drop_client(self, connection: Connection) -> None:
        """End the attachments of somebody who is gone."""
        gone = self._with(connection)
        for attachment in gone:
            del self._all[attachment.number]
            attachment.end()
        for session_id in {attachment.session_id for attachment in gone}:
            self._clients_changed(session_id)

    def resumed(self, connection: Connection) -> None:
        """Tell somebody who reads again what was not told meanwhile."""
        for attachment in self._with(connection):
            attachment.schedule()

    def _clients_changed(self, session_id: int) -> None:
        self._tell_sizes(session_id)
        self._update_focus()
        for attachment in self.on(session_id):
            attachment.view_changed()

    def _tell_sizes(self, session_id: int) -> None:
        """Give a session's windows the size that its clients call for; a client that only watches does not count."""
        views = [View(one.cols, one.rows, one.used) for one in self.on(session_id) if not one.read_only]
        self._host.arranger.set_views(session_id, views)

    # What happens

    def written(self, pane: Pane) -> None:
        """Take note that a pane's program wrote something."""
        for attachment in self._all.values():
            attachment.pane_changed(pane)

    def happened(self, name: str, pane_id: int | None) -> None:
        """Take note of an event."""
        if not self._all or name in {"dirty", "idle"}:
            return
        if name == "bell" and pane_id is not None:
            self._ring(pane_id)
        for attachment in self._all.values():
            attachment.view_changed()

    def _ring(self, pane_id: int) -> None:
        found = self._host.tree.find_pane(pane_id)
        if found is None:
            return
        session, window, _pane = found
        for attachment in self.on(session.id):
            attachment.rang(window.id)
        if window.id != session.active_window:
            self._bells.add(window.id)

    def tree_changed(self) -> None:
        """Take note that sessions, windows or panes are others than before."""
        sessions = self._host.tree.sessions
        for session in sessions.values():
            if session.active_window is not None:
                self._bells.discard(session.active_window)
        for attachment in list(self._all.values()):
            shown = sessions.get(attachment.session_id)
            if shown is None or not shown.alive:
                self.detach([attachment], "ended", "the session has ended")
            else:
                attachment.push_view(shown)
        self._update_focus()

    def ending(self, why: str) -> None:
        """Tell everybody that the server ends."""
        self.detach(list(self._all.values()), "server_ended", f"the server has ended: {why}")
