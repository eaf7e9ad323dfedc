"""The results of tools: a text for the model, and structured content."""

from __future__ import annotations

import json
import re
import shlex
from base64 import b64encode
from typing import TYPE_CHECKING

from phux_core.errors import NoServerError
from phux_core.printable import escaped, printable
from phux_mcp.targets import with_targets

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_client.flows import Document
    from phux_core.errors import PhuxError
    from phux_mcp.revisions import Revision

LONGEST_LINE = 200
"""The most characters of a row that only shows a program's state."""
LONGEST_MATCH = 1000
"""The most characters of a text that the caller knows or waited for: a command, a line, an error about it."""


class Answer:
    """The result of a tool: a text for the model, the same as data if the tool returns more than text, and an image."""

    __slots__ = ("image", "structured", "text")

    def __init__(self, structured: Document | None, text: str | None = None, *, image: bytes | None = None) -> None:
        self.structured = structured
        self.image = image
        self.text = pretty(structured) if text is None else text


def compact(document: object) -> str:
    """Format a document for a model."""
    return escaped(json.dumps(document, separators=(",", ":"), ensure_ascii=False))


def pretty(document: object) -> str:
    """Format a document for people."""
    return escaped(json.dumps(document, indent=2, ensure_ascii=False))


def to_result(found: Answer | Document, revision: Revision, text: Callable[[Document], str] | None = None) -> Document:
    """Return the result of a call.

    Args:
        text: Makes the text from the structured content, if the tool has not made it.
    """
    answer = found if isinstance(found, Answer) else Answer(found)
    if text is not None and answer.structured is not None:
        structured = with_targets(answer.structured)
        answer = Answer(structured, text(structured), image=answer.image)
    content: list[Document] = [_shown(answer.text)]
    if answer.image is not None:
        content.append({"type": "image", "data": b64encode(answer.image).decode(), "mimeType": "image/png"})
    if revision.structured and text is not None and (link := _link(answer.structured)) is not None:
        content.append(link)
    result: Document = {"content": content}
    if revision.structured and answer.structured is not None:
        result["structuredContent"] = answer.structured
    result["isError"] = False
    return result


def _link(document: Document | None) -> Document | None:
    """Return a link to the output of a command, if a result has only a part of it."""
    if document is None or not document.get("truncated"):
        return None
    command = document.get("command")
    command_id = command.get("command_id") if isinstance(command, dict) else document.get("command_id")
    return link_to_output(command_id) if isinstance(command_id, str) else None


def link_to_output(command_id: str) -> Document:
    """Return a link to the output of a command, for a result that has only a part of it."""
    return {
        "type": "resource_link",
        "uri": f"phux://command/{command_id}",
        "name": f"output of {command_id}",
        "title": f"Whole output of the command {command_id}",
        "mimeType": "text/plain",
    }


def to_failure(error: PhuxError, *, structured: bool) -> Document:
    """Return the result of a failed call, which the model can read and act on."""
    result: Document = {"content": [_shown(explain(error))], "isError": True}
    if structured:
        executed = {} if error.executed is None else {"executed": error.executed}
        message, remedy = _in_terms_of_tools(error)
        result["structuredContent"] = {"code": error.code, "message": message, "remedy": remedy, **executed}
    return result


def _shown(text: str) -> Document:
    """Return a text of a result; the host may print it on a terminal."""
    return {"type": "text", "text": printable(text)}


def explain(error: PhuxError) -> str:
    """Return one sentence about an error and its remedy, in terms of tools."""
    return "; ".join(filter(None, _in_terms_of_tools(error)))


def _in_terms_of_tools(error: PhuxError) -> tuple[str, str]:
    """Return the message and the remedy of an error."""
    # Only a person, at a terminal, starts a server that we may not start.
    remedy = _START if isinstance(error, NoServerError) else in_tools(error.remedy)
    return clipped(error.message, LONGEST_MATCH), remedy


def in_tools(text: str) -> str:
    """Translate an error message from terms of the command line to terms of tools."""
    for words, instead in _INSTEAD.items():
        text = text.replace(words, instead)
    text = _KEYS.sub(_as_call, text)
    return _VERB.sub(lambda match: f"phux_{match[1].replace('-', '_')}", text)


def _as_call(match: re.Match[str]) -> str:
    keys = json.dumps(shlex.split(match[2]))
    return f"phux_send_keys with target {match[1]} and keys {keys}" if match[2] else f"phux_send_keys to {match[1]}"


_START = "ask the person to start one with `phux new -d -s work`, or to let phux-mcp do so with --start"
# Remedies that only apply to the command line, and their equivalents for a model.
_INSTEAD = {
    "or pass --queue to wait for the prompt": "or end it with phux_signal",
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
    """Cut a text that is only a hint, and mark the cut."""
    return text if len(text) <= most else f"{text[: most - 1]}\u2026"
