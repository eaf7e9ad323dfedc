"""``send-keys`` and ``paste``: type into a pane."""

from phux_client.flows._kinds import Caller, Request
from phux_client.flows.target import pane_id
from phux_core.errors import BadRequestError
from phux_core.keys import parse_key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from phux_client.flows._types import Document, Flow


def send_keys(
    caller: Caller, target: "str | int", words: "Sequence[str]", *, literal: bool = False, exact_case: bool = False
) -> "Flow[Document]":
    """Type words: names of keys as keys, unless ``literal``, and everything else as text; see ``to_items``."""
    check_words(words)
    items = to_items(words, literal=literal, exact_case=exact_case)
    return (yield from _type(caller, target, items))


def paste(caller: Caller, target: "str | int", text: str) -> "Flow[Document]":
    """Paste text, as a bracketed paste if the program enabled bracketed paste."""
    return (yield from _type(caller, target, [{"paste": text}]))


def _type(caller: Caller, target: "str | int", items: "list[dict[str, str]]") -> "Flow[Document]":
    number = yield from pane_id(target, caller)
    reply = yield Request("input", pane=number, items=items)
    return {"schema_version": 1, "sent": True, "pane": f"@{number}", "bytes": reply["bytes"]}


def check_words(words: "Sequence[str]") -> None:
    """Raise if words cannot be typed."""
    if isinstance(words, str) or not words:
        raise BadRequestError("no keys were given", remedy='give at least one word, such as "ls" or Enter')
    if not all(isinstance(word, str) for word in words):
        raise BadRequestError(
            "each key or text must be a string", remedy='give each word by itself, such as "ls", "Enter"'
        )


def to_items(words: "Sequence[str]", *, literal: bool, exact_case: bool = False) -> "list[dict[str, str]]":
    """Split words into keys and runs of text.

    Text directly before Enter is a ``line``. The server pastes a line, except on the alternate screen, so that a
    program with its own line editor treats Enter as a key and not as part of the text.

    Args:
        words: The words.
        literal: Treat every word as text.
        exact_case: Treat a key name that is also a word as a key only if it is capitalized so; see ``parse_key``.

    Example:
        >>> to_items(["make test", "Enter"], literal=False)
        [{'line': 'make test'}, {'key': 'Enter'}]
    """
    items: list[dict[str, str]] = []
    for word in words:
        key = None if literal else parse_key(word, exact_case=exact_case)
        last = items[-1] if items else {}
        if key is not None:
            if "text" in last and str(key) == "Enter":
                items[-1] = {"line": last["text"]}
            items.append({"key": str(key)})
        elif "text" in last:
            items[-1] = {"text": last["text"] + word}
        else:
            items.append({"text": word})
    return items
