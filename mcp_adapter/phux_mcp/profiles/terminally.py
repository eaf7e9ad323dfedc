"""``--profile terminally``: tabs of one managed session. A tab is a window, ``@N`` with phux's id."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.errors import BadRequestError, NoSuchTargetError, PaneClosedError, TimedOutError
from phux_mcp.catalog import STRING, an_object
from phux_mcp.own_panes import refuse_own
from phux_mcp.profiles import KINDS, make_tool
from phux_mcp.profiles.names import shown, shown_tree, stored

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from phux_client.flows import Document
    from phux_mcp.calling import Call
    from phux_mcp.catalog import Tool

    _Run = Callable[..., Awaitable[Document]]

INSTRUCTIONS = (
    "Terminal tabs that keep running, with logs of their output. Use create_tab, then execute_command for a short "
    "command, or start_process and read_logs_from_tab for a long-running one."
)
TOOLS: list[Tool] = []
"""The tools of Terminally MCP."""

_SESSION = "terminally"
_MODES = {False: "raw", True: "stripped"}
"""The mode of a log, by ``strip_ansi``."""
_TAB = an_object({"window_id": STRING, "name": STRING, "active": {"type": "boolean"}})
_STRIP = "boolean Strip ANSI sequences (default false)"
# Only the first of several concurrent calls of create_tab may create the session.
_creating = asyncio.Lock()
# The limit of set_history_limit, for later tabs.
_history: dict[str, int] = {}


async def _tabs(call: Call) -> list[Document]:
    tree = shown_tree(await call.drive(flows.tree))
    return next((session["windows"] for session in tree["sessions"] if session["name"] == _SESSION), [])


async def _pane_of(call: Call, window_id: str) -> Document:
    """Return the active pane of a tab."""
    for tab in await _tabs(call):
        if window_id == f"@{tab['id']}":
            return next((pane for pane in tab["panes"] if pane["active"]), tab["panes"][0])
    raise NoSuchTargetError(f"there is no tab {window_id!r:.80}", remedy="list_tabs lists them")


def _tool(
    description: str, gives: dict[str, str], safety: str = "mutating", *, runs_programs: bool = False, **takes: str
) -> Callable[[_Run], _Run]:
    """Register a function as a tool; see ``make_tool`` for the notation of parameters, and of results in ``gives``."""

    def register(run: _Run) -> _Run:
        async def answer(call: Call, **arguments: Any) -> Document:
            try:
                return await run(call, **arguments)
            except PaneClosedError as error:
                raise PaneClosedError(
                    f"the program in the tab {arguments.get('window_id')} has ended",
                    remedy="read its output with read_logs_from_tab, or open a new tab with create_tab",
                ) from error

        required = [key for key, note in gives.items() if note.split(" ")[0].endswith("!")]
        properties = {key: _schema(note) for key, note in gives.items()}
        output = {"type": "object", "properties": properties, "required": required}
        name = run.__name__.removeprefix("_")
        TOOLS.append(
            make_tool(
                name, description, answer, takes, safety=safety, runs_programs=runs_programs, output=lambda: output
            )
        )
        return run

    return register


def _schema(note: str) -> Document:
    kind, _, text = note.partition(" ")
    schema = {"type": "array", "items": _TAB} if kind == "tabs!" else KINDS[kind.removesuffix("!")].schema
    return {**schema, "description": text} if text else schema


@_tool(
    "Create a new terminal tab (tmux window)",
    {"window_id": "string! tmux window id, e.g., '@3'", "name": "string"},
    runs_programs=True,
    name="string Optional name for the tab",
    cwd="string Optional working directory for the shell",
    env="variables Optional environment variables",
    login="boolean Start shell as a login shell (e.g., zsh -l)",
)
async def _create_tab(call: Call, name: str | None = None, login: bool = False, **program: Any) -> Document:
    program["cwd"] = program.get("cwd") or (await call.phux()).caller.cwd
    if login:
        program["command"] = [os.environ.get("SHELL") or "/bin/sh", "-l"]
    name = stored(name) if name else None
    async with _creating:
        if any(pane["state"] != "dead" for tab in await _tabs(call) for pane in tab["panes"]):
            made = await call.drive(flows.new_window, _SESSION, name=name, select=True, **program)
        else:
            made = await call.drive(flows.new, _SESSION, window_name=name, history=False, **program)
    if "limit" in _history:
        pane = made["terminal_id"] if "terminal_id" in made else made["pane_id"]
        await call.drive(flows.history_limit, pane, _history["limit"])
    return {"window_id": f"@{made['window_id']}", "name": shown(made["window_name"])}


@_tool("List all terminal tabs", {"tabs": "tabs!"}, "read-only")
async def _list_tabs(call: Call) -> Document:
    tabs = await _tabs(call)
    return {"tabs": [{"window_id": f"@{tab['id']}", "name": tab["name"], "active": tab["active"]} for tab in tabs]}


@_tool(
    "Read recent logs from a tab\u2019s pipe-pane file; line-count oriented",
    {"content": "string!", "returned_lines": "number", "truncated": "boolean True if more lines existed than returned"},
    "read-only",
    window_id="string!",
    lines="number Number of lines to return from the end (default 500)",
    strip_ansi="boolean Remove ANSI sequences in returned content (default false)",
)
async def _read_logs_from_tab(call: Call, window_id: str, lines: float = 500, strip_ansi: bool = False) -> Document:
    pane = await _pane_of(call, window_id)
    read = await call.drive(flows.logs, pane["id"], lines=int(lines), mode=_MODES[strip_ansi])
    return {"content": read["content"], "returned_lines": read["returned_lines"], "truncated": read["truncated"]}


@_tool(
    "Execute a command in a tab and return only the output produced between START/END markers",
    {"output": "string!", "exit_code": "number", "timed_out": "boolean"},
    runs_programs=True,
    window_id="string!",
    command="string!",
    timeout_ms="number Max wait for END marker; non-zero required for bounded exec (default 10000)",
    strip_ansi=_STRIP,
)
async def _execute_command(
    call: Call, window_id: str, command: str, timeout_ms: float = 10_000, strip_ansi: bool = False
) -> Document:
    if not timeout_ms:
        raise BadRequestError("timeout_ms is 0, and a command must be bounded", remedy="send a number above 0")
    pane = (await _pane_of(call, window_id))["id"]
    options: Any = {"timeout_s": timeout_ms / 1000, "queue": True, "interrupt": True, "raw": not strip_ansi}
    try:
        ran = await call.drive(flows.run, pane, command, **options)
    except TimedOutError:
        read = await call.drive(flows.output, None, pane, mode=_MODES[strip_ansi])
        return {"output": read["content"], "timed_out": True}
    ended: Document = {"output": ran["output"].rstrip("\r\n"), "timed_out": False}
    return {**ended, "exit_code": ran["exit_code"]} if ran["exit_known"] else ended


@_tool(
    "Start a long-running process; returns immediately; logs stream to pipe-pane file",
    {"started": "boolean!"},
    runs_programs=True,
    window_id="string!",
    command="string!",
    append_newline="boolean Append newline (Enter) after typing command (default true)",
)
async def _start_process(call: Call, window_id: str, command: str, append_newline: bool = True) -> Document:
    pane = await _pane_of(call, window_id)
    await call.drive(flows.send_keys, pane["id"], [command, *(["\r"] if append_newline else [])], literal=True)
    return {"started": True}


@_tool(
    "Gracefully stop foreground process in given tab",
    {"success": "boolean!"},
    window_id="string!",
    signal="string One of SIGINT|SIGTERM; default SIGINT via C-c",
)
async def _stop_process(call: Call, window_id: str, signal: str = "SIGINT") -> Document:
    if signal not in {"SIGINT", "SIGTERM"}:
        raise BadRequestError(f"stop_process cannot send {signal!r:.80}", remedy="send SIGINT or SIGTERM")
    pane = await _pane_of(call, window_id)
    refuse_own("stop", "pane", pane, (await call.phux()).caller.pane)
    if signal == "SIGINT":
        await call.drive(flows.send_keys, pane["id"], ["C-c"])
    else:
        await call.drive(flows.signal, pane["id"], "TERM")
    return {"success": True}


@_tool(
    "Read logs by byte offsets for durable consumption",
    {"chunk": "string!", "next_byte": "number!", "eof": "boolean"},
    "read-only",
    window_id="string!",
    from_byte="number Start offset (default 0)",
    max_bytes="number Max bytes to read (default 65536)",
    strip_ansi=_STRIP,
)
async def _stream_logs_from_tab(
    call: Call, window_id: str, from_byte: float = 0, max_bytes: float = 65536, strip_ansi: bool = False
) -> Document:
    pane = await _pane_of(call, window_id)
    query = {"from_byte": int(from_byte), "max_bytes": int(max_bytes), "mode": _MODES[strip_ansi]}
    read = await call.drive(flows.logs, pane["id"], **query)
    return {"chunk": read["content"], "next_byte": read["next_byte"], "eof": read["eof"]}


@_tool("Close a terminal tab", {"success": "boolean!"}, "destructive", window_id="string!")
async def _close_tab(call: Call, window_id: str) -> Document:
    pane = await _pane_of(call, window_id)
    refuse_own("close", "pane", pane, (await call.phux()).caller.pane)
    await call.drive(flows.kill, ("window", int(window_id.removeprefix("@"))))
    return {"success": True}


@_tool("Set tmux history-limit for panes in the managed session", {"success": "boolean!"}, limit="number!")
async def _set_history_limit(call: Call, limit: float) -> Document:
    rows = int(limit)
    for tab in await _tabs(call):
        for pane in tab["panes"]:
            if pane["state"] != "dead":
                await call.drive(flows.history_limit, pane["id"], rows)
    _history["limit"] = rows
    return {"success": True}
