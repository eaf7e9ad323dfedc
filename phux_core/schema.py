"""Generate JSON Schema (2020-12) from attrs classes, and load the files under schemas/.

``python -m phux_core.schema DIRECTORY`` writes the files; a test fails if they differ from the classes.
Loading is import-light: the shapes are imported only for generation.
"""

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

_HERE = os.path.dirname(os.path.abspath(__file__))
# The files are inside the package in a wheel, beside it in a checkout.
_PLACES = (os.path.join(_HERE, "schemas"), os.path.join(os.path.dirname(_HERE), "schemas"))


def names() -> list[str]:
    """Return the names of the schemas, such as ``screen-state.v3``.

    Example:
        >>> "screen-state.v3" in names()
        True
    """
    return sorted(name.removesuffix(".json") for name in os.listdir(_directory()) if name.endswith(".json"))


def read(name: str) -> str:
    """Return the text of a schema file, by a name such as ``screen-state.v3``; without a version, the newest.

    Case and punctuation are ignored, so ``ScreenState`` works, too.

    Raises:
        KeyError: There is no such schema.
    """
    wanted = _plain(name)
    matches = [known for known in names() if wanted in {_plain(known), _plain(known.partition(".")[0])}]
    if not matches:
        raise KeyError(name)
    newest = max(matches, key=lambda known: int(known.rpartition(".v")[2]))
    with open(os.path.join(_directory(), f"{newest}.json"), encoding="utf-8") as file:
        return file.read()


def _directory() -> str:
    return next(place for place in _PLACES if os.path.isdir(place))


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())


def generate() -> "dict[str, Schema]":
    """Return every schema, generated from the shapes, by file name."""
    from phux_core import shapes
    from phux_core.shapes import logs, results, screen, timeline, tree
    from phux_core.shapes.document import Document

    kinds = [kind for module in (logs, results, screen, timeline, tree) for kind in vars(module).values()]
    versioned = [kind for kind in kinds if hasattr(kind, "schema_version") and kind is not Document]
    documents = {_spelled(kind.__name__): kind for kind in (*versioned, shapes.Created)}
    return dict(_document(name, kind) for name, kind in (*documents.items(), ("event", shapes.Event)))


def _spelled(name: str) -> str:
    """Return the name of a schema: ``screen-state`` for ``ScreenState``."""
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name)[1:]


def _document(name: str, kind: "Any") -> "tuple[str, Schema]":
    import attrs

    definitions: Schema = {}
    schema = _type(kind, definitions)
    version = 1
    if attrs.has(kind):
        schema = definitions.pop(kind.__name__)
        field = attrs.fields_dict(kind).get("schema_version")
        version = 1 if field is None else int(field.default or 1)
    document: Schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:phux:schema:{name}:{version}",
        "title": "".join(part.capitalize() for part in name.split("-")),
        **schema,
    }
    if definitions:
        document["$defs"] = dict(sorted(definitions.items()))
    return f"{name}.v{version}.json", document


def _type(kind: "Any", definitions: "Schema") -> "Schema":
    import types
    import typing

    import attrs

    if attrs.has(kind):
        if kind.__name__ not in definitions:
            definitions[kind.__name__] = {}  # reserved, because it may refer to itself
            definitions[kind.__name__] = _object(kind, definitions)
        return {"$ref": f"#/$defs/{kind.__name__}"}
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if origin is typing.Literal:
        return {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
    if origin is list:
        return {"type": "array", "items": _type(arguments[0], definitions)}
    if origin in {typing.Union, types.UnionType}:
        return {"anyOf": [_type(argument, definitions) for argument in arguments]}
    simple = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}
    return {"type": simple[kind]}


def _object(kind: "Any", definitions: "Schema") -> "Schema":
    import attrs

    resolved = attrs.resolve_types(kind)
    summary = _read_docstring(kind.__doc__)[0]
    notes = descriptions(kind)
    properties = {}
    required = []
    for attribute in attrs.fields(resolved):
        schema = _type(attribute.type, definitions)
        if attribute.default is None:  # absent, but never null
            options = [option for option in schema["anyOf"] if option != {"type": "null"}]
            schema = options[0] if len(options) == 1 else {"anyOf": options}
        else:
            required.append(attribute.name)
        properties[attribute.name] = {**schema, "description": notes[attribute.name]}
    return {"description": summary, "type": "object", "properties": properties, "required": required}


def descriptions(kind: "type[Any]") -> "dict[str, str]":
    """Return the descriptions of a shape's fields, from its docstring and those of its base classes."""
    notes: dict[str, str] = {}
    for base in reversed(kind.__mro__[:-1]):
        notes |= _read_docstring(base.__doc__ or "")[1]
    return notes


def _read_docstring(text: str) -> "tuple[str, dict[str, str]]":
    """Return the summary and the attribute descriptions of a Google-style docstring."""
    head, _, attributes = text.partition("Attributes:")
    notes: dict[str, str] = {}
    for line in attributes.splitlines():
        name, colon, note = line.strip().partition(": ")
        if colon:
            notes[name] = note
    return head.strip().split("\n\n", maxsplit=1)[0], notes


def _write(directory: str) -> None:
    for name, schema in generate().items():
        with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
            file.write(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    _write(sys.argv[1])
