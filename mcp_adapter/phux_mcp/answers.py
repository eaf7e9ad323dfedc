"""What tools answer: a text for the model, structured content beside it, and how much of either."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from phux_core.errors import PhuxError
    from phux_mcp.revisions import Revision

    Document = dict[str, Any]

BUDGET = 32_000
"""Bytes that a result may have unless its caller asks for more: less than 10,000 tokens, whatever the language."""


class Answer:
    """What a tool answers.

    Attributes:
        text: For the model to read.
        structured: The same as data, complete in itself; None for tools that only have text.
    """

    __slots__ = ("structured", "text")

    def __init__(self, structured: Document | None, text: str | None = None) -> None:
        self.structured = structured
        self.text = pretty(structured) if text is None else text


def pretty(document: object) -> str:
    """Write a document as people read it."""
    return json.dumps(document, indent=2, ensure_ascii=False)


def size(document: object) -> int:
    """Count the bytes that a document has as text."""
    return len(pretty(document).encode("utf-8", "replace"))


def to_result(answer: Answer, revision: Revision) -> Document:
    """Build the result of a call."""
    result: Document = {"content": [{"type": "text", "text": answer.text}]}
    if revision.structured and answer.structured is not None:
        result["structuredContent"] = answer.structured
    result["isError"] = False
    return result


def to_failure(error: PhuxError) -> Document:
    """Build the result of a call that failed: one that the model can read and act upon."""
    return failure(explain(error))


def explain(error: PhuxError) -> str:
    """Say in one sentence what happened, and what to do."""
    return f"{error.message}; {error.remedy}" if error.remedy else error.message


def failure(text: str) -> Document:
    """Build the result of a call that failed, from a sentence."""
    return {"content": [{"type": "text", "text": text}], "isError": True}


def newest_that_fit(rows: list[str], budget: int) -> int:
    """Say from which row on the rest fits into so many bytes."""
    for index in range(len(rows) - 1, -1, -1):
        budget -= len(rows[index].encode("utf-8", "replace")) + _ROW_COST
        if budget < 0:
            return index + 1
    return 0


# What a string in a list costs besides its characters: quotes, comma, newline, indent.
_ROW_COST = 8
