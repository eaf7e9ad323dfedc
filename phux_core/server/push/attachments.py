"""Push changes of a session and its panes to attached clients.

Nothing is queued. For each client and each pane that it sees, the server remembers the state that it has sent, and
whether there was a change since. When a frame is due (at once after a pause, and at most sixty times a second), the
frame has the difference to the current screen. Each pane has its own pace, so that typed input is visible at once while
another pane floods. A client that does not read gets nothing until it reads, and then the difference. So the cost of a
flood or a slow client is bounded.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Any, Protocol

from attrs import define, field

from phux_core.engine.encoding import encode_focus
from phux_core.engine.protocol import Copied
from phux_core.errors import LimitError, NoSuchTargetError, RefusedError
from phux_core.server.screen.attach_frames import Pace, PaneSight

if TYPE_CHECKING:
    import asyncio

    from phux_core.engine import Engine
    from phux_core.engine.protocol import Notified
    from phux_core.server.connection import Connection
    from phux_core.server.pane import Pane
    from phux_core.server.tree.arranger import Arranger
    from phux_core.server.tree.records import SessionRecord, Tree, WindowRecord

MORE_S = 0.006
"""How long to wait for a pane with more output: one complete frame is better than four partial ones."""
SYNC_S = 0.2
"""How long to wait for a program that has started a synchronized update (DEC mode 2026)."""
MAX_ATTACHMENTS = 256

_MOST_REQUESTS = 3
"""The most notifications, and clipboard contents, to push at a time."""

# The calls that a read-only client may make.
_WATCHING = frozenset(
    (
        *("status", "tree", "snapshot", "subscribe", "unsubscribe", "cancel"),
        *("logs", "log_list", "output", "search", "commands", "past_screen", "timeline", "film", "frame"),
        *("attach", "detach", "resize_attachment", "freeze", "frozen_rows", "thaw"),
    )
)
# The states of a window's panes, most important first.
_URGENCY = ("awaiting_secret", "awaiting_input", "running", "fullscreen", "prompt", "dead")


class Host(Protocol):
    """The parts of the service that attachments need."""

    loop: asyncio.AbstractEventLoop
    tree: Tree
    panes: dict[int, Pane]
    arranger: Arranger

    def tree_changed(self) -> None:
        """Save the tree, and notify clients."""


@define(eq=False)
class Attachment:
    """One client on one session.

    Attributes:
        number: Its number, which all its frames carry.
        size: The columns and rows that it has for a window.
        focused: Whether its terminal has the focus; True until the client reports otherwise.
    """

    _host: Host
    connection: Connection
    number: int
    session_id: int
    size: tuple[int, int]
    read_only: bool
    focused: bool = True
    _sent_view: dict[str, Any] | None = None
    _sights: dict[int, PaneSight] = field(factory=dict)
    _due: dict[int, float] = field(factory=dict)  # when to push each changed pane
    _view_due: bool = False
    _bells: set[int] = field(factory=set)
    _requests: deque[tuple[str, dict[str, Any]]] = field(factory=lambda: deque(maxlen=_MOST_REQUESTS))
    _pace: Pace = field(factory=Pace)
    _timer: asyncio.TimerHandle | None = None
    _synchronized_since: dict[int, float] = field(factory=dict)

    def pane_changed(self, pane: Pane) -> None:
        sight = self._sights.get(pane.id)
        if sight is None:
            return
        now = self._host.loop.time()
        due = max(sight.pace.next, now + MORE_S) if pane.intake.more_follows else sight.pace.next
        self._due[pane.id] = due = min(due, self._due.get(pane.id, due))
        if due <= now and not self._view_due and self._may_push:
            self._push_frame(pane.id, now)
        else:
            self._wake_at(due)

    def typed(self, pane_id: int) -> None:
        """Show a pane soon: its user types into it, and waits for the echo."""
        sight = self._sights.get(pane_id)
        if sight is not None:
            sight.pace.hurry()

    def view_changed(self) -> None:
        self._view_due = True
        self.schedule()

    def rang(self, window_id: int) -> None:
        """Record a bell, which is pushed with the view."""
        self._bells.add(window_id)

    def requested(self, kind: str, body: dict[str, Any]) -> None:
        """Record a program's request to the client's terminal, which is pushed with the view."""
        self._requests.append((kind, body))
        self.view_changed()

    def push_view(self, session: SessionRecord) -> None:
        """Push the view at once, so that a client that requested a change gets it before the reply.

        The first view follows the reply, which contains the number of the attachment.
        """
        self._view_due = True
        if self._sent_view is not None and not self.connection.is_slow:
            self._push_view(session)
        self.schedule()

    def schedule(self) -> None:
        waiting = [*self._due.values()]
        if self._view_due:
            waiting.append(self._pace.next)
        if waiting:
            self._wake_at(min(waiting))

    @property
    def _may_push(self) -> bool:
        """Whether the client reads; if not, changes stay pending until it does."""
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
        if self._timer is not None:
            self._timer.cancel()

    def _push(self) -> None:
        self._timer = None
        session = self._host.tree.sessions.get(self.session_id)
        if session is None or not self._may_push:
            return
        now = self._host.loop.time()
        if self._view_due and now >= self._pace.next:
            self._pace.step(now)
            self._push_view(session)
        for pane_id in [pane_id for pane_id in sorted(self._due) if self._due[pane_id] <= now]:
            self._push_frame(pane_id, now)
        self.schedule()

    def _push_view(self, session: SessionRecord) -> None:
        self._view_due = False
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
        if view != self._sent_view:
            self._sent_view = view
            # A pane that is no longer visible is sent whole when it is visible again: the client discards it, too.
            shown = window.arrangement.panes
            self._sights = {pane_id: self._sights.get(pane_id) or PaneSight() for pane_id in shown}
            self._due = {pane_id: sight.pace.next for pane_id, sight in self._sights.items()}
            self._send("view", view)
        for window_id in self._bells:
            self._send("bell", {"window": window_id})
        self._bells.clear()
        while self._requests:
            self._send(*self._requests.popleft())

    def _window_document(self, session: SessionRecord, window: WindowRecord) -> dict[str, Any]:
        states = {self._host.panes[pane.id].watch.state for pane in window.panes if pane.id in self._host.panes}
        active = self._host.panes.get(window.active_pane)
        # The name that a client chose, else that of the foreground program.
        foreground = None if window.named or active is None else active.watch.foreground
        return {
            "id": window.id,
            "index": window.index,
            "name": window.name if foreground is None else foreground.name,
            "active": window.id == session.active_window,
            "zoomed": window.zoomed is not None,
            "bell": window.bell,
            "state": next((state for state in _URGENCY if state in states), "dead"),
        }

    def _push_frame(self, pane_id: int, now: float) -> None:
        del self._due[pane_id]
        pane = self._host.panes.get(pane_id)
        sight = self._sights.get(pane_id)
        if pane is None or sight is None:
            return
        if pane.engine.modes().synchronized_output:
            # The end of the update is output, which leads here again; SYNC_S is for programs that never end it.
            until = self._synchronized_since.setdefault(pane_id, now) + SYNC_S
            if now < until:
                self._due[pane_id] = until
                self._wake_at(until)
                return
        self._synchronized_since.pop(pane_id, None)
        frame = sight.difference(pane.terminal)
        if frame is not None:
            sight.pace.step(now)
            self._send("frame", {"pane": pane.id, "seq": pane.seq} | frame)

    def _send(self, kind: str, body: dict[str, Any]) -> None:
        self.connection.push({"attachment": self.number, kind: body})


class Copies:
    """Copies of panes that do not change, at most one for each owner: an attachment or a connection."""

    def __init__(self) -> None:
        self._engines: dict[object, Engine] = {}

    def put(self, owner: object, copy: Engine) -> None:
        self.drop(owner)
        self._engines[owner] = copy

    def get(self, owner: object) -> Engine:
        if owner not in self._engines:
            raise NoSuchTargetError("there is no frozen pane", remedy="freeze one first")
        return self._engines[owner]

    def drop(self, owner: object) -> None:
        copy = self._engines.pop(owner, None)
        if copy is not None:
            copy.close()


class Attachments:
    """Every attached client. The first number is different in each run of the service."""

    def __init__(self, host: Host, first_number: int = 1) -> None:
        self._host = host
        self.copies = Copies()
        self._all: dict[int, Attachment] = {}  # the client that was used last is last
        self._next = first_number
        self._focused_panes: set[int] = set()

    def attach(self, connection: Connection, session_id: int, *, size: tuple[int, int], read_only: bool) -> Attachment:
        """Attach a client to a session, in which a program must be running."""
        session = self._host.tree.session(session_id)
        if not session.alive:
            raise NoSuchTargetError(
                f"every program in the session {session.name!r} has ended",
                remedy="read its screens with `phux snapshot`",
            )
        if len(self._all) >= MAX_ATTACHMENTS:
            raise LimitError(f"{MAX_ATTACHMENTS} clients are attached, which is the maximum")
        attachment = Attachment(self._host, connection, self._next, session_id, size, read_only)
        self._all[self._next] = attachment
        self._next += 1
        if not read_only:
            self._focus(session_id)
        self._clients_changed(session_id)
        return attachment

    def resize(self, connection: Connection, number: int, size: tuple[int, int]) -> None:
        attachment = self.of(connection, number)
        attachment.size = size
        self._touch(attachment)
        self._clients_changed(attachment.session_id)

    def of(self, connection: Connection, number: int) -> Attachment:
        attachment = self._all.get(number)
        if attachment is None or attachment.connection is not connection:
            raise NoSuchTargetError(f"this connection has no attachment {number}", remedy="attach first")
        return attachment

    def counts(self) -> dict[int, int]:
        return dict(Counter(one.session_id for one in self._all.values()))

    def detach(self, attachments: list[Attachment], reason: str, message: str) -> int:
        for attachment in attachments:
            if self._all.pop(attachment.number, None) is not None:
                attachment.end()
                self.copies.drop(attachment)
                attachment.connection.push(
                    {"attachment": attachment.number, "detached": {"reason": reason, "message": message}}
                )
        for session_id in {attachment.session_id for attachment in attachments}:
            self._clients_changed(session_id)
        return len(attachments)

    def chosen(self, session_id: int | None, number: int | None, keep: int | None) -> list[Attachment]:
        """List the attachments that a detach call selects."""
        return [
            one
            for one in self._all.values()
            if (session_id is None or one.session_id == session_id)
            and (number is None or one.number == number)
            and one.number != keep
        ]

    def check_allowed(self, connection: Connection, call: str) -> None:
        """Raise RefusedError if a client that is attached read-only makes another call than reading ones."""
        if call not in _WATCHING and any(attachment.read_only for attachment in self._with(connection)):
            raise RefusedError("this client is attached read-only", remedy="attach without --read-only")

    def used(self, connection: Connection) -> None:
        """Record that a client's user is about to type."""
        for attachment in self._with(connection):
            self._focus(attachment.session_id)
            self._touch(attachment)

    def typed(self, connection: Connection, pane_id: int) -> None:
        for attachment in self._with(connection):
            attachment.typed(pane_id)

    def terminal_focused(self, connection: Connection, *, focused: bool) -> bool:
        """Record that a client's terminal gained or lost the focus; return False if the client is not attached."""
        attachments = self._with(connection)
        for attachment in attachments:
            attachment.focused = focused
        if focused:
            self.used(connection)
        self._update_focus()
        return bool(attachments)

    def _with(self, connection: Connection) -> list[Attachment]:
        return [one for one in self._all.values() if one.connection is connection]

    def _on(self, session_id: int) -> list[Attachment]:
        return [one for one in self._all.values() if one.session_id == session_id]

    def _update_focus(self) -> None:
        """Report the focus to programs: it is where a client that is not read-only has the keyboard."""
        sessions = self._host.tree.sessions
        looked_at = {one.session_id for one in self._all.values() if one.focused and not one.read_only}
        focused = {sessions[session_id].current.active_pane for session_id in looked_at if session_id in sessions}
        before, self._focused_panes = self._focused_panes, focused
        for pane_id in before - focused:
            self._report_focus(pane_id, focused=False)
        for pane_id in focused - before:
            self._report_focus(pane_id, focused=True)

    def _report_focus(self, pane_id: int, *, focused: bool) -> None:
        """Report the focus to a program that requested it (DEC mode 1004)."""
        pane = self._host.panes.get(pane_id)
        if pane is not None and pane.takes_input:
            data = encode_focus(focused, pane.engine.modes())
            if data:
                # Not as typed input: it does not make the line at a shell's prompt non-empty.
                pane.keyboard.reply(data)

    def _touch(self, attachment: Attachment) -> None:
        number = attachment.number
        if next(reversed(self._all)) != number:
            self._all[number] = self._all.pop(number)
            self._update_sizes(attachment.session_id)

    def _focus(self, session_id: int) -> None:
        tree = self._host.tree
        if session_id in tree.sessions and tree.focus_order[-1] != session_id:
            tree.focus(session_id)
            self._host.tree_changed()

    def drop_client(self, connection: Connection) -> None:
        self.detach(self._with(connection), "detached", "the client has disconnected")
        self.copies.drop(connection)

    def resumed(self, connection: Connection) -> None:
        for attachment in self._with(connection):
            attachment.schedule()

    def _clients_changed(self, session_id: int) -> None:
        self._update_sizes(session_id)
        self._update_focus()
        for attachment in self._on(session_id):
            attachment.view_changed()

    def _update_sizes(self, session_id: int) -> None:
        """Report the sizes of a session's clients, except read-only ones, to the arranger."""
        sizes = [one.size for one in self._on(session_id) if not one.read_only]
        self._host.arranger.set_views(session_id, sizes)

    # Changes

    def written(self, pane: Pane) -> None:
        for attachment in self._all.values():
            attachment.pane_changed(pane)

    def happened(self, name: str, pane_id: int | None) -> None:
        """Update views after an event."""
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
        for attachment in self._on(session.id):
            attachment.rang(window.id)
        window.bell = window.id != session.active_window

    def requested(self, pane: Pane, request: Notified | Copied) -> None:
        """Pass a program's notification, or text for the clipboard, to the clients of its session."""
        found = self._host.tree.find_pane(pane.id) if self._all else None
        if found is None:
            return
        session, window, _pane = found
        for attachment in self._on(session.id):
            if isinstance(request, Copied):
                attachment.requested("clipboard", {"data": request.data})
            else:
                body = {"window": window.id, "title": request.title, "text": request.text}
                attachment.requested("notification", body)

    def tree_changed(self) -> None:
        """Push the changed tree, and end the attachments to sessions that have ended."""
        sessions = self._host.tree.sessions
        for session in sessions.values():
            session.current.bell = False
        for attachment in list(self._all.values()):
            shown = sessions.get(attachment.session_id)
            if shown is None or not shown.alive:
                self.detach([attachment], "ended", "the session has ended")
            else:
                attachment.push_view(shown)
        self._update_focus()

    def ending(self, why: str) -> None:
        self.detach(list(self._all.values()), "server_ended", f"the server has ended: {why}")
