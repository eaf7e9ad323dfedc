"""The types of flows, apart from what flows need at run time: typing is not light."""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from phux_client.flows._kinds import Deadline, NextEvent, Request

Document: TypeAlias = dict[str, Any]
"""A JSON document; the schemas describe them."""
Result = TypeVar("Result")
Step: TypeAlias = "Request | NextEvent | Deadline"
"""What a flow asks for next."""
Flow: TypeAlias = Generator[Step, Any, Result]
"""A verb, as a generator without I/O: it yields steps, is sent their results, and returns its own."""
