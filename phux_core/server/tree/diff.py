"""Events about changes of the tree.

The service compares the tree with its previous state after every change, so that no change is missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.layout import Layout
    from phux_core.server.tree.records import Tree


class _Window(NamedTuple):
    place: tuple[int, int]
    look: tuple[Layout, int, int, int | None]


class TreeState(NamedTuple):
    """The parts of a tree whose changes are reported.

    ``focus`` has the current window of each session and its active pane, ``focused`` is the most recent session.
    """

    sessions: dict[int, str]
    windows: dict[int, _Window]
    focus: dict[int, tuple[int, int]]
    focused: int | None


def tree_state(tree: Tree) -> TreeState:
    windows = {}
    focus = {}
    for session in tree.sessions.values():
        for window in session.windows:
            look = (window.layout, window.cols, window.rows, window.zoomed)
            windows[window.id] = _Window((session.id, window.index), look)
            if window.id == session.active_window:
                focus[session.id] = (window.id, window.active_pane)
    names = {session.id: session.name for session in tree.sessions.values()}
    return TreeState(names, windows, focus, tree.focus_order[-1] if tree.focus_order else None)


def changes(before: TreeState, now: TreeState) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the names and payloads of the events between two states."""
    for session, name in now.sessions.items():
        if session not in before.sessions:
            yield "session_added", {"session": session, "name": name}
    for id_, window in now.windows.items():
        old = before.windows.get(id_)
        session, index = window.place
        place: dict[str, object] = {"window": id_, "session": session, "index": index}
        if old is None:
            yield "window_added", place
        elif old.place != window.place:
            yield "window_moved", place
        if old is not None and old.look != window.look:
            yield "layout_changed", {"window": id_}
    for id_, window in before.windows.items():
        if id_ not in now.windows:
            yield "window_closed", {"window": id_, "session": window.place[0]}
    for session, name in before.sessions.items():
        if session not in now.sessions:
            yield "session_closed", {"session": session, "name": name}
    for session, (window_id, pane) in now.focus.items():
        came_first = now.focused == session != before.focused
        if before.focus.get(session) != (window_id, pane) or came_first:
            yield "focus_changed", {"session": session, "window": window_id, "pane": pane}
