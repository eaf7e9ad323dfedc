"""The tools, by theme: importing a module registers its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_mcp.tools import reading, waiting, history, running, driving, arranging  # noqa: F401  isort: skip  in catalog order
from phux_mcp.tools.registry import TOOLS as _REGISTERED

if TYPE_CHECKING:
    from phux_mcp.catalog import Tool

_FIRST = ("phux_ls", "phux_snapshot", "phux_send_keys", "phux_run", "phux_wait", "phux_new")


TOOLS: tuple[Tool, ...] = tuple(
    sorted(_REGISTERED, key=lambda tool: _FIRST.index(tool.name) if tool.name in _FIRST else len(_FIRST))
)
"""Every tool of phux, in order: those of the first revision in its order, then by theme."""

INSTRUCTIONS = """\
phux keeps real terminals that outlive this conversation. A session has windows, a window has panes; a pane is a
terminal with a program in it, usually a shell that keeps its directory and variables between calls. People may use the
same panes; reading and typing never resize them.

A target is NAME (a session), NAME:WINDOW, NAME:WINDOW.PANE, @ID (a pane), `.` (the pane this host runs in, or else the
focused one) or `=` (the last focused session). Results name a pane by `target` (`@3`). Every tool also takes `socket`,
the path of another server's socket, and `host`, its machine as ssh reaches it.

- Start with phux_ls or phux_tree. Create your own session with phux_new; do not type into other people's sessions.
- For a command that ends: phux_run returns its exit code and output; cd and export persist. The error `busy` means that
  another program is running in the pane.
- A command that takes longer than 45 s, or waits for input, keeps running; phux_wait with its command_id waits on.
- For a command that keeps running (a server, a watcher): phux_run with detach, then phux_wait for the line that shows
  it is ready, and phux_logs or phux_search later.
- For an interactive program (a REPL, an editor, a menu): phux_act types keys, waits, and returns only the changes.
- Use phux_wait for a text, a state or silence instead of polling. The state of a pane is prompt, running,
  awaiting_input, awaiting_secret, fullscreen or dead. Never ask for a secret: let the
  person type it.
- Results contain `seq`; pass it as `since` in the next call to get only newer content.
- Long results are cut; a hint says how to get the rest.
- phux_commands and phux_search with everywhere, since and failed find what went wrong earlier, even in closed panes.
"""
