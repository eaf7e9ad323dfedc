"""Selectors and names: find the pane that a TARGET means.

The CLI, the library and MCP share one grammar. Clients parse and resolve selectors here, against one Tree document;
the server never sees a selector.

    .               the pane the caller runs in ($PHUX_PANE), else the focused pane
    =               the most recently focused session
    NAME            a session
    NAME:N          its window with index N
    NAME:TAG        its window called TAG
    NAME:N.M        pane M of that window; NAME:TAG.M likewise
    @N              the pane with id N

A selector that names several panes narrows to one: the focused pane if it is among them, else the active pane
of that session or window. Import-light, because the CLI imports this module.
"""

from phux_core.errors import BadNameError, BadSelectorError, NoSuchTargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    # A Tree document, or a session, window or pane inside it (schemas/tree.v1.json).
    Node = dict[str, Any]

MAX_NAME_LENGTH = 64
_MAX_ID = 2**32 - 1
_RESERVED_FIRST = ".=@#%-"
_RESERVED_ANYWHERE = ":/"


def check_name(kind: str, name: str) -> str:
    """Return the name if it is valid for a session or window (``kind``).

    Raises:
        BadNameError: The name is invalid; the message says why.
    """
    given: object = name  # callers without a type checker may pass anything
    if not isinstance(given, str):
        raise BadNameError(f"the {kind} name {given!r:.80} is not a string")
    if not name:
        problem = "is empty"
    elif len(name) > MAX_NAME_LENGTH:
        problem = f"has {len(name)} characters; at most {MAX_NAME_LENGTH} are allowed"
    elif name[0] in _RESERVED_FIRST:
        problem = f"starts with {name[0]!r}, which is reserved for selectors"
    elif taken := [character for character in _RESERVED_ANYWHERE if character in name]:
        problem = f"contains {taken[0]!r}, which is reserved for selectors"
    elif kind == "window" and name[-1] == ".":
        problem = "ends with '.', which is reserved for selectors"
    elif not name.isprintable():
        problem = "contains an unprintable character"
    else:
        return name
    raise BadNameError(f"the {kind} name {name[:80]!r} {problem}")


class Selector:
    """A TARGET, parsed but not yet resolved: the id in ``@N``, or a session's name and the text after its colon."""

    def __init__(self, *, pane_id: int | None = None, session: str | None = None, locus: str | None = None) -> None:
        self.pane_id = pane_id
        self.session = session
        self.locus = locus


def parse(text: str) -> Selector:
    """Parse a selector. Needs no server, so that clients reject an invalid selector before they connect.

    Raises:
        BadSelectorError: The selector is invalid.
    """
    if not text:
        raise BadSelectorError("the target is empty")
    if text in {".", "="}:
        return Selector()
    if text[0] == "@":
        digits = text[1:]
        if not _is_number(digits) or int(digits) > _MAX_ID:
            raise BadSelectorError(f"{text[:80]!r} is not a pane id: `@` is followed by a number, such as @3")
        return Selector(pane_id=int(digits))
    if text[0] in _RESERVED_FIRST:
        raise BadSelectorError(f"{text[:80]!r} is not a selector: session names cannot start with {text[0]!r}")
    session, colon, locus = text.partition(":")
    if not session:
        raise BadSelectorError(f"{text[:80]!r} has no session before the colon")
    if colon and not locus:
        raise BadSelectorError(f"{text[:80]!r} has no window after the colon")
    if locus.endswith("."):
        raise BadSelectorError(f"{text[:80]!r} has no pane after the dot")
    return Selector(session=session, locus=locus if colon else None)


def resolve_object(tree: "Node", text: str, here: int | None = None) -> "tuple[str, Node]":
    """Return the scope of a selector (``"session"``, ``"window"`` or ``"pane"``), and the node of the tree it names.

    Args:
        tree: A Tree document.
        text: The selector.
        here: The pane the caller runs in, if it belongs to this server.

    Raises:
        BadSelectorError: The selector is invalid.
        NoSuchTargetError: The selector matches nothing.
    """
    selector = parse(text)
    if text == ".":
        pane = (None if here is None else _pane_by_id(tree, here)) or _pane_by_id(tree, tree["focused_pane"])
        if pane is None:
            raise NoSuchTargetError("there is no focused pane: the server has no sessions")
        return "pane", pane
    if selector.pane_id is not None:
        pane = _pane_by_id(tree, selector.pane_id)
        if pane is None:
            raise NoSuchTargetError(f"there is no pane {text}")
        return "pane", pane
    session = _find(tree["sessions"], "name", tree["focused_session"] if text == "=" else selector.session)
    if session is None:
        if text == "=":
            raise NoSuchTargetError("there is no focused session: the server has no sessions")
        # `new --json` prints a pane's id, and users pass it without the `@`.
        is_pane_id = _is_number(text) and _pane_by_id(tree, int(text)) is not None
        remedy = f"write @{text} for the pane with that id" if is_pane_id else None
        raise NoSuchTargetError(f"no session is called {selector.session!r}", remedy=remedy)
    if selector.locus is None:
        return "session", session
    window_part, _, pane_part = selector.locus.rpartition(".")
    if not window_part or not _is_number(pane_part):
        window_part = ""
    # Numbers are indexes if such a window and pane exist. Otherwise the text may be a name, which may contain dots.
    inside = _find(session["windows"], "index", int(window_part)) if _is_number(window_part) else None
    pane = None if inside is None else _find(inside["panes"], "index", int(pane_part))
    if pane is not None:
        return "pane", pane
    window = _window(session, selector.locus)
    if window is not None:
        return "window", window
    inside = _window(session, window_part) if window_part else None
    if inside is None:
        raise NoSuchTargetError(f"session {session['name']!r} has no window {window_part or selector.locus!r}")
    pane = _find(inside["panes"], "index", int(pane_part))
    if pane is None:
        raise NoSuchTargetError(f"window {window_part!r} of session {session['name']!r} has no pane {pane_part}")
    return "pane", pane


def narrow(tree: "Node", kind: str, node: "Node") -> "Node":
    """Return one pane of a session or window: the focused pane if it is among them, else the active one."""
    if kind == "pane":
        return node
    windows = node["windows"] if kind == "session" else [node]
    panes: list[Node] = [pane for window in windows for pane in window["panes"]]
    window = _find(windows, "active", True) or windows[0]
    active = _find(window["panes"], "active", True) or window["panes"][0]
    return _find(panes, "id", tree["focused_pane"]) or active


def resolve_index(tree: "Node", text: str) -> "tuple[Node, int] | None":
    """Return the session and the free window index of ``NAME:N``.

    Return None for other forms, and if there is no such session or the index is in use.
    """
    selector = parse(text)
    session = _find(tree["sessions"], "name", selector.session)
    if session is None or selector.locus is None or not _is_number(selector.locus):
        return None
    return None if _window(session, selector.locus) else (session, int(selector.locus))


def resolve_session(tree: "Node", text: str, here: int | None = None) -> "tuple[Node, int | None]":
    """Return the session of a selector's target, and the window index if the selector names a free one."""
    free = resolve_index(tree, text)
    if free is not None:
        return free
    kind, node = resolve_object(tree, text, here)
    return (node if kind == "session" else parents(tree, narrow(tree, kind, node))[0]), None


def parents(tree: "Node", pane: "Node") -> "tuple[Node, Node]":
    """Return the session and the window of a pane."""
    places = ((session, window) for session in tree["sessions"] for window in session["windows"])
    return next((session, window) for session, window in places if any(each is pane for each in window["panes"]))


def node_by_id(tree: "Node", kind: str, id_: int) -> "Node":
    """Return a session, window or pane by its id.

    Raises:
        NoSuchTargetError: There is no such node.
    """
    windows: list[Node] = [window for session in tree["sessions"] for window in session["windows"]]
    nodes = {"session": tree["sessions"], "window": windows, "pane": _panes(tree)}[kind]
    found = _find(nodes, "id", id_)
    if found is None:
        raise NoSuchTargetError(f"there is no {kind} with the id {id_}")
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len(str(_MAX_ID))


def _find(nodes: "Iterable[Node]", key: str, value: object) -> "Node | None":
    return next((node for node in nodes if node[key] == value), None)


def _window(session: "Node", locus: str) -> "Node | None":
    """Return a window by its index or its name."""
    by_index = _find(session["windows"], "index", int(locus)) if _is_number(locus) else None
    return by_index or _find(session["windows"], "name", locus)


def _panes(tree: "Node") -> "list[Node]":
    return [pane for session in tree["sessions"] for window in session["windows"] for pane in window["panes"]]


def _pane_by_id(tree: "Node", pane_id: int | None) -> "Node | None":
    return _find(_panes(tree), "id", pane_id)
