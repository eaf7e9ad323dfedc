"""Validation of JSON documents by their schemas, which here allow no further keys."""

from __future__ import annotations

import copy
import functools
import json
from typing import Any

import jsonschema

from phux_core import schema


@functools.cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    document = json.loads(schema.read(name))
    return jsonschema.Draft202012Validator(_closed(document))


def _closed(node: Any) -> Any:
    """Return the schema without room for unknown keys: readers must ignore them, phux must not send them."""
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    closed = {key: _closed(value) for key, value in copy.copy(node).items()}
    if closed.get("type") == "object":
        closed["additionalProperties"] = False
    return closed


def validate(name: str, document: Any) -> None:
    """Fail unless the document has exactly the form of the named schema."""
    _validator(name).validate(document)
