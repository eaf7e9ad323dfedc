"""Tools that drive a program: type, run, act."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.calls import CALLS
from phux_core.conditions import CONDITIONS
from phux_core.keys import parse_key
from phux_core.kinds import BOOLEAN, TEXT, Param, list_of
from phux_mcp.answers import LONGEST_MATCH, clipped
from phux_mcp.budget import Budget
from phux_mcp.catalog import document
from phux_mcp.own_panes import refuse_own
from phux_mcp.tools.pointing import MOUSE, Gesture
from phux_mcp.tools.reading import CELLS, HIGHLIGHTS, changes_schema
from phux_mcp.tools.registry import TARGET, TIMEOUT, shared, tool
from phux_mcp.tools.running import last_line
from phux_mcp.tools.screens import within
from phux_mcp.tools.waiting import ONLY_OUTPUT, match_output_only

if TYPE_CHECKING:
    from phux_client.flows import Document
    from phux_mcp.calling import Call


_KEYS = Param(
    "keys",
    list_of(TEXT, "a list of strings, at least one", least=1),
    "key names (Enter, Tab, Up, C-c, M-x, F5) or text",
    required=True,
)
_LITERAL = Param("literal", BOOLEAN, "type key names as text")
_TARGET = TARGET.but(required=True)


@tool(
    "phux_send_keys",
    "Type keys",
    _TARGET,
    _KEYS,
    _LITERAL,
    output=lambda: document("sent"),
    seed="target keys",
    runs_programs=True,
)
async def send_keys(call: Call, target: str, keys: list[str], literal: bool = False) -> Document:
    """Type keys and text into a pane."""
    sent = await call.drive(flows.send_keys, target, keys, literal=literal, exact_case=True)
    if call.revision.seed:
        return {"sent": sent["sent"], "pane": sent["pane"]}
    return sent | _text_like_keys(keys, literal=literal)


@tool(
    "phux_paste",
    "Paste text",
    _TARGET,
    Param("text", TEXT, "the text to paste", required=True),
    output=lambda: document("sent"),
    runs_programs=True,
)
async def paste(call: Call, target: str, text: str) -> Document:
    """Paste text into a pane. Does not press Enter."""
    return await call.drive(flows.paste, target, text)


def _text_like_keys(words: list[str], *, literal: bool) -> Document:
    """Return a hint about words that were typed as text, although they are names of keys in another case."""
    if literal:
        return {}
    found = {word: parse_key(word) for word in words if parse_key(word, exact_case=True) is None}
    hints = [f'"{word}" was typed as text; the key is "{key}"' for word, key in found.items() if key is not None]
    return {"hint": ". ".join(hints)} if hints else {}


@tool(
    "phux_signal",
    "Send a signal",
    _TARGET,
    CALLS["signal"].params["signal"],
    output=lambda: document("signalled"),
    details="pgid pid through",
    destructive=True,
)
async def signal(call: Call, target: str, signal: str) -> Document:
    """Send a signal to the program in the foreground of a pane. Refused for the pane this host runs in."""
    phux = await call.phux()
    pane = await phux.drive(flows.find_pane(target, phux.caller))
    refuse_own("signal", "pane", pane, phux.caller.pane)
    return await call.drive(flows.signal, pane["id"], signal)


@tool(
    "phux_act",
    "Type, wait and read",
    _TARGET,
    _KEYS.but(required=False, kind=list_of(TEXT, "a list of strings")),
    MOUSE,
    _LITERAL,
    *shared(CONDITIONS, "until regex gone state stop idle_ms"),
    CONDITIONS["output_only"].but(omitted="true"),
    CALLS["snapshot"].params["since"].but(omitted="the one before typing"),
    HIGHLIGHTS,
    CELLS,
    TIMEOUT.but(default=30, omitted=""),
    output=changes_schema,
    details="cols rows title",
    runs_programs=True,
)
async def act(
    call: Call,
    target: str,
    timeout_secs: float,
    keys: list[str] | None = None,
    mouse: Document | None = None,
    literal: bool = False,
    since: int | None = None,
    cells: bool = False,
    highlights: bool = False,
    **wanted: Any,
) -> Document:
    """Use keys or the mouse, wait, and return the rows of the screen that changed.

    Only output after typing counts. Without a condition, waits until nothing was
    written for 300 ms.
    """
    keys, gesture = keys or [], None if mouse is None else Gesture(mouse)
    match_output_only(wanted)
    conditions = flows.Conditions(**wanted)
    options: Any = {
        "literal": literal,
        "exact_case": True,
        "since": since,
        "cells": cells or highlights,
        "timeout_s": timeout_secs,
    }
    if gesture is not None:
        caller = (await call.phux()).caller
        options["first"] = lambda pane: gesture.on(caller, pane, timeout_secs)
    async with call.progress.ticking(timeout_secs, partial(last_line, call, target)):
        changes = await call.drive(flows.act, target, keys, conditions, **options)
    if "met_line" in changes:
        changes["met_line"] = clipped(changes["met_line"], LONGEST_MATCH)
    if changes["outcome"] == "timed_out" and conditions.output_only:
        changes["hint"] = ONLY_OUTPUT
    return within(changes | _text_like_keys(keys, literal=literal), Budget(), cells=cells)
