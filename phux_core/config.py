"""The config file: its keys, and how to read it.

The file is ``$PHUX_CONFIG``, ``$XDG_CONFIG_HOME/phux/config.toml`` or ``~/.config/phux/config.toml``. A missing file
counts as empty. A mistake in the file is an error that names the file, the line and the key. The server reads the file
once, at startup; ``attach`` reads it each time. ``KEYS`` defines all keys, and docs/config.md is generated from it.
Among the verbs of the CLI, only ``server`` and ``attach`` import this module.
"""

import os
import re

from phux_core import files
from phux_core.bindings import is_action, is_key
from phux_core.errors import BadConfigError
from phux_core.kinds import BOOLEAN, SIZE_POLICIES, TEXT, Kind, Param, number, one_of, whole
from phux_core.paths import xdg_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MAX_BYTES = 1 << 20
_KEY = Kind("the name of a key, such as C-a or F1, or one character", is_key, {})
_ACTION = Kind(
    "the name of an action (docs/attach.md), a colon followed by a command, or an empty string", is_action, {}
)
_PROGRAM = Kind(
    "the name or path of a program, as a string",
    lambda value: isinstance(value, str) and bool(value) and value.isprintable(),
    {},
)
_ARGUMENTS = Kind(
    "a list of strings",
    lambda value: isinstance(value, list) and all(isinstance(word, str) and word.isprintable() for word in value),
    {},
)
_LOG_BYTES = whole(64 * 1024, 1 << 50, of=" of bytes")

KEYS: "Mapping[str, Param]" = {
    key.name: key
    for key in (
        Param("history-limit", whole(0, 1_000_000), "rows of scrollback to keep per pane", default=10_000),
        Param("log", BOOLEAN, "log the output of panes to disk, unless a session says otherwise", default=True),
        Param("log-keep-days", number(0, 36500, of=" of days"), "days to keep the log of a dead pane", default=7),
        Param("log-pane-bytes", _LOG_BYTES, "maximum bytes to keep of one pane's log", default=64 * 1024**2),
        Param("log-total-bytes", _LOG_BYTES, "maximum bytes to keep of all logs together", default=2 * 1024**3),
        Param("shell", _PROGRAM, "program to start in a pane without a command", omitted="the caller's SHELL"),
        Param("window-size", one_of(*SIZE_POLICIES), "how client sizes determine window sizes", default="smallest"),
        Param("prefix", _KEY, "prefix key in attach", default="C-a"),
        Param("status", BOOLEAN, "show a status line in attach", default=True),
        Param("mouse", BOOLEAN, "use the mouse in attach", default=True),
        Param("notifications", BOOLEAN, "pass notifications of programs (OSC 9, 777) to the terminal", default=False),
        Param("clipboard", BOOLEAN, "let programs set the terminal's clipboard (OSC 52)", default=False),
        Param("keys.*", _ACTION, "action of a key after the prefix; an empty string removes it"),
        Param("hosts.*.destination", TEXT, "destination of ssh for a host", omitted="the name of the host"),
        Param("hosts.*.phux", TEXT, "path of phux on the host", omitted="phux in PATH or as phux installs itself"),
        Param("hosts.*.socket", TEXT, "path of the server's socket on the host", omitted="the default path there"),
        Param("hosts.*.ssh-args", _ARGUMENTS, "more arguments of ssh", omitted="none"),
        Param("hosts.*.keep", whole(0, 86400), "seconds to keep an unused ssh connection; 0 to share none", default=60),
    )
}
"""Every key by name; ``keys.*`` is any key in the table ``keys``, and ``hosts.*`` any table in the table ``hosts``."""
_TABLES = ("keys", "hosts")


def config_path() -> str:
    """Return the path of the config file; /dev/null if there is no home directory."""
    if chosen := os.environ.get("PHUX_CONFIG"):
        return os.path.abspath(chosen)
    directory = xdg_directory("XDG_CONFIG_HOME", ".config")
    return os.devnull if directory is None else os.path.join(directory, "phux", "config.toml")


def load(path: str) -> "dict[str, object]":
    """Read a config file.

    Returns:
        The value or the default of every key in ``KEYS``; those of ``keys.*`` are a dictionary under ``keys``, and
        those of each host that are set, a dictionary in the dictionary under ``hosts``.

    Raises:
        BadConfigError: The file is invalid; the message says where.
    """
    return parse(_read(path), path)


def parse(text: str, path: str) -> "dict[str, object]":
    """Parse the text of a config file; like ``load``."""
    values: dict[str, object] = {name: key.default for name, key in KEYS.items() if "*" not in name}
    values |= {name: {} for name in _TABLES}
    for name, value in (_read_toml(text, path) if text else {}).items():
        if name not in _TABLES:
            values[name] = _checked(name, value, text, path)
        elif name == "keys":
            values[name] = _table(name, value, text, path)
        else:
            tables = _entries(name, value, text, path)
            values[name] = {host: _table(f"{name}.{host}", given, text, path) for host, given in tables.items()}
    return values


def _entries(name: str, value: object, text: str, path: str) -> "dict[str, object]":
    if not isinstance(value, dict):
        where = f"{path}, line {_line_of(name, text)}"
        raise BadConfigError(f"{where}: `{name[:80]}` is {value!r:.80}", remedy=f"write it as a table, [{name[:80]}]")
    return value


def _table(name: str, value: object, text: str, path: str) -> "dict[str, object]":
    entries = _entries(name, value, text, path)
    return {entry: _checked(f"{name}.{entry}", given, text, path) for entry, given in entries.items()}


def _read_toml(text: str, path: str) -> "dict[str, object]":
    import tomllib  # most users have no file and save the import

    try:
        found = tomllib.loads(text)
        str(found)  # a hexadecimal integer may have more digits than Python converts to text
        return found
    except (ValueError, RecursionError) as error:
        raise BadConfigError(f"{path} is not valid TOML: {error}", remedy="correct that line") from None


def _checked(name: str, value: object, text: str, path: str) -> object:
    is_binding = name.startswith("keys.")
    key = KEYS.get("keys.*" if is_binding else re.sub(r"\Ahosts\..*\.", "hosts.*.", name))
    if key is None:
        problem, remedy = f"unknown key `{name[:80]}`", f"the keys are: {', '.join(KEYS)}"
    elif is_binding and not _KEY.fits(name.removeprefix("keys.")):
        problem, remedy = f"`{name[:80]}` is not the name of a key", f"use {_KEY.words}"
    elif not key.kind.fits(value):
        problem, remedy = f"`{name}` is {value!r:.80}", f"use {key.kind.words}"
    else:
        return value
    raise BadConfigError(f"{path}, line {_line_of(name, text)}: {problem}", remedy=remedy)


def _line_of(name: str, text: str) -> int:
    """Return the number of the line that sets a key, which tomllib does not report."""
    return next((line for line, full in _settings(text) if full == name or full.startswith(f"{name}.")), 1)


def _settings(text: str) -> "Iterator[tuple[int, str]]":
    """Yield the line number and full name of each key and table in the text."""
    table = ""
    for count, line in enumerate(map(str.strip, text.splitlines()), start=1):
        # Possessive quantifiers, because these lines may also be part of a long text in several lines.
        if header := re.match(r"\[++([^\]]*+)\]", line):
            table = f"{_unquoted(header[1])}."
            yield count, table[:-1]
        elif setting := re.match(r"""((?:"[^"]*+"|'[^']*+'|[\w.\s-])++)=""", line):
            yield count, table + _unquoted(setting[1])


def _unquoted(name: str) -> str:
    return ".".join(map(str.strip, name.replace('"', "").replace("'", "").split(".")))


def _read(path: str) -> str:
    if path == os.devnull:
        return ""
    try:
        # Follow symbolic links: many users keep their config files in a repository and link to them.
        with os.fdopen(files.open_regular(os.path.realpath(path), os.O_RDONLY), "rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise BadConfigError(f"{path} is larger than {_MAX_BYTES} bytes", remedy="shorten it")
        return data.decode()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        raise BadConfigError(f"cannot read {path}: {error.strerror}", remedy="make it readable, or remove it") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise BadConfigError(f"{path}, line {line}: the text is not UTF-8", remedy="save the file as UTF-8") from None
