"""What a browser may ask besides frames: type, resize, read the scrollback, the ledger and the past."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from phux_client.flows import Request
from phux_client.flows.log_reading import READ_S
from phux_client.flows.past_reading import past_screen_document
from phux_client.web.past import past_frame, summary
from phux_core.errors import BadRequestError, RefusedError

if TYPE_CHECKING:
    from phux_client.flows._types import Document, Flow
    from phux_client.web.access import Level

_WRITING = {"type": "input", "resize": "resize"}
_READING = {"freeze": "freeze", "rows": "frozen_rows", "thaw": "thaw"}
"""Requests that are passed on, and their calls; the phux server checks the parameters."""
_MOST_COMMANDS = 300
_OUTPUT_BYTES = 128 * 1024
_MOST_PAGES = 40
"""The pages of a timeline to read; a page has up to 10,000 entries."""


def flow_for(message: Document, level: Level) -> Flow[Document]:
    """Return the flow that answers a message of a browser.

    Raises:
        RefusedError: The browser may only watch.
        BadRequestError: There is no such request.
    """
    name = message.get("do")
    params = {key: value for key, value in message.items() if key not in {"ask", "do"}}
    if name in _WRITING and level != "control":
        raise RefusedError("this page may only watch", remedy="open the URL that allows control")
    match name:
        case "commands":
            return _commands(params)
        case "output":
            return _pass_on("output", params | {"max_bytes": _OUTPUT_BYTES})
        case "timeline":
            return _timeline(params)
        case "past":
            return _past(params)
    call = (_READING | _WRITING).get(str(name))
    if call is None:
        raise BadRequestError(f"a browser cannot ask for {name!r:.40}")
    return _pass_on(call, params)


def _pass_on(call: str, params: Document) -> Flow[Document]:
    reply: Document = yield Request(call, READ_S, **params)
    return reply


def _commands(params: Document) -> Flow[Document]:
    reply = yield from _pass_on("commands", params)
    return {"commands": reply["commands"][-_MOST_COMMANDS:]}


def _timeline(params: Document) -> Flow[Document]:
    pages = [(yield from _pass_on("timeline", params))]
    while pages[-1]["next"] is not None and len(pages) < _MOST_PAGES:
        pages.append((yield from _pass_on("timeline", params | {"cursor": pages[-1]["next"]})))
    return summary(pages, time.time())


def _past(params: Document) -> Flow[Document]:
    reply = yield from _pass_on("past_screen", params | {"cells": True})
    return past_frame(past_screen_document(reply))
