"""What calls are made of, and what a value may be: words for people, and the check.

Import-light: it is on the CLI's path.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import TypeAlias

    Kind: TypeAlias = tuple[str, Callable[[object], bool]]


class Param:
    """One parameter of a call.

    Attributes:
        name: Its key in ``params``.
        kind: A key of ``KINDS``.
        doc: What it means.
        required: Whether it must be there; one that is not required may also be null.
    """

    __slots__ = ("doc", "kind", "name", "required")

    def __init__(self, name: str, kind: str, doc: str, *, required: bool = False) -> None:
        self.name = name
        self.kind = kind
        self.doc = doc
        self.required = required


class Call:
    """One thing that can be asked.

    Attributes:
        name: What stands in the request's ``call``.
        doc: What it does.
        params: Its parameters.
        result: What the reply's ``ok`` holds.
        repeatable: Whether asking again after a lost reply does no harm.
        cancellable: Whether it can be given up while it is waited for.
        by_name: Its parameters by their names.
        required: The names of those that must be there.
    """

    __slots__ = ("by_name", "cancellable", "doc", "name", "params", "repeatable", "required", "result")

    def __init__(
        self,
        name: str,
        doc: str,
        params: tuple[Param, ...],
        result: str,
        *,
        repeatable: bool = False,
        cancellable: bool = False,
    ) -> None:
        self.name = name
        self.doc = doc
        self.params = params
        self.result = result
        self.repeatable = repeatable
        self.cancellable = cancellable
        self.by_name = {param.name: param for param in params}
        self.required = tuple(param.name for param in params if param.required)


def is_number(value: object, least: float, most: float, *, whole: bool = True) -> bool:
    """Return True if this is a number in the range."""
    # bool is an int to Python, but `true` is no number to anybody else.
    kinds = int if whole else (int, float)
    return isinstance(value, kinds) and not isinstance(value, bool) and least <= value <= most


def numbers(least: int, most: int, words: str = "a whole number", *, whole: bool = True) -> "Kind":
    """Make a kind: numbers in a range."""
    return f"{words} from {least} to {most}", lambda value: is_number(value, least, most, whole=whole)


def one_of(values: "Collection[str]") -> "Kind":
    """Make a kind: one of some words."""
    *some, last = (f'"{value}"' for value in values)
    return f"{', '.join(some)} or {last}", lambda value: isinstance(value, str) and value in values


def _is_text(value: object) -> bool:
    """A string that has bytes: a surrogate may stand for a byte that is not UTF-8, and for nothing else."""
    if not isinstance(value, str):
        return False
    try:
        value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return True


def _is_string(value: object) -> bool:
    return _is_text(value) and "\0" not in value  # type: ignore[operator]


def _is_command(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(_is_string(word) for word in value) and bool(value[0])


def _is_environment(value: object) -> bool:
    return isinstance(value, dict) and all(
        name and "=" not in name and _is_string(name) and _is_string(text) for name, text in value.items()
    )


def _is_path(value: object) -> bool:
    return isinstance(value, list) and all(step in ("first", "second") for step in value)


def _is_input(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_input_item, value))


def _is_input_item(item: object) -> bool:
    if not isinstance(item, dict) or len(item) != 1:
        return False
    ((kind, value),) = item.items()
    if kind == "mouse":
        return _is_mouse(value)
    if kind == "focus":
        return isinstance(value, bool)
    return kind in {"key", "text", "line", "paste"} and _is_text(value)


def _is_mouse(value: object) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= {"kind", "button", "x", "y", "ctrl", "alt", "shift"}
        and value.get("kind") in {"press", "release", "move"}
        and (value.get("button") is None or value.get("button") in _BUTTONS)
        and all(is_number(value.get(name), 0, 999) for name in ("x", "y"))
        and all(isinstance(value.get(name, False), bool) for name in ("ctrl", "alt", "shift"))
    )


_BUTTONS = ("left", "middle", "right", "wheel_up", "wheel_down", "wheel_left", "wheel_right")


SIZE_POLICIES = ("smallest", "largest", "latest", "manual")
WINDOW_POLICIES = (*SIZE_POLICIES, "default")
"""What a window can be given: one of them, or what the server is set to."""
SIGNALS = ("INT", "TERM", "HUP", "KILL", "QUIT", "TSTP", "CONT", "USR1", "USR2")
"""Signals that can be sent."""

BOOLEAN: "Kind" = ("true or false", lambda value: isinstance(value, bool))

KINDS: "Mapping[str, Kind]" = {
    "id": numbers(0, 2**32 - 1, "a number"),
    "integer": ("a whole number", lambda value: is_number(value, float("-inf"), float("inf"))),
    "count": ("a whole number, not negative", lambda value: is_number(value, 0, 2**53 - 1)),
    "string": ("a string of text or bytes (as surrogates), without NUL", _is_string),
    "boolean": BOOLEAN,
    "command": ("a list of strings, the first not empty, none with a NUL", _is_command),
    "environment": (
        "an object of strings; no name is empty or has a `=`, nothing has a NUL",
        _is_environment,
    ),
    "scope": one_of(("session", "window", "pane")),
    "mode": one_of(("rendered", "stripped", "raw")),
    "signal": ("one of " + ", ".join(SIGNALS), lambda value: value in SIGNALS),
    "direction": one_of(("right", "down")),
    "side": one_of(("left", "right", "up", "down")),
    "path": ('a list of "first" and "second"', _is_path),
    "policy": one_of(WINDOW_POLICIES),
    "input": (
        'a list of objects with one of the keys "key", "text", "line", "paste", "mouse" and "focus" (see Typing)',
        _is_input,
    ),
}
"""What each kind of parameter takes."""
