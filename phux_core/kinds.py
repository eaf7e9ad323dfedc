"""Kinds of values, and parameters: one validator for calls, the config file and the MCP tools.

Import-light, because the CLI imports this module.
"""

from phux_core.errors import BadRequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_COUNT = 2**53 - 1
"""The largest integer that every JSON library represents exactly."""
LARGEST = 10**9
"""The largest duration: thirty years in seconds."""


class Kind:
    """A set of values.

    Attributes:
        words: Description of the values in errors and docs.
        fits: Returns whether a value is in the set.
        schema: The JSON Schema of the values.
        annotation: Their type in a handler's signature.
    """

    def __init__(
        self, words: str, fits: "Callable[[object], bool]", schema: "dict[str, object]", annotation: str = "str"
    ) -> None:
        self.words = words
        self.fits = fits
        self.schema = schema
        self.annotation = annotation


def whole(least: int = 0, most: int = MAX_COUNT, *, of: str = "") -> Kind:
    """Return the kind of whole numbers in a range."""

    def fits(value: object) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    schema: dict[str, object] = {"type": "integer", "minimum": least}
    if most == MAX_COUNT:
        return Kind(f"a whole number{of} from {least} to 2^53 - 1", fits, schema, "int")
    return Kind(f"a whole number{of} from {least} to {most}", fits, schema | {"maximum": most}, "int")


def number(least: float = 0, most: float = LARGEST, *, of: str = "") -> Kind:
    """Return the kind of numbers in a range."""

    def fits(value: object) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and least <= value <= most

    return Kind(f"a number{of} from {least} to {most}", fits, {"type": "number", "minimum": least}, "float")


def one_of(*values: str, annotation: str = "str") -> Kind:
    """Return the kind of a fixed set of strings."""
    *first, last = (f'"{value}"' for value in values)
    words = f"{', '.join(first)} or {last}"
    schema: dict[str, object] = {"type": "string", "enum": list(values)}
    return Kind(words, lambda value: isinstance(value, str) and value in values, schema, annotation)


def list_of(kind: Kind, words: str, *, least: int = 0, most: int | None = None, annotation: str = "list[str]") -> Kind:
    """Return the kind of lists of ``least`` to ``most`` values."""

    def fits(value: object) -> bool:
        if not isinstance(value, list) or len(value) < least or (most is not None and len(value) > most):
            return False
        return all(map(kind.fits, value))

    schema: dict[str, object] = {"type": "array", "items": kind.schema}
    schema |= {"minItems": least} if least else {}
    return Kind(words, fits, schema | ({} if most is None else {"maxItems": most}), annotation)


def _is_text(value: object) -> bool:
    """Return whether a value is a string that can be encoded; surrogates must represent invalid UTF-8 bytes."""
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
    return WORDS.fits(value) and bool(value[0])  # type: ignore[index]


def _is_environment(value: object) -> bool:
    return isinstance(value, dict) and all(
        name and "=" not in name and _is_string(name) and _is_string(text) for name, text in value.items()
    )


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
        and all(_COORDINATE.fits(value.get(name)) for name in ("x", "y"))
        and all(isinstance(value.get(name, False), bool) for name in ("ctrl", "alt", "shift"))
    )


_BUTTONS = ("left", "middle", "right", "wheel_up", "wheel_down", "wheel_left", "wheel_right")
_COORDINATE = whole(0, 999)

SIZE_POLICIES = ("smallest", "largest", "latest", "manual")
WINDOW_POLICIES = (*SIZE_POLICIES, "default")
"""Size policies of a window: its own, or the server's default."""
SIGNALS = ("INT", "TERM", "HUP", "KILL", "QUIT", "TSTP", "CONT", "USR1", "USR2")
"""Signals that clients can send."""
ENGINE_PACKAGES = {"ghostty": "pyghostty", "pyte": "pyte"}
"""The engines, best first, and the package that each needs."""
STATES = ("prompt", "running", "awaiting_input", "awaiting_secret", "fullscreen", "dead")
"""States of a pane."""

ID = whole(0, 2**32 - 1)
COUNT = whole()
MOMENT = number(0, MAX_COUNT, of=" of seconds since 1970")
INTEGER = Kind(
    "a whole number", lambda value: isinstance(value, int) and not isinstance(value, bool), {"type": "integer"}, "int"
)
TEXT = Kind("a string", _is_text, {"type": "string"})
STRING = Kind("a string without NUL", _is_string, {"type": "string"})
BOOLEAN = Kind("true or false", lambda value: isinstance(value, bool), {"type": "boolean"}, "bool")
WORDS = list_of(STRING, "a list of strings without NUL, at least one", least=1)
COMMAND = Kind("a list of strings without NUL, the first not empty", _is_command, WORDS.schema, "list[str]")
ENVIRONMENT = Kind(
    "an object of strings without NUL, with names that are not empty and contain no `=`",
    _is_environment,
    {"type": "object", "additionalProperties": {"type": "string"}},
    "dict[str, str]",
)
SCOPE = one_of("session", "window", "pane")
MODE = one_of("rendered", "stripped", "raw")
SIGNAL = one_of(*SIGNALS)
DIRECTION = one_of("right", "down", annotation="Direction")
SIDE = one_of("left", "right", "up", "down", annotation="Side")
PATH = list_of(one_of("first", "second"), 'a list of "first" and "second"', annotation="list[Step]")
POLICY = one_of(*WINDOW_POLICIES)
INPUT = list_of(
    Kind("", _is_input_item, {"type": "object"}),
    "a list of 1 to 10000 objects, each with one of the keys "
    '"key", "text", "line", "paste", "mouse" and "focus" (see Typing)',
    least=1,
    most=10_000,  # encoding them takes about 50 ms, during which the service serves no other client
    annotation="list[dict[str, Any]]",
)


class Param:
    """A parameter of a call or a tool, or a key of the config file.

    Attributes:
        doc: The parameter's meaning: a verb phrase for a boolean, a noun phrase for other kinds.
        required: Whether it must be given; null counts as omitted.
        omitted: Description of the behavior when it is omitted and has no default value.
    """

    def __init__(
        self,
        name: str,
        kind: Kind,
        doc: str,
        *,
        required: bool = False,
        default: object = None,
        omitted: str = "",
    ) -> None:
        self.name = name
        self.kind = kind
        self.doc = doc
        self.required = required
        self.default = default
        self.omitted = omitted

    def but(self, **changes: object) -> "Param":
        """Return a copy of the parameter with changed attributes."""
        return Param(**vars(self) | changes)

    @property
    def meaning(self) -> str:
        """The parameter's description, with its default: "columns; 80 when omitted"."""
        omitted = self.omitted or self.default
        return f"{self.doc}; {omitted} when omitted" if omitted and not self.required else self.doc


def check(owner: str, params: "Mapping[str, Param]", given: "Mapping[str, object]") -> "dict[str, object]":
    """Check the values given to a call or tool (the owner), and return each parameter's value, None for omitted ones.

    Raises:
        BadRequestError: A parameter is unknown, missing or of the wrong kind; the remedy says what to send.
    """
    checked: dict[str, object] = dict.fromkeys(params)
    for name, value in given.items():
        param = params.get(name)
        if param is None:
            known = ", ".join(params) or "no parameters"
            raise BadRequestError(f"{owner} has no parameter {name!r:.80}", remedy=f"it accepts {known}")
        if value is not None and not param.kind.fits(value):
            shown = str(value).lower() if isinstance(value, bool) else f"{value!r:.80}"
            raise BadRequestError(f"the parameter `{name}` of {owner} is {shown}", remedy=_send(param))
        checked[name] = value
    for name, param in params.items():
        if param.required and checked[name] is None:
            raise BadRequestError(f"{owner} needs the parameter `{name}`", remedy=_send(param))
    return checked


def _send(param: Param) -> str:
    return f"send {param.kind.words}: {param.meaning}"
