"""Set one entry in a configuration file, JSON or TOML, and keep all others."""

from __future__ import annotations

import json
import re
from typing import Any


class ConfigError(Exception):
    """The file cannot be edited safely."""


def set_in_json(text: str, path: tuple[str, ...], value: dict[str, Any]) -> str:
    """Set the members of an object inside a JSON document, and format the document with its own indentation.

    Args:
        text: The document; may be empty.
        path: The keys that lead to the object; missing ones are added.
        value: The members to set; other members are kept.
    """
    text = text.removeprefix("\ufeff")
    try:
        document = inner = json.loads(text) if text.strip() else {}
    except ValueError as error:
        raise ConfigError(f"it is not JSON, or it has comments: {error}") from None
    for key in path:
        if isinstance(inner, dict):
            inner = inner.setdefault(key, {})
    if not isinstance(inner, dict):
        raise ConfigError(f"`{'.'.join(path)}` in it is not an object")
    if all(inner.get(key) == one for key, one in value.items()):
        return text
    inner.update(value)
    indent = re.search(r"\n([ \t]+)\S", text)
    new = json.dumps(document, indent=indent[1] if indent else "  ", ensure_ascii=text.isascii()) + "\n"
    return new.replace("\n", "\r\n") if "\r\n" in text else new


def set_in_toml(text: str, table: tuple[str, ...], value: dict[str, Any]) -> str:
    """Set keys of a table in a TOML document.

    Args:
        text: The document; may be empty.
        table: The parts of the table's name; a missing table is added.
        value: The keys to set; other keys are kept.
    """
    expected = _toml(text)
    inner = expected
    for key in table:
        inner = inner.setdefault(key, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"`{key}` in the file is not a table")
    if all(inner.get(key) == one for key, one in value.items()):
        return text
    inner.update(value)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = {key: f"{key} = {json.dumps(one, ensure_ascii=False)}" for key, one in value.items()}
    header = re.compile(
        r"^[ \t]*\[[ \t]*" + r"[ \t]*\.[ \t]*".join(map(re.escape, table)) + r"[ \t]*\].*$", re.MULTILINE
    )
    match = header.search(text)
    if match is None:
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        text += newline.join([f"{gap}[{'.'.join(table)}]", *lines.values(), ""])
    else:
        end = re.compile(r"^[ \t]*\[", re.MULTILINE).search(text, match.end())
        body = text[match.end() : end.start() if end else len(text)]
        rest = text[end.start() :] if end else ""
        for key, line in lines.items():
            old = re.search(rf"(?m)^[ \t]*{key}[ \t]*=.*?(?=\r?$)", body)
            body = f"{newline}{line}{body}" if old is None else body[: old.start()] + line + body[old.end() :]
        text = text[: match.end()] + body + rest
    try:
        if _toml(text) == expected:
            return text
    except ConfigError:
        pass
    raise ConfigError(f"the table [{'.'.join(table)}] is written in a way that cannot be edited line by line")


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the file is not TOML: {error}") from None
