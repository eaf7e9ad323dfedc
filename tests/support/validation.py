"""Validate JSON documents against their schemas, without allowing unknown keys."""

from __future__ import annotations

import copy
import functools
import json
from typing import Any

import attrs
import jsonschema

from phux_core import schema


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    document = json.loads(schema.read(name))
    return jsonschema.Draft202012Validator(_closed(document))


def _closed(node: Any) -> Any:
    """Return the schema with unknown keys forbidden: readers must ignore them, but phux must not send them."""
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {key: _closed(value) for key, value in copy.copy(node).items()}
    if closed.get("type") == "object":
        closed["additionalProperties"] = False
    return closed


def validate(name: str, document: Any) -> None:
    """Raise ValidationError unless the document matches the named schema exactly."""
    _validator(name).validate(document)


def to_document(shape: Any) -> Any:
    """Convert a shape to the document that it was loaded from, without the fields that have no value."""
    if isinstance(shape, list):
        return [to_document(item) for item in shape]
    if not attrs.has(type(shape)):
        return shape
    values = {field: getattr(shape, field.name) for field in attrs.fields(type(shape))}
    return {
        field.name: to_document(value)
        for field, value in values.items()
        if field.default is not None or value is not None
    }
