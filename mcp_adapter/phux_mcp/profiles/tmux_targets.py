"""Resolve targets as tmux does: session:window.pane, each part an id, an index, a name, its beginning or a pattern.

Parts that are omitted are the active ones. A part alone is first looked up in the focused session.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    Node = dict[str, Any]


class Miss(Exception):  # noqa: N818  it becomes a text
    """A target that matches nothing; the message is tmux's."""


class Found(NamedTuple):
    """The session, window and pane that a target names; ``scope`` is the most specific part that it contains."""

    session: Node
    window: Node
    pane: Node
    scope: str


def resolve(tree: Node, target: str, kind: str) -> Found:
    """Return what a target names; ``kind`` says which part a target without separators is.

    Raises:
        Miss: It names nothing.
    """
    session, window, pane = _parts(target, kind)
    if pane[:1] == "%":
        return _by_id(tree, "pane", pane)
    if window[:1] == "@":
        found = _by_id(tree, "window", window)
        return _with_pane(found, pane) if pane else found
    if session:
        chosen = _session(tree, session)
        if chosen is None:
            raise Miss(f"can't find session: {session.removeprefix('=')}")
        return _in_session(chosen, window, pane)
    focused = next((one for one in tree["sessions"] if one["name"] == tree["focused_session"]), None)
    if focused is None:
        raise Miss(f"can't find {kind}: {target}")
    if ":" in target or "." in target:
        return _in_session(focused, window, pane)
    return _alone(tree, focused, window or pane, kind)


def _parts(target: str, kind: str) -> tuple[str, str, str]:
    """Split a target into session, window and pane, any of which may be empty."""
    session, colon, rest = target.partition(":")
    if not colon:
        session, rest = "", target
    window, dot, pane = rest.partition(".")
    if colon or dot:
        return session, window, pane
    scope = {"$": "session", "=": "session", "@": "window", "%": "pane"}.get(target[:1], kind)
    session, window, pane = (target if scope == part else "" for part in ("session", "window", "pane"))
    return session, window, pane


def _alone(tree: Node, focused: Node, part: str, kind: str) -> Found:
    """Resolve a part without separators: a pane of the active window, a window of the focused session, a session."""
    window = active(focused["windows"])
    if not part:
        return Found(focused, window, active(window["panes"]), "session")
    pane = _pane(window, part) if kind == "pane" else None
    if pane is not None:
        return Found(focused, window, pane, "pane")
    chosen = _window(focused, part)
    if chosen is not None:
        return Found(focused, chosen, active(chosen["panes"]), "window")
    session = _session(tree, part)
    if session is None:
        raise Miss(f"can't find {kind}: {part}")
    return _in_session(session, "", "")


def _by_id(tree: Node, kind: str, target: str) -> Found:
    for session, window, pane in panes_of(tree):
        node = pane if kind == "pane" else window
        if target[1:] == str(node["id"]):
            return Found(session, window, pane if kind == "pane" else active(window["panes"]), kind)
    raise Miss(f"can't find {kind}: {target}")


def _in_session(session: Node, window: str, pane: str) -> Found:
    chosen = _window(session, window) if window else active(session["windows"])
    if chosen is None:
        raise Miss(f"can't find window: {window}")
    found = Found(session, chosen, active(chosen["panes"]), "window" if window else "session")
    return _with_pane(found, pane) if pane else found


def _with_pane(found: Found, part: str) -> Found:
    pane = _pane(found.window, part)
    if pane is None:
        raise Miss(f"can't find pane: {part}")
    return found._replace(pane=pane, scope="pane")


def _session(tree: Node, part: str) -> Node | None:
    by_id = [one for one in tree["sessions"] if part == f"${one['id']}"]
    return by_id[0] if by_id else _by_name(tree["sessions"], part)


def _window(session: Node, part: str) -> Node | None:
    windows: list[Node] = sorted(session["windows"], key=lambda window: int(window["index"]))
    if part in {"^", "{start}"}:
        return windows[0]
    if part in {"$", "{end}"}:
        return windows[-1]
    for node in windows:
        if part in {f"@{node['id']}", str(node["index"])}:
            return node
    return _by_name(windows, part)


def _pane(window: Node, part: str) -> Node | None:
    return next((pane for pane in window["panes"] if part in {f"%{pane['id']}", str(pane["index"])}), None)


def _by_name(nodes: list[Node], part: str) -> Node | None:
    """Return the node of a name, or else the only one whose name begins with it, or else matches it as a pattern."""
    name = part.removeprefix("=")
    for node in nodes:
        if node["name"] == name:
            return node
    if part != name:
        return None
    for matches in (
        [node for node in nodes if node["name"].startswith(name)],
        [node for node in nodes if fnmatchcase(node["name"], name)],
    ):
        if matches:
            return matches[0] if len(matches) == 1 else None
    return None


def by_name(tree: Node) -> list[Node]:
    """Return the sessions in tmux's order."""
    return sorted(tree["sessions"], key=lambda session: str(session["name"]))


def panes_of(tree: Node) -> Iterator[tuple[Node, Node, Node]]:
    """Yield all panes in tmux's order, with their sessions and windows."""
    for session in by_name(tree):
        for window in session["windows"]:
            for pane in window["panes"]:
                yield session, window, pane


def active(nodes: list[Node]) -> Node:
    """Return the active window or pane."""
    return next((node for node in nodes if node["active"]), nodes[0])
