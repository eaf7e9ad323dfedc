"""Accept arguments as models spell them: strings for lists and numbers, SIGTERM for TERM, 3 for @3."""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING, Any

from phux_core.kinds import COMMAND, SIGNAL, TEXT, Kind, list_of

if TYPE_CHECKING:
    from phux_core.kinds import Param

SELECTOR = Kind(TEXT.words, TEXT.fits, TEXT.schema)
ARGV = list_of(TEXT, "a list of strings")
_MOST_DIGITS = 30


def accepted(param: Param, value: object) -> object:
    """Return the value that an argument stands for; the argument itself if it stands for no other."""
    if value is None or param.kind.fits(value):
        return value
    if param.kind in _READINGS:
        value = _READINGS[param.kind](value)
    return value if value is None or param.kind.fits(value) else _of_schema(param.kind.schema, value)


def _of_schema(schema: dict[str, Any], value: object) -> object:
    """Return a value of the type that a JSON schema describes, if it is obvious which one is meant."""
    schema = schema["anyOf"][0] if "anyOf" in schema else schema
    wanted = schema.get("type")
    if wanted == "array" and isinstance(value, (str, list)):
        entries = _entries(value) if isinstance(value, str) else value
        return [_of_schema(schema["items"], entry) for entry in entries]
    if wanted == "object" and isinstance(value, str):
        return _parsed(value)
    if wanted in {"integer", "number"} and isinstance(value, str):
        return _number(value)
    if wanted == "boolean" and isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower(), value)
    if wanted == "string" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(value)
    if "enum" in schema and isinstance(value, str):
        return next((option for option in schema["enum"] if option.lower() == value.strip().lower()), value)
    return value


def _entries(text: str) -> list[object]:
    """Return the list that a string stands for: the list that it has as JSON, or else itself as the only entry."""
    parsed = _parsed(text) if text.startswith("[") else text
    return parsed if isinstance(parsed, list) else [text]


def _parsed(text: str) -> object:
    """Return the value of a JSON text; the text itself if it is none."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value


def _number(text: str) -> object:
    text = text.strip()
    if len(text) > _MOST_DIGITS:
        return text
    for read in (int, float):
        try:
            number = read(text)
        except ValueError:
            continue
        return int(number) if isinstance(number, float) and number.is_integer() else number
    return text


def _as_target(value: object) -> object:
    """Return the selector of a pane that is given by its number."""
    return f"@{value}" if isinstance(value, int) and not isinstance(value, bool) else value


def _as_argv(value: object) -> object:
    """Return the argv of a command that is given as a line; None, for the default shell, if it is empty."""
    if not isinstance(value, str):
        return value
    entries = _entries(value)
    if entries != [value]:
        return entries
    return ["/bin/sh", "-c", value] if value.strip() else None


def _as_signal(value: object) -> object:
    """Return the name of a signal, such as TERM for SIGTERM, sigterm and 15."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < _MOST_DIGITS:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            value = signal.Signals(value).name
        except ValueError:
            return value
    return value.strip().upper().removeprefix("SIG") if isinstance(value, str) else value


_READINGS = {SELECTOR: _as_target, SIGNAL: _as_signal, ARGV: _as_argv, COMMAND: _as_argv}
