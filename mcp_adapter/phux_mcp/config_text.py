"""Set one entry in a configuration file (JSON with comments, or TOML) without changing anything else."""

from __future__ import annotations

import json
import re
from typing import Any

_BLANK = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
_SCALAR = re.compile(r"[^\s,\]}/]+")


class ConfigError(Exception):
    """The file cannot be edited safely."""


class _Member:
    """One member of an object: the positions of its key and its value."""

    def __init__(self, key: str, start: int, value_start: int, end: int, members: list[_Member] | None) -> None:
        self.key = key
        self.start = start
        self.value_start = value_start
        self.end = end
        self.members = members  # None if the value is not an object


class _Scanner:
    """Finds the positions of the members of objects."""

    def __init__(self, text: str) -> None:
        self._text = text

    def document(self) -> _Member:
        start = self._skip(0)
        root = self._value("", start, start)
        if root.members is None or self._skip(root.end) != len(self._text):
            raise ConfigError("the file is not one JSON object")
        return root

    def _skip(self, place: int) -> int:
        match = _BLANK.match(self._text, place)
        assert match is not None
        return match.end()

    def _at(self, place: int) -> str:
        return self._text[place : place + 1]

    def _value(self, key: str, start: int, place: int) -> _Member:
        if self._at(place) == "{":
            members: list[_Member] = []
            end = self._items(place + 1, "}", members)
            return _Member(key, start, place, end, members)
        if self._at(place) == "[":
            return _Member(key, start, place, self._items(place + 1, "]", None), None)
        match = _STRING.match(self._text, place) or _SCALAR.match(self._text, place)
        if match is None:
            raise ConfigError(f"the file is not JSON at character {place}")
        return _Member(key, start, place, match.end(), None)

    def _items(self, place: int, closing: str, members: list[_Member] | None) -> int:
        while True:
            place = self._skip(place)
            if self._at(place) == closing:
                return place + 1
            key, start = "", place
            if closing == "}":
                match = _STRING.match(self._text, place)
                place = self._skip(match.end() if match else place)
                if match is None or self._at(place) != ":":
                    raise ConfigError(f"the file is not JSON at character {place}")
                key, place = json.loads(match[0]), self._skip(place + 1)
            item = self._value(key, start, place)
            if members is not None:
                members.append(item)
            place = self._skip(item.end)
            if self._at(place) == ",":
                place += 1
            elif self._at(place) != closing:
                raise ConfigError(f"the file is not JSON at character {place}")


def set_in_json(text: str, path: tuple[str, ...], value: dict[str, Any]) -> str:
    """Set the members of an object inside a JSON document, which may have comments and trailing commas.

    Args:
        text: The document; may be empty.
        path: The keys that lead to the object; missing ones are added.
        value: The members to set; other members are kept.

    Raises:
        ConfigError: The document, or something on the path, is not a JSON object.
    """
    if not text.strip("\ufeff \t\r\n"):
        for key in reversed(path):
            value = {key: value}
        return json.dumps(value, indent=2) + "\n"
    for key, inner in value.items():
        text = _set_member(text, (*path, key), inner)
    return text


def _set_member(text: str, path: tuple[str, ...], value: object) -> str:
    node = _Scanner(text).document()
    depth = 0
    for depth, key in enumerate(path):
        assert node.members is not None
        found = [member for member in node.members if member.key == key]
        if not found:
            break
        node = found[-1]
        if depth < len(path) - 1 and node.members is None:
            raise ConfigError(f"`{key}` in the file is not an object")
    else:
        old = _as_json(text[node.value_start : node.end])
        if old == value:
            return text
        return text[: node.value_start] + _dump(value, _indent_at(text, node.start), text) + text[node.end :]
    for key in reversed(path[depth + 1 :]):
        value = {key: value}
    return _insert(text, node, path[depth], value)


def _insert(text: str, node: _Member, key: str, value: object) -> str:
    """Add a member after the last one, formatted like its neighbours."""
    assert node.members is not None
    newline = "\r\n" if "\r\n" in text else "\n"
    closing = node.end - 1
    if not node.members:
        outer = _indent_at(text, node.start)
        indent = outer + _unit(text)
        member = f"{json.dumps(key)}: {_dump(value, indent, text)}"
        return f"{text[: node.value_start + 1]}{newline}{indent}{member}{newline}{outer}{text[closing:]}"
    last = node.members[-1]
    comma = _BLANK.match(text, last.end)
    assert comma is not None
    has_comma = text[comma.end() : comma.end() + 1] == ","
    one_line = newline not in text[node.value_start : last.start]
    indent = _indent_at(text, last.start)
    member = f"{json.dumps(key)}: {_dump(value, indent, text)}"
    lead = " " if one_line else newline + indent
    if has_comma:
        place = comma.end() + 1
        return f"{text[:place]}{lead}{member},{text[place:]}"
    return f"{text[: last.end]},{lead}{member}{text[last.end :]}"


def _indent_at(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match else "  "


def _dump(value: object, indent: str, text: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, indent=_unit(text), ensure_ascii=False).replace("\n", newline + indent)


def _as_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:  # it has comments
        return ConfigError


def set_in_toml(text: str, table: tuple[str, ...], value: dict[str, Any]) -> str:
    """Set keys of a table in a TOML document.

    Args:
        text: The document; may be empty.
        table: The parts of the table's name; it is added if missing.
        value: The keys to set; other keys are kept.

    Raises:
        ConfigError: It is not TOML, or the table is in a form that cannot be edited line by line.
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
