"""Events about changes of the tree.

The service compares the tree with its previous state after every change, so that no change is missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.layout import Layout
    from phux_core.server.tree.records import Tree


class TreeState(NamedTuple):
    """The parts of a tree whose changes are reported.

    Attributes:
        sessions: The name of each session.
        places: The session and the index of each window.
        looks: The layout of each window, its size and its zoomed pane.
        focus: The current window of each session, and its active pane.
        focused: The most recently focused session.
    """

    sessions: dict[int, str]
    places: dict[int, tuple[int, int]]
    looks: dict[int, tuple[Layout, int, int, int | None]]
    focus: dict[int, tuple[int, int]]
    focused: int | None


def tree_state(tree: Tree) -> TreeState:
    state = TreeState({}, {}, {}, {}, tree.focus_order[-1] if tree.focus_order else None)
    for session in tree.sessions.values():
        state.sessions[session.id] = session.name
        state.focus[session.id] = (session.current.id, session.current.active_pane)
        for window in session.windows:
            state.places[window.id] = (session.id, window.index)
            state.looks[window.id] = (window.layout, window.cols, window.rows, window.zoomed)
    return state


def changes(before: TreeState, now: TreeState) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the names and payloads of the events between two states."""
    for session, name in now.sessions.items():
        if session not in before.sessions:
            yield "session_added", {"session": session, "name": name}
    for window, place in now.places.items():
        session, index = place
        if before.places.get(window) != place:
            name = "window_moved" if window in before.places else "window_added"
            yield name, {"window": window, "session": session, "index": index}
        if window in before.looks and before.looks[window] != now.looks[window]:
            yield "layout_changed", {"window": window}
    for window, (session, _index) in before.places.items():
        if window not in now.places:
            yield "window_closed", {"window": window, "session": session}
    for session, name in before.sessions.items():
        if session not in now.sessions:
            yield "session_closed", {"session": session, "name": name}
    for session, (window_id, pane) in now.focus.items():
        came_first = now.focused == session != before.focused
        if before.focus.get(session) != (window_id, pane) or came_first:
            yield "focus_changed", {"session": session, "window": window_id, "pane": pane}
