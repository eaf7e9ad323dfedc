"""Records of sessions, windows and panes: names, order, layout, focus and ids.

They contain all state that must survive a restart of the service, through ``dump`` and ``load``. Ids increase and are
never reused.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from attrs import asdict, define, field

from phux_core import layout
from phux_core.errors import NoSuchTargetError
from phux_core.logs import pane_ids
from phux_core.server.pane_record import PaneRecord, known_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.layout import Arrangement, Layout


@define
class WindowRecord:
    """A window: panes that are shown together.

    ``panes`` are in the order of the layout; those that are not in it, because their program ended while others
    continued, come last. ``recent`` lists the panes that had the focus, the latest last. ``zoomed`` is the pane that
    temporarily fills the window. ``size_policy`` is None if the server's setting applies. ``named`` is True if a client
    chose the name; otherwise it is the name of the window's first program. ``bell`` is True if a bell rang in it and it
    was not the current window since.
    """

    id: int
    index: int
    name: str
    panes: list[PaneRecord]
    active_pane: int
    layout: Layout
    cols: int
    rows: int
    zoomed: int | None = None
    size_policy: str | None = None
    recent: list[int] = field(factory=list)
    named: bool = False
    bell: bool = False

    @property
    def arrangement(self) -> Arrangement:
        """The places of its panes, in cells."""
        return layout.arrange(self.layout, self.cols, self.rows, self.zoomed)

    @property
    def shown(self) -> list[int]:
        """The panes in its layout, in order."""
        return list(layout.panes(self.layout))

    def lay_out(self, new: Layout) -> None:
        """Set the layout, and sort the panes by it."""
        self.layout = new
        places = {pane: place for place, pane in enumerate(layout.panes(new))}
        self.panes.sort(key=lambda pane: places.get(pane.id, len(places)))

    def focus(self, pane_id: int) -> None:
        """Focus a pane, and end the zoom of another one."""
        self.active_pane = pane_id
        _touch(self.recent, pane_id)
        if self.zoomed != pane_id:
            self.zoomed = None

    def drop(self, pane_id: int) -> None:
        """Remove a pane from the layout, unless it is the only one, and restore the previous focus."""
        rest = layout.remove(self.layout, pane_id)
        if rest is None:
            return
        self.lay_out(rest)
        if self.zoomed == pane_id or isinstance(rest, int):
            self.zoomed = None
        if self.active_pane == pane_id:
            shown = self.shown
            self.focus(next((pane for pane in reversed(self.recent) if pane in shown), shown[0]))

    def drop_dead(self) -> bool:
        """Remove the panes whose programs have ended from the layout; all but one if no program in it runs.

        Returns:
            Whether any pane was removed.
        """
        shown = self.shown
        dead = [pane.id for pane in self.panes if pane.dead and pane.id in shown]
        if len(dead) == len(shown):
            dead.remove(self.active_pane if self.active_pane in dead else dead[-1])
        for pane_id in dead:
            self.drop(pane_id)
        return bool(dead)


@define
class SessionRecord:
    """A session: windows under one name, sorted by index.

    ``recent`` lists the windows that had the focus, the latest last. ``log`` is True if the output of its panes is
    logged, ``history`` if its shells use the user's history file.
    """

    id: int
    name: str
    created_at: float
    windows: list[WindowRecord] = field(factory=list)
    active_window: int | None = None
    recent: list[int] = field(factory=list)
    log: bool = True
    history: bool = True

    def panes(self) -> Iterator[PaneRecord]:
        for window in self.windows:
            yield from window.panes

    @property
    def alive(self) -> bool:
        """Whether any of its programs is running."""
        return any(not pane.dead for pane in self.panes())

    @property
    def current(self) -> WindowRecord:
        """The focused window."""
        return next(window for window in self.windows if window.id == self.active_window)

    def free_index(self) -> int:
        taken = {window.index for window in self.windows}
        return next(number for number in range(len(taken) + 1) if number not in taken)

    def focus(self, window_id: int) -> None:
        self.active_window = window_id
        _touch(self.recent, window_id)

    def add(self, window: WindowRecord, index: int) -> None:
        """Add a window at a free index."""
        window.index = index
        self.windows.append(window)
        self.sort()
        self.focus_another()

    def sort(self) -> None:
        self.windows.sort(key=lambda window: window.index)

    def remove(self, window: WindowRecord) -> None:
        """Remove a window, and focus another one if it had the focus."""
        self.windows.remove(window)
        if self.active_window == window.id:
            self.active_window = None
            self.focus_another()
        if window.id in self.recent:
            self.recent.remove(window.id)

    def focus_another(self) -> None:
        """If no program runs in the current window, focus the most recent window in which one does."""
        alive = [window.id for window in self.windows if any(not pane.dead for pane in window.panes)]
        candidates = alive or [window.id for window in self.windows]
        if candidates and self.active_window not in candidates:
            latest = next((window for window in reversed(self.recent) if window in candidates), candidates[0])
            self.focus(latest)


@define
class Tree:
    """Every session of the server.

    ``focus_order`` lists session ids, the most recently focused last.
    """

    sessions: dict[int, SessionRecord] = field(factory=dict)
    focus_order: list[int] = field(factory=list)
    next_session_id: int = 1
    next_window_id: int = 1
    next_pane_id: int = 1

    def session_named(self, name: str) -> SessionRecord | None:
        return next((session for session in self.sessions.values() if session.name == name), None)

    def free_name(self, reserved: set[str]) -> str:
        """Return the smallest number that is not the name of a session."""
        taken = {session.name for session in self.sessions.values()} | reserved
        number = 0
        while str(number) in taken:
            number += 1
        return str(number)

    def take_pane_id(self, log_root: str = "") -> int:
        """Return a new pane id, also unknown to other servers whose logs are in that directory."""
        taken = pane_ids.take(log_root, self.next_pane_id)
        self.next_pane_id = taken + 1
        return taken

    def pane_id_was_taken(self, pane_id: int) -> None:
        """Never use a pane id again; the service that took it may have died before it saved the tree."""
        self.next_pane_id = max(self.next_pane_id, pane_id + 1)

    def add_session(self, name: str, window_name: str | None, pane: PaneRecord) -> SessionRecord:
        """Add a session with one window and one pane, and focus it."""
        session = SessionRecord(self.next_session_id, name, pane.started_at)
        self.next_session_id += 1
        self.sessions[session.id] = session
        self.add_window(session, window_name, pane)
        self.focus(session.id)
        return session

    def add_window(
        self, session: SessionRecord, name: str | None, pane: PaneRecord, index: int | None = None
    ) -> WindowRecord:
        """Add a window with one pane and its size; without a name, it has that of the pane's command."""
        window = WindowRecord(
            self.next_window_id,
            0,
            name or pane.command,
            [pane],
            pane.id,
            pane.id,
            pane.cols,
            pane.rows,
            recent=[pane.id],
            named=name is not None,
        )
        self.next_window_id += 1
        session.add(window, session.free_index() if index is None else index)
        return window

    def focus(self, session_id: int) -> None:
        _touch(self.focus_order, session_id)

    def focused_session(self) -> SessionRecord | None:
        return self.sessions[self.focus_order[-1]] if self.focus_order else None

    def focused_pane(self) -> int | None:
        """Return the active pane of the active window of the focused session."""
        session = self.focused_session()
        return None if session is None else session.current.active_pane

    def session(self, session_id: int) -> SessionRecord:
        if session_id not in self.sessions:
            raise NoSuchTargetError(f"there is no session with the id {session_id}")
        return self.sessions[session_id]

    def window(self, window_id: int) -> tuple[SessionRecord, WindowRecord]:
        """Return a window after its session, or raise NoSuchTargetError."""
        for session, window in self.windows():
            if window.id == window_id:
                return session, window
        raise NoSuchTargetError(f"there is no window with the id {window_id}")

    def pane(self, pane_id: int) -> tuple[SessionRecord, WindowRecord, PaneRecord]:
        """Return a pane after its session and its window, or raise NoSuchTargetError."""
        found = self.find_pane(pane_id)
        if found is None:
            raise NoSuchTargetError(f"there is no pane @{pane_id}")
        return found

    def find_pane(self, pane_id: int) -> tuple[SessionRecord, WindowRecord, PaneRecord] | None:
        """Return a pane, after its session and its window; None if it does not exist."""
        for session, window in self.windows():
            for pane in window.panes:
                if pane.id == pane_id:
                    return session, window, pane
        return None

    def windows(self) -> Iterator[tuple[SessionRecord, WindowRecord]]:
        """Yield the windows of all sessions, each after its session."""
        for session in self.sessions.values():
            for window in session.windows:
                yield session, window

    def panes(self) -> Iterator[PaneRecord]:
        for session in self.sessions.values():
            yield from session.panes()

    def panes_of(self, scope: str, id_: int) -> list[PaneRecord]:
        """List the panes of a session or a window, or the one pane."""
        if scope == "session":
            return list(self.session(id_).panes())
        return list(self.window(id_)[1].panes) if scope == "window" else [self.pane(id_)[2]]

    def remove_pane(self, pane_id: int) -> None:
        """Remove a pane; with the last pane its window, with the last window its session."""
        found = self.find_pane(pane_id)
        if found is None:
            return
        session, window, pane = found
        if len(window.panes) == 1:
            self.remove_window(session, window)
            return
        if window.shown == [pane_id]:  # the other programs have ended, too: show one of their panes again
            window.lay_out(next(other.id for other in reversed(window.panes) if other is not pane))
            window.focus(window.shown[0])
        window.drop(pane_id)
        window.panes.remove(pane)
        if pane_id in window.recent:
            window.recent.remove(pane_id)
        if session.active_window == window.id:
            session.focus_another()

    def remove_window(self, session: SessionRecord, window: WindowRecord) -> None:
        """Remove a window; with the last window its session."""
        session.remove(window)
        if not session.windows:
            del self.sessions[session.id]
            self.focus_order.remove(session.id)

    def retire(self, pane_id: int) -> WindowRecord | None:
        """Remove a pane whose program has ended from the layout, if others run in its window, and move the focus.

        Returns:
            Its window, if the layout has changed.
        """
        found = self.find_pane(pane_id)
        if found is None:
            return None
        session, window, _pane = found
        if session.active_window == window.id:
            session.focus_another()
        return window if window.drop_dead() else None

    def dump(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def load(cls, data: bytes) -> Tree:
        state: dict[str, Any] = json.loads(data)
        sessions = {}
        for raw_session in state.pop("sessions").values():
            windows = [
                WindowRecord(**(known_fields(WindowRecord, raw) | {"panes": _load_panes(raw["panes"])}))
                for raw in raw_session["windows"]
            ]
            session = SessionRecord(**(known_fields(SessionRecord, raw_session) | {"windows": windows}))
            sessions[session.id] = session
        return cls(sessions=sessions, **known_fields(cls, state))


def _load_panes(stored: list[dict[str, Any]]) -> list[PaneRecord]:
    return [PaneRecord(**known_fields(PaneRecord, pane)) for pane in stored]


def _touch(order: list[int], id_: int) -> None:
    """Move an id to the end of a list, or append it."""
    if id_ in order:
        order.remove(id_)
    order.append(id_)
