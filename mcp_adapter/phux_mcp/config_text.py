"""Set one entry in a configuration file (JSON with comments, or TOML) without changing anything else."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

# Strings are matched, too, so that their content is kept.
_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[]}])')
_SPACE = re.compile(r"\s*")
_decode = json.JSONDecoder().raw_decode


class ConfigError(Exception):
    """The file cannot be edited safely."""


class _Member(NamedTuple):
    """One member of an object, with the positions of its key and its value."""

    start: int
    value_start: int
    end: int
    value: Any


def _blank(match: re.Match[str]) -> str:
    """Return blanks for a match, so that positions stay the same; strings are kept."""
    return match[0] if match[0].startswith('"') else re.sub(r"[^\n]", " ", match[0])


def _skip(plain: str, place: int) -> int:
    match = _SPACE.match(plain, place)
    assert match is not None
    return match.end()


def _members(plain: str, place: int) -> dict[str, _Member]:
    """Return the members of the object that begins at a position; the text is known to be JSON."""
    found = {}
    place = _skip(plain, place + 1)
    while plain[place] != "}":
        start = place
        key, place = _decode(plain, start)
        value_start = _skip(plain, _skip(plain, place) + 1)
        value, end = _decode(plain, value_start)
        found[key] = _Member(start, value_start, end, value)
        place = _skip(plain, end)
        if plain[place] == ",":
            place = _skip(plain, place + 1)
    return found


def set_in_json(text: str, path: tuple[str, ...], value: dict[str, Any]) -> str:
    """Set the members of an object inside a JSON document, which may have comments and trailing commas.

    Args:
        text: The document; may be empty.
        path: The keys that lead to the object; missing ones are added.
        value: The members to set; other members are kept.
    """
    if not text.strip("\ufeff \t\r\n"):
        for key in reversed(path):
            value = {key: value}
        return json.dumps(value, indent=2) + "\n"
    for key, inner in value.items():
        text = _set_member(text, (*path, key), inner)
    return text


def _set_member(text: str, path: tuple[str, ...], value: object) -> str:
    uncommented = _COMMENT.sub(_blank, text.replace("\ufeff", " "))
    plain = _TRAILING_COMMA.sub(_blank, uncommented)
    try:
        document = json.loads(plain)
    except ValueError as error:
        raise ConfigError(f"the file is not JSON: {error}") from None
    start = _skip(plain, 0)
    node = _Member(start, start, len(plain.rstrip()), document)
    for depth, key in enumerate(path):
        if not isinstance(node.value, dict):
            raise ConfigError(f"`{path[depth - 1]}` in the file is not an object" if depth else "it is not an object")
        members = _members(plain, node.value_start)
        if key not in members:
            for inner in reversed(path[depth + 1 :]):
                value = {inner: value}
            return _insert(text, uncommented, node, list(members.values()), f"{json.dumps(key)}: ", value)
        node = members[key]
    if node.value == value:
        return text
    return text[: node.value_start] + _dump(value, _indent_at(text, node.start), text) + text[node.end :]


def _insert(text: str, uncommented: str, node: _Member, members: list[_Member], key: str, value: object) -> str:
    """Add a member after the last one, formatted like its neighbors."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not members:
        outer = _indent_at(text, node.start)
        indent = outer + _unit(text)
        member = f"{key}{_dump(value, indent, text)}"
        return f"{text[: node.value_start + 1]}{newline}{indent}{member}{newline}{outer}{text[node.end - 1 :]}"
    last = members[-1]
    indent = _indent_at(text, last.start)
    lead = newline + indent if newline in text[node.value_start : last.start] else " "
    member = f"{lead}{key}{_dump(value, indent, text)}"
    comma = _skip(uncommented, last.end)
    if uncommented[comma] == ",":  # a trailing comma
        return f"{text[: comma + 1]}{member},{text[comma + 1 :]}"
    return f"{text[: last.end]},{member}{text[last.end :]}"


def _indent_at(text: str, place: int) -> str:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match else "  "


def _dump(value: object, indent: str, text: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    return json.dumps(value, indent=_unit(text), ensure_ascii=False).replace("\n", newline + indent)


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
