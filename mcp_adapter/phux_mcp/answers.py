"""What tools answer: a text for the model, and structured content beside it."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING, Any

from phux_core.errors import NoServerError

if TYPE_CHECKING:
    from phux_core.errors import PhuxError
    from phux_mcp.revisions import Revision

    Document = dict[str, Any]

LONGEST_LINE = 200
"""Characters that are told of a row which only shows where a program stands."""
LONGEST_MATCH = 1000
"""Characters that are told of what the caller knows or has waited for: a command, a line, what is wrong with it."""


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
    """Say in one sentence what happened, and what to do, in the words of tools."""
    message = clipped(error.message, LONGEST_MATCH)
    if not error.remedy:
        return message
    # Who starts a server is a person, at a terminal.
    remedy = error.remedy if isinstance(error, NoServerError) else in_tools(error.remedy)
    return f"{message}; {remedy}"


def in_tools(text: str) -> str:
    """Say in the words of tools what an error says in those of the command line."""
    for words, instead in _INSTEAD.items():
        text = text.replace(words, instead)
    text = _KEYS.sub(_as_call, text)
    return _VERB.sub(lambda match: f"phux_{match[1].replace('-', '_')}", text)


def _as_call(match: re.Match[str]) -> str:
    keys = json.dumps(shlex.split(match[2]))
    return f"phux_send_keys with target {match[1]} and keys {keys}" if match[2] else f"phux_send_keys to {match[1]}"


# Remedies that only the command line has, and what a model has instead.
_INSTEAD = {
    "or let the command wait for the prompt with --queue": "or end it with phux_signal",
    "wait for it (phux wait)": 'wait for it (phux_wait with state ["prompt"])',
    "signal the shell itself with --shell (shell=True)": "nothing needs to be ended there",
    "`phux logs --list` lists the logs": "phux_tree lists the panes, phux_commands what ran",
    "or end the old session with `phux kill NAME`": "or use that one",
    "with --lines, --since or --session": "with lines, since or session",
    "with --socket or PHUX_SOCKET": "with socket",
    "with --socket": "with socket",
    "with --timeout (timeout_s)": "with timeout_secs",
}
_KEYS = re.compile(r"phux send-keys (@\d+)((?: (?:'[^']*'|C-c|reset|Enter))*)")
_VERB = re.compile(r"`?phux (ls|tree|snapshot|wait|logs|search|commands|run|new|split|resize)\b(?: [A-Z]+)?`?")


def clipped(text: str, most: int = LONGEST_LINE) -> str:
    """Cut a text that is only a hint, and show that it is cut."""
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"


def failure(text: str) -> Document:
    """Build the result of a call that failed, from a sentence."""
    return {"content": [{"type": "text", "text": text}], "isError": True}
