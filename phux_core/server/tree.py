"""Sessions, windows and panes as plain records: names, order, focus, ids.

Pure state: no descriptors, no processes, no clock. Everything that must survive a restart of the service is here
and goes through ``dump`` and ``load``. Ids count up and are never reused.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from attrs import asdict, define, field

if TYPE_CHECKING:
    from collections.abc import Iterator


@define
class PaneRecord:
    """A pane: a place where one program runs or ran.

    ``engine`` is set when it must not have the server's usual engine, ``engine_note`` says why. ``nonce`` is what the
    marks of its shell carry; empty when it has none. ``history_limit`` is set when it keeps another history than usual.
    """

    id: int
    cols: int
    rows: int
    command: str
    cwd: str
    pid: int
    started_at: float
    dead: bool = False
    exit_status: int | None = None
    exit_signal: int | None = None
    died_at: float | None = None
    engine: str | None = None
    engine_note: str | None = None
    nonce: str = ""
    history_limit: int | None = None


@define
class WindowRecord:
    """A window: panes that are seen together."""

    id: int
    index: int
    name: str
    panes: list[PaneRecord] = field(factory=list)
    active_pane: int | None = None


@define
class SessionRecord:
    """A session: windows under one name. ``log`` says whether what its panes write is kept on disk."""

    id: int
    name: str
    created_at: float
    windows: list[WindowRecord] = field(factory=list)
    active_window: int | None = None
    log: bool = True

    def panes(self) -> Iterator[PaneRecord]:
        """Go through its panes, window by window."""
        for window in self.windows:
            yield from window.panes

    @property
    def alive(self) -> bool:
        """Whether any program still runs in it."""
        return any(not pane.dead for pane in self.panes())


@define
class Tree:
    """Every session of the server.

    ``focus_order`` holds session ids, the most recently focused last.
    """

    sessions: dict[int, SessionRecord] = field(factory=dict)
    focus_order: list[int] = field(factory=list)
    next_session_id: int = 1
    next_window_id: int = 1
    next_pane_id: int = 1

    def session_named(self, name: str) -> SessionRecord | None:
        """Find a session by its exact name."""
        return next((session for session in self.sessions.values() if session.name == name), None)

    def free_name(self, reserved: set[str]) -> str:
        """Give the smallest number that no session has for a name."""
        taken = {session.name for session in self.sessions.values()} | reserved
        number = 0
        while str(number) in taken:
            number += 1
        return str(number)

    def take_pane_id(self) -> int:
        """Give a pane id that was never given before."""
        self.next_pane_id += 1
        return self.next_pane_id - 1

    def add_session(self, name: str, window_name: str, pane: PaneRecord) -> SessionRecord:
        """Add a session with one window and one pane, and focus it."""
        window = WindowRecord(self.next_window_id, 0, window_name, [pane], pane.id)
        session = SessionRecord(self.next_session_id, name, pane.started_at, [window], window.id)
        self.next_window_id += 1
        self.next_session_id += 1
        self.sessions[session.id] = session
        self.focus(session.id)
        return session

    def focus(self, session_id: int) -> None:
        """Make a session the most recently focused one."""
        if session_id in self.focus_order:
            self.focus_order.remove(session_id)
        self.focus_order.append(session_id)

    def focused_session(self) -> SessionRecord | None:
        """Give the most recently focused session."""
        return self.sessions[self.focus_order[-1]] if self.focus_order else None

    def focused_pane(self) -> int | None:
        """Give the active pane of the active window of the focused session."""
        session = self.focused_session()
        if session is None:
            return None
        window = next(window for window in session.windows if window.id == session.active_window)
        return window.active_pane

    def find_pane(self, pane_id: int) -> tuple[SessionRecord, WindowRecord, PaneRecord] | None:
        """Find a pane and what it is in."""
        for session in self.sessions.values():
            for window in session.windows:
                for pane in window.panes:
                    if pane.id == pane_id:
                        return session, window, pane
        return None

    def panes(self) -> Iterator[PaneRecord]:
        """Go through every pane of every session."""
        for session in self.sessions.values():
            yield from session.panes()

    def session_or_window(self, scope: str, id_: int) -> SessionRecord | WindowRecord | None:
        """Find what can have a name."""
        if scope == "session":
            return self.sessions.get(id_)
        windows = (window for session in self.sessions.values() for window in session.windows)
        return next((window for window in windows if scope == "window" and window.id == id_), None)

    def panes_of(self, scope: str, id_: int) -> list[PaneRecord]:
        """List the panes of a session, of a window, or the one pane; empty if there is no such thing."""
        if scope == "session":
            session = self.sessions.get(id_)
            return list(session.panes()) if session else []
        if scope == "window":
            for session in self.sessions.values():
                for window in session.windows:
                    if window.id == id_:
                        return list(window.panes)
            return []
        found = self.find_pane(id_)
        return [found[2]] if found else []

    def remove_pane(self, pane_id: int) -> None:
        """Take a pane out; the last one takes its window along, the last window its session."""
        found = self.find_pane(pane_id)
        if found is None:
            return
        session, window, pane = found
        window.panes.remove(pane)
        if window.panes:
            if window.active_pane == pane_id:
                window.active_pane = window.panes[0].id
            return
        session.windows.remove(window)
        if session.windows:
            if session.active_window == window.id:
                session.active_window = session.windows[0].id
            return
        del self.sessions[session.id]
        self.focus_order.remove(session.id)

    def dump(self) -> bytes:
        """Write the tree down for the next service."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def load(cls, data: bytes) -> Tree:
        """Read what ``dump`` wrote."""
        state: dict[str, Any] = json.loads(data)
        sessions = {}
        for raw_session in state.pop("sessions").values():
            windows = [
                WindowRecord(**(raw | {"panes": [PaneRecord(**pane) for pane in raw["panes"]]}))
                for raw in raw_session["windows"]
            ]
            session = SessionRecord(**(raw_session | {"windows": windows}))
            sessions[session.id] = session
        return cls(sessions=sessions, **state)
