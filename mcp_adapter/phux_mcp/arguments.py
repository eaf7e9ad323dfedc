"""Arguments of a tool, checked against its input schema.

Nothing is ignored: what does not fit is refused in one sentence that says what to send instead.
"""

from __future__ import annotations

from typing import Any

from phux_core.call_kinds import is_number
from phux_core.errors import BadRequestError

Schema = dict[str, Any]

LARGEST = 10**9
"""The largest number that means anything: thirty years in seconds, more rows than any history has."""

_WORDS = {
    "string": "a string",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list of strings",
    "object": "an object of strings",
}


def check(schema: Schema, arguments: dict[str, Any]) -> dict[str, Any]:
    """Check arguments; numbers that are whole come back as integers.

    Raises:
        BadRequestError: One is missing, unknown, or not what the schema says.
    """
    properties: dict[str, Schema] = schema["properties"]
    checked = {}
    for name, value in arguments.items():
        if name not in properties:
            raise BadRequestError(f"there is no argument {name!r:.80}", remedy=f"send only {', '.join(properties)}")
        if value is None and properties[name].get("default", ...) is None:
            continue  # the same as leaving it out
        checked[name] = _check_one(name, properties[name], value)
    for name in schema.get("required", ()):
        if name not in arguments:
            raise BadRequestError(f"the argument `{name}` is missing", remedy=_expected(properties[name]))
    return checked


def _check_one(name: str, schema: Schema, value: object) -> object:
    if not _fits(schema, value):
        shown = (
            "null" if value is None else "true" if value is True else "false" if value is False else f"{value!r:.80}"
        )
        remedy = "leave it out instead" if value is None else _expected(schema)
        raise BadRequestError(f"the argument `{name}` is {shown}", remedy=remedy)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _fits(schema: Schema, value: object) -> bool:
    kind = schema["type"]
    if kind in {"integer", "number"}:
        # JSON has but one kind of number: 3.0 is whole.
        value = int(value) if isinstance(value, float) and value.is_integer() else value
        return is_number(value, schema.get("minimum", 0), schema.get("maximum", LARGEST), whole=_is_whole(schema))
    if kind == "array":
        return (
            isinstance(value, list)
            and len(value) >= schema.get("minItems", 0)
            and all(_fits(schema["items"], item) for item in value)
        )
    if kind == "object":
        return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    if kind == "boolean":
        return isinstance(value, bool)
    return isinstance(value, str) and value in schema.get("enum", (value,))


def _is_whole(schema: Schema) -> bool:
    return schema["type"] == "integer" or schema.get("multipleOf") == 1


def _expected(schema: Schema) -> str:
    """Say what fits."""
    kind = schema["type"]
    what = _WORDS["integer" if _is_whole(schema) else kind]
    if "enum" in schema:
        what = f"one of {', '.join(schema['enum'])}"
    elif kind in {"integer", "number"}:
        what += f" from {schema.get('minimum', 0)} to {schema.get('maximum', LARGEST)}"
    elif kind == "array":
        items = schema["items"].get("enum")
        what = f"a list of {', '.join(items)}" if items else what
        what += ", at least one" if schema.get("minItems") else ""
    note = schema.get("description")
    return f"send {what}" + (f": {note[:1].lower()}{note[1:]}" if note else "")
