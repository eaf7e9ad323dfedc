"""``--profile tmux``: fourteen tools in tmux's terms. Sessions are $N, windows @N, panes %N, with phux's ids.

A failure is a text that begins with ``Error: `` and continues with tmux's message, or with phux's; never an exception.
"""

from __future__ import annotations

import os
import re
from datetime import datetime
from typing import TYPE_CHECKING, Any

from phux_client import flows
from phux_core.errors import NameInUseError, PhuxError
from phux_mcp.answers import Answer
from phux_mcp.own_panes import refuse_own
from phux_mcp.profiles import make_tool
from phux_mcp.profiles.names import shown, shown_tree, stored
from phux_mcp.profiles.tmux_targets import Found, Miss, active, by_name, panes_of, resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from phux_mcp.calling import Call
    from phux_mcp.catalog import Tool

    Arguments = dict[str, Any]
    Node = dict[str, Any]
    _Run = Callable[..., Coroutine[Any, Any, str]]

INSTRUCTIONS = (
    "tmux's own tools over phux. A target is session:window.pane, each part a name, an index or an id: "
    "$0 is a session, @1 a window, %2 a pane. Errors begin with `Error: `."
)


TOOLS: list[Tool] = []
"""The tools of tmux-mcp, in the order of its inventory."""


async def _find(call: Call, target: str, kind: str) -> Found:
    return resolve(shown_tree(await call.drive(flows.tree)), target, kind)


def _session_name(name: str) -> str:
    """Return the name that tmux gives a session: without the characters that separate the parts of a target."""
    if not name:
        raise Miss("invalid session: ")
    return stored(name.replace(":", "_").replace(".", "_"))


def _window_name(name: str | None) -> str | None:
    return stored(name) if name else None


def _shell_line(command: str | None) -> list[str] | None:
    """Return the argv of a command, which is a shell line in tmux."""
    return None if command is None else [os.environ.get("SHELL") or "/bin/sh", "-c", command]


def _tool(
    description: str, safety: str = "mutating", *, runs_programs: bool = False, **parameters: str
) -> Callable[[_Run], _Run]:
    """Register a function as a tool; see ``make_tool`` for the notation of parameters."""

    def register(run: _Run) -> _Run:
        async def answer(call: Call, **arguments: Any) -> Answer:
            try:
                return Answer(None, await run(call, **arguments))
            except Miss as miss:
                return Answer(None, f"Error: {miss}")
            except NameInUseError:
                name = _session_name(arguments["new_name" if "new_name" in arguments else "name"])
                return Answer(None, f"Error: duplicate session: {shown(name)}")
            except PhuxError as error:
                # phux calls a pane @N.
                message = _PANE_ID.sub(r"%\1", error.message)
                return Answer(None, f"Error: {message}")

        TOOLS.append(
            make_tool(
                f"tmux{run.__name__}",
                description,
                answer,
                parameters,
                safety=safety,
                runs_programs=runs_programs,
                error_prefix="Error: ",
            )
        )
        return run

    return register


_PANE_ID = re.compile(r"@(\d+)\b")
_WINDOW = 'string! Window target (e.g. "session:0", "@1").'
_PANE = 'string! Pane target (e.g. "session:window.pane", "%3").'


@_tool("List all sessions.", "read-only")
async def _list_sessions(call: Call) -> str:
    tree = shown_tree(await call.drive(flows.tree))
    lines = [
        f"${one['id']}\t{one['name']}\t{len(one['windows'])} windows\t{one['attached_clients']} attached"
        f"\t{int(datetime.fromisoformat(one['created_at']).timestamp())}"
        for one in by_name(tree)
    ]
    return "\n".join(lines) or "No sessions found."


@_tool(
    "Create a new tmux session.",
    runs_programs=True,
    name="string! Name for the new session.",
    command="string=null Optional command to run in the initial window.",
    window_name="string=null Optional name for the first window.",
)
async def _create_session(call: Call, name: str, command: str | None = None, window_name: str | None = None) -> str:
    options: Arguments = {"window_name": _window_name(window_name), "command": _shell_line(command), "history": False}
    made = await call.drive(flows.new, _session_name(name), **options)
    ids = f"session_id=${made['session_id']} window_id=@{made['window_id']} pane_id=%{made['pane_id']}"
    return f"Session '{name}' created. {ids}"


@_tool("Rename a session.", old_name="string! Current name or ID.", new_name="string! New name.")
async def _rename_session(call: Call, old_name: str, new_name: str) -> str:
    found = await _find(call, old_name, "session")
    await call.drive(flows.rename, ("session", found.session["id"]), _session_name(new_name))
    return f"Session renamed to '{new_name}'."


@_tool(
    "Kill a session, window or pane.",
    "destructive",
    target="string! What to kill.",
    type='string="pane" session, window or pane (default).',
)
async def _kill(call: Call, target: str, type: str = "pane") -> str:  # noqa: A002  the name in tmux-mcp
    if type not in {"session", "window", "pane"}:
        raise Miss("type must be 'session', 'window', or 'pane'.")
    node = getattr(await _find(call, target, type), type)
    refuse_own("kill", type, node, (await call.phux()).caller.pane)
    await call.drive(flows.kill, (type, node["id"]))
    return f"{type.capitalize()} '{target}' killed."


@_tool(
    "List all tmux windows. Optionally filter by session name or ID.",
    "read-only",
    session="string=null Session name or ID to filter by. If omitted, lists windows from all sessions.",
)
async def _list_windows(call: Call, session: str | None = None) -> str:
    tree = shown_tree(await call.drive(flows.tree))
    lines = [
        f"{one['name']}\t{window['index']}\t@{window['id']}\t{window['name']}\t{int(window['active'])}"
        f"\t{len(window['panes'])} panes\t%{active(window['panes'])['id']}"
        for one in ([resolve(tree, session, "session").session] if session else by_name(tree))
        for window in one["windows"]
    ]
    return "\n".join(lines) or "No windows found."


@_tool(
    "Create a new window in an existing tmux session.",
    runs_programs=True,
    session="string! Target session name or ID.",
    name="string=null Optional name for the new window.",
    command="string=null Optional command to run in the new window.",
)
async def _create_window(call: Call, session: str, name: str | None = None, command: str | None = None) -> str:
    found = (await _find(call, session, "session")).session["id"]
    made = await call.drive(flows.new_window, found, name=_window_name(name), command=_shell_line(command), select=True)
    ids = f"window_id=@{made['window_id']} window_index={made['window']} pane_id=%{made['terminal_id']}"
    return f"Window created in session '{session}'. {ids}"


@_tool("Switch to a window.", target=_WINDOW)
async def _select_window(call: Call, target: str) -> str:
    found = await _find(call, target, "window")
    await call.drive(flows.select, ("window", found.window["id"]))
    return f"Switched to '{target}'."


@_tool("Rename a window.", target=_WINDOW, new_name="string! New name.")
async def _rename_window(call: Call, target: str, new_name: str) -> str:
    found = await _find(call, target, "window")
    await call.drive(flows.rename, ("window", found.window["id"]), stored(new_name))
    return f"Window renamed to '{new_name}'."


@_tool(
    "List tmux panes with their IDs, dimensions, and status.",
    "read-only",
    target='string=null Session or window target (e.g. "mysession", "mysession:0"). If omitted, lists all panes.',
)
async def _list_panes(call: Call, target: str | None = None) -> str:
    tree = shown_tree(await call.drive(flows.tree))
    panes = list(panes_of(tree))
    if target:
        found = resolve(tree, target, "window")
        place, node = (0, found.session) if found.scope == "session" else (1, found.window)
        panes = [nodes for nodes in panes if nodes[place] is node]
    lines = [
        f"{session['name']}\t{window['index']}\t%{pane['id']}\t{pane['index']}\t{pane['cols']}x{pane['rows']}"
        f"\t{int(pane['active'])}\t{(pane['foreground'] or pane)['command']}"
        for session, window, pane in panes
    ]
    return "\n".join(lines) or "No panes found."


@_tool(
    "Split a window/pane to create a new pane.",
    runs_programs=True,
    target='string! Target window or pane to split (e.g. "session:window", "session:window.pane", or "%3").',
    horizontal="boolean=false If true, split horizontally (top/bottom). Default is vertical (left/right).",
    size='string=null Size of new pane: percentage (e.g. "50%") or line/column count (e.g. "20").',
    command="string=null Optional command to run in the new pane.",
)
async def _split_window(
    call: Call, target: str, horizontal: bool = False, size: str | None = None, command: str | None = None
) -> str:
    pane = (await _find(call, target, "pane")).pane["id"]
    side, shell = "down" if horizontal else "right", _shell_line(command)
    made = await call.drive(flows.split, pane, side, size=size, command=shell, select=True)
    return f"Pane created. pane_id=%{made['terminal_id']}"


@_tool("Select/focus a specific tmux pane.", target=_PANE)
async def _select_pane(call: Call, target: str) -> str:
    await call.drive(flows.select, (await _find(call, target, "pane")).pane["id"])
    return f"Selected pane '{target}'."


@_tool(
    "Resize a tmux pane. Use direction+amount for relative resize, or width/height for absolute resize.",
    target=_PANE,
    direction='string=null Direction to grow: "up", "down", "left", or "right".',
    amount="integer=5 Number of cells to resize by (default 5). Used with direction.",
    width="integer=null Absolute width in columns. Overrides direction/amount.",
    height="integer=null Absolute height in rows. Overrides direction/amount.",
)
async def _resize_pane(
    call: Call,
    target: str,
    direction: str | None = None,
    amount: int = 5,
    width: int | None = None,
    height: int | None = None,
) -> str:
    sizes: Arguments = {"cols": width, "rows": height}
    if width is None and height is None:
        if direction not in {"up", "down", "left", "right"}:
            raise Miss("direction must be 'up', 'down', 'left', or 'right'.")
        if amount < 1:
            raise Miss("adjustment too small")
        sizes = {"side": direction, "by": amount}
    found = await _find(call, target, "pane")
    await call.drive(flows.resize, found.pane["id"], **sizes)
    return f"Pane '{target}' resized."


@_tool(
    "Send keys to a pane.",
    runs_programs=True,
    target=_PANE,
    keys="string! A key such as Enter or C-c, or text.",
    literal="boolean=false Take a key's name as text.",
)
async def _send_keys(call: Call, target: str, keys: str, literal: bool = False) -> str:
    found = await _find(call, target, "pane")
    await call.drive(flows.send_keys, found.pane["id"], [keys], literal=literal)
    return "Keys sent."


@_tool(
    "Capture pane content.",
    "read-only",
    target=_PANE,
    line_count="integer=null The last row is this many rows after the first; the bottom of the screen by default.",
    start_line="integer=null First row: 0 is the top of the screen, negative rows are history.",
)
async def _read_pane(call: Call, target: str, line_count: int | None = None, start_line: int | None = None) -> str:
    found = await _find(call, target, "pane")
    screen = await call.drive(flows.snapshot, found.pane["id"], scrollback=0)
    rows, top = [*screen["scrollback"], *screen["lines"]], len(screen["scrollback"])

    def at(line: int) -> int:
        return min(max(0, top + line), len(rows) - 1)

    first = at(start_line or 0)
    last = len(rows) - 1 if line_count is None else at((start_line or 0) + line_count)
    return "".join(f"{row}\n" for row in rows[min(first, last) : max(first, last) + 1])
