"""The base class of documents."""

from __future__ import annotations

from typing import Literal

from attrs import frozen


@frozen(kw_only=True)
class Document:
    """Base class of documents in their first version.

    Attributes:
        schema_version: Version of this shape.
    """

    schema_version: Literal[1] = 1
