"""Names that tmux allows and phux reserves for its selectors, such as ``feature/x``.

phux gets a similar character in place of a reserved one, and the tools of profiles show the original.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phux_client.flows import Document

_ANYWHERE: dict[str, str | int | None] = {"/": "\u2215", ":": "\u2236"}
_AT_THE_START = {".": "\uff0e", "=": "\uff1d", "@": "\uff20", "#": "\uff03", "%": "\uff05", "-": "\uff0d"}
_STORED = str.maketrans(_ANYWHERE)
_SHOWN = str.maketrans({str(similar): given for given, similar in {**_ANYWHERE, **_AT_THE_START}.items()})


def stored(name: str) -> str:
    """Return the name that phux gets.

    Example:
        >>> shown(stored("feature/x: -1"))
        'feature/x: -1'
    """
    first = _AT_THE_START.get(name[:1], name[:1])
    last = _AT_THE_START["."] if len(name) > 1 and name[-1] == "." else name[1:][-1:]
    return (first + name[1:-1] + last).translate(_STORED)


def shown(name: str) -> str:
    """Return the original of a name."""
    return name.translate(_SHOWN)


def shown_tree(tree: Document) -> Document:
    """Return a Tree document with the original names."""

    def named(node: dict[str, Any], **more: object) -> dict[str, Any]:
        return {**node, "name": shown(node["name"]), **more}

    sessions = [
        named(session, windows=[named(window) for window in session["windows"]]) for session in tree["sessions"]
    ]
    focused = tree["focused_session"]
    return {**tree, "focused_session": None if focused is None else shown(focused), "sessions": sessions}
