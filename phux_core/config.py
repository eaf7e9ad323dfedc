"""The config file: which keys there are, what each takes, and reading it.

``$PHUX_CONFIG``, or ``$XDG_CONFIG_HOME/phux/config.toml``, or ``~/.config/phux/config.toml``. A file that is not there
is an empty one; anything wrong in it is an error that names the file, the line and the key, and nothing of it is used.
The server reads it once, when it starts; ``attach`` reads it each time. ``KEYS`` is the only place that knows the keys:
docs/config.md is written from it. Not on the CLI's path: only ``server`` and ``attach`` import it.
"""

import os
import re

from phux_core.bindings import is_action, is_key
from phux_core.call_kinds import BOOLEAN, SIZE_POLICIES, numbers, one_of
from phux_core.errors import BadConfigError
from phux_core.paths import xdg_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Literal, TypeAlias

    from phux_core.call_kinds import Kind

    SizePolicy: TypeAlias = Literal["smallest", "largest", "latest", "manual", "default"]

MAX_HISTORY = 1_000_000
MIN_LOG_BYTES = 64 * 1024
MAX_LOG_BYTES = 1 << 50
MAX_DAYS = 36500
_MAX_BYTES = 1 << 20


class Key:
    """One thing that can be set.

    Attributes:
        name: As it stands in the file; ``TABLE.*`` is any key of that table.
        kind: A key of ``KINDS``.
        default: What holds when it is not set; None if the doc says what.
        doc: What it means.
        entries: For a table, the kind that the names in it must be of.
    """

    __slots__ = ("default", "doc", "entries", "kind", "name")

    def __init__(self, name: str, kind: str, default: object, doc: str, *, entries: str | None = None) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.doc = doc
        self.entries = entries


KINDS: "Mapping[str, Kind]" = {
    "history": numbers(0, MAX_HISTORY),
    "boolean": BOOLEAN,
    "bytes": numbers(MIN_LOG_BYTES, MAX_LOG_BYTES, "a whole number of bytes"),
    "days": numbers(0, MAX_DAYS, "a number of days", whole=False),
    "program": (
        "the name or path of a program, as a string",
        lambda value: isinstance(value, str) and bool(value) and value.isprintable(),
    ),
    "key": ("the name of a key, such as C-a or F1, or one character", is_key),
    "action": ("the name of an action (docs/attach.md), a command behind a colon, or nothing", is_action),
    "size policy": one_of(SIZE_POLICIES),
}
"""What each kind of key takes."""

KEYS: "Mapping[str, Key]" = {
    key.name: key
    for key in (
        Key("history-limit", "history", 10_000, "how many rows a pane keeps that have left its screen"),
        Key("log", "boolean", True, "whether what panes write is kept on disk, unless a session says otherwise"),
        Key("log-keep-days", "days", 7, "how long the log of a pane stays after its end"),
        Key("log-pane-bytes", "bytes", 64 * 1024**2, "how large the log of one pane may become; its oldest part goes"),
        Key("log-total-bytes", "bytes", 2 * 1024**3, "how large all logs may become together; the oldest parts go"),
        Key("shell", "program", None, "what runs in a new pane without a command; the caller's SHELL when not set"),
        Key("window-size", "size policy", "smallest", "which of the attached clients decides a window's size"),
        Key("prefix", "key", "C-a", "the key before all others in attach"),
        Key("status", "boolean", True, "whether attach has a status line"),
        Key("mouse", "boolean", True, "whether attach uses the mouse"),
        Key("keys.*", "action", None, "what a key does behind the prefix; nothing takes it away", entries="key"),
    )
}
"""Every key by its name."""


def config_path(environ: "Mapping[str, str] | None" = None) -> str:
    """Find the config file; /dev/null, which is an empty one, if there is no home directory.

    Example:
        >>> config_path({"XDG_CONFIG_HOME": "/home/me/.config"})
        '/home/me/.config/phux/config.toml'
    """
    environ = os.environ if environ is None else environ
    if chosen := environ.get("PHUX_CONFIG"):
        return os.path.abspath(chosen)
    directory = xdg_directory("XDG_CONFIG_HOME", ".config", environ)
    return os.devnull if directory is None else os.path.join(directory, "phux", "config.toml")


def load(path: str) -> "dict[str, object]":
    """Read a config file.

    Returns:
        Every key of ``KEYS`` with its value, or its default; a ``TABLE.*`` as a dictionary under ``TABLE``.

    Raises:
        BadConfigError: Something is wrong in it; the message says where and what.
    """
    return parse(_read(path), path)


def parse(text: str, path: str) -> "dict[str, object]":
    """Read the text of a config file; like ``load``.

    Example:
        >>> parse('history-limit = 500', "config.toml")["history-limit"]
        500
    """
    import tomllib  # most have no file, and need not wait for it

    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadConfigError(f"{path} is no TOML: {error}", remedy="mend that line") from None
    values: dict[str, object] = {}
    for name, key in KEYS.items():
        table, star = name.removesuffix(".*"), name.endswith(".*")
        values[table] = {} if star else key.default
    for name, value in document.items():
        if f"{name}.*" not in KEYS:
            values[name] = _checked(name, value, text, path)
            continue
        if not isinstance(value, dict):
            where = f"{path}, line {_line_of(name, text)}"
            raise BadConfigError(f"{where}: `{name}` is {value!r:.80}", remedy=f"write it as a table, [{name}]")
        values[name] = {entry: _checked(f"{name}.{entry}", given, text, path) for entry, given in value.items()}
    return values


def _checked(name: str, value: object, text: str, path: str) -> object:
    key = KEYS.get(name) or KEYS.get(f"{name.partition('.')[0]}.*" if "." in name else "")
    where = f"{path}, line {_line_of(name, text)}"
    if key is None:
        raise BadConfigError(f"{where}: there is no key `{name[:80]}`", remedy=f"the keys are: {', '.join(KEYS)}")
    if key.entries is not None and not KINDS[key.entries][1](name.partition(".")[2]):
        raise BadConfigError(f"{where}: `{name[:80]}` is no key", remedy=f"use {KINDS[key.entries][0]}")
    words, is_right = KINDS[key.kind]
    if not is_right(value):
        raise BadConfigError(f"{where}: `{name}` is {value!r:.80}", remedy=f"use {words}")
    return value


def _line_of(name: str, text: str) -> int:
    """Find the line on which a key is set, to name it: TOML's reader does not tell."""
    return next((number for number, full in _settings(text) if full == name or full.startswith(f"{name}.")), 1)


def _settings(text: str) -> "Iterator[tuple[int, str]]":
    """Go through the lines that set something or begin a table, with the whole name."""
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+([^\]]*)\]", line):
            table = f"{_unquoted(header[1])}."
            yield number, table[:-1]
        elif setting := re.match(r"""\s*((?:"[^"]*"|'[^']*'|[\w.\s-]+)+?)\s*=""", line):
            yield number, table + _unquoted(setting[1])


def _unquoted(name: str) -> str:
    return re.sub(r"\s*\.\s*", ".", name.strip().replace('"', "").replace("'", ""))


def _read(path: str) -> str:
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise BadConfigError(f"{path} has more than {_MAX_BYTES} bytes", remedy="make it shorter")
        return data.decode()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise BadConfigError(
            f"{path} cannot be read: {error.strerror}", remedy="make it readable, or remove it"
        ) from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadConfigError(f"{path}, line {line}: this is not UTF-8", remedy="save it as UTF-8") from None
