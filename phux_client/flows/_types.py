"""The types of flows, in a module of their own because typing is slow to import."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from phux_client.flows._kinds import Deadline, NextEvent, Request

Document: TypeAlias = dict[str, Any]
"""A JSON document, as in the schemas."""
Result = TypeVar("Result")
Step: TypeAlias = "Request | NextEvent | Deadline"
"""A step that a flow yields."""
Flow: TypeAlias = Generator[Step, Any, Result]
"""A verb, as a generator without I/O: it yields steps, receives their results, and returns the verb's result."""
