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
of that session or window. Import-light: it is on the CLI's path.
"""

from phux_core.errors import BadNameError, BadSelectorError, NoSuchTargetError

TYPE_CHECKING = False
if TYPE_CHECKING:
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

    Example:
        >>> check_name("session", "build 2")
        'build 2'
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
    """A TARGET, parsed but not yet resolved.

    Attributes:
        text: The original text.
        pane_id: N in ``@N``.
        session: The session's name, for forms that begin with one.
        locus: The text after the colon, if there is one.
    """

    __slots__ = ("locus", "pane_id", "session", "text")

    def __init__(
        self, text: str, *, pane_id: int | None = None, session: str | None = None, locus: str | None = None
    ) -> None:
        self.text = text
        self.pane_id = pane_id
        self.session = session
        self.locus = locus


def parse(text: str) -> Selector:
    """Parse a selector. Needs no server, so that an invalid one is rejected before connecting.

    Raises:
        BadSelectorError: The selector is invalid.
    """
    if not text:
        raise BadSelectorError("the target is empty")
    if text in {".", "="}:
        return Selector(text)
    if text[0] == "@":
        digits = text[1:]
        if not _is_number(digits) or int(digits) > _MAX_ID:
            raise BadSelectorError(f"{text[:80]!r} is not a pane id: `@` is followed by a number, such as @3")
        return Selector(text, pane_id=int(digits))
    if text[0] in _RESERVED_FIRST:
        raise BadSelectorError(f"{text[:80]!r} is not a selector: session names cannot start with {text[0]!r}")
    session, colon, locus = text.partition(":")
    if not session:
        raise BadSelectorError(f"{text[:80]!r} has no session before the colon")
    if colon and not locus:
        raise BadSelectorError(f"{text[:80]!r} has no window after the colon")
    if locus.endswith("."):
        raise BadSelectorError(f"{text[:80]!r} has no pane after the dot")
    return Selector(text, session=session, locus=locus if colon else None)


def resolve_object(tree: "Node", text: str, here: int | None = None) -> "tuple[str, Node]":
    """Return the session, window or pane that a selector names.

    Args:
        tree: A Tree document.
        text: The selector.
        here: The pane the caller runs in, if it belongs to this server.

    Returns:
        ``"session"``, ``"window"`` or ``"pane"``, and that node of the tree.

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
    session = _session(tree, tree["focused_session"] if text == "=" else selector.session)
    if session is None:
        if text == "=":
            raise NoSuchTargetError("there is no focused session: the server has no sessions")
        # `new --json` prints a pane's id, and users pass it without the `@`.
        number = _is_number(selector.text) and _pane_by_id(tree, int(selector.text)) is not None
        remedy = f"write @{selector.text} for the pane with that id" if number else None
        raise NoSuchTargetError(f"no session is called {selector.session!r}", remedy=remedy)
    if selector.locus is None:
        return "session", session
    window_part, _, pane_part = selector.locus.rpartition(".")
    if not window_part or not _is_number(pane_part):
        window_part = ""
    # Numbers are indexes if such a window and pane exist. Otherwise the text may be a name, which may contain dots.
    inside = _by_index(session, window_part) if _is_number(window_part) else None
    pane = None if inside is None else _pane_by_index(inside, pane_part)
    if pane is not None:
        return "pane", pane
    window = _window(session, selector.locus)
    if window is not None:
        return "window", window
    inside = _window(session, window_part) if window_part else None
    if inside is None:
        raise NoSuchTargetError(f"session {session['name']!r} has no window {window_part or selector.locus!r}")
    pane = _pane_by_index(inside, pane_part)
    if pane is None:
        raise NoSuchTargetError(f"window {window_part!r} of session {session['name']!r} has no pane {pane_part}")
    return "pane", pane


def narrow(tree: "Node", kind: str, node: "Node") -> "Node":
    """Return one pane of a session or window: the focused pane if it is among them, else the active one."""
    if kind == "pane":
        return node
    windows = node["windows"] if kind == "session" else [node]
    panes: list[Node] = [pane for window in windows for pane in window["panes"]]
    for pane in panes:
        if pane["id"] == tree["focused_pane"]:
            return pane
    window = next((window for window in windows if window["active"]), windows[0])
    candidates: list[Node] = window["panes"]
    return next((pane for pane in candidates if pane["active"]), candidates[0])


def resolve_index(tree: "Node", text: str) -> "tuple[Node, int] | None":
    """Resolve ``NAME:N`` to a session and a free window index.

    Returns:
        None if the selector has another form or the index is in use.
    """
    selector = parse(text)
    session = None if selector.session is None else _session(tree, selector.session)
    if session is None or selector.locus is None or not _is_number(selector.locus):
        return None
    return None if _window(session, selector.locus) else (session, int(selector.locus))


def resolve_session(tree: "Node", text: str, here: int | None = None) -> "tuple[Node, int | None]":
    """Return the session that a selector names or is in, and the free window index if it names one."""
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
    sessions: list[Node] = tree["sessions"]
    windows: list[Node] = [window for session in sessions for window in session["windows"]]
    panes: list[Node] = [pane for window in windows for pane in window["panes"]]
    nodes = {"session": sessions, "window": windows, "pane": panes}[kind]
    found = next((node for node in nodes if node["id"] == id_), None)
    if found is None:
        raise NoSuchTargetError(f"there is no {kind} with the id {id_}")
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len(str(_MAX_ID))


def _session(tree: "Node", name: str | None) -> "Node | None":
    return next((session for session in tree["sessions"] if session["name"] == name), None)


def _window(session: "Node", locus: str) -> "Node | None":
    if _is_number(locus) and (found := _by_index(session, locus)):
        return found
    return next((window for window in session["windows"] if window["name"] == locus), None)


def _by_index(session: "Node", number: str) -> "Node | None":
    return next((window for window in session["windows"] if window["index"] == int(number)), None)


def _pane_by_index(window: "Node", number: str) -> "Node | None":
    return next((pane for pane in window["panes"] if pane["index"] == int(number)), None)


def _pane_by_id(tree: "Node", pane_id: int | None) -> "Node | None":
    panes: list[Node] = [
        pane for session in tree["sessions"] for window in session["windows"] for pane in window["panes"]
    ]
    return next((pane for pane in panes if pane["id"] == pane_id), None)
