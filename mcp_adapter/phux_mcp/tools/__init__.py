"""The implementation of the tools, by theme, and the table of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_mcp.tools.arranging import TOOLS as ARRANGING
from phux_mcp.tools.driving import TOOLS as DRIVING
from phux_mcp.tools.history import TOOLS as HISTORY
from phux_mcp.tools.reading import TOOLS as READING

if TYPE_CHECKING:
    from phux_mcp.catalog import Tool

_FIRST = ("phux_ls", "phux_snapshot", "phux_send_keys", "phux_run", "phux_wait", "phux_new")


def _place(tool: Tool) -> int:
    return _FIRST.index(tool.name) if tool.name in _FIRST else len(_FIRST)


TOOLS: tuple[Tool, ...] = tuple(sorted((*READING, *HISTORY, *DRIVING, *ARRANGING), key=_place))
"""Every tool of phux, in order: those of the first revision in its order, then by theme."""

INSTRUCTIONS = """\
phux keeps real terminals that outlive this conversation. A session has windows, a window has panes; a pane is a
terminal with a program in it, usually a shell that keeps its directory and variables from call to call. People may
look at the same panes; reading and typing never resize them.

A target is NAME (a session), NAME:WINDOW, NAME:WINDOW.PANE, @ID (a pane), `.` (the pane this host runs in, else the
focused one) or `=` (the last focused session).

- Begin with phux_ls or phux_tree. Make a session of your own with phux_new; do not type into somebody else's.
- A command with an end: phux_run. It gives exit code and output; cd and export persist. `busy` means that another
  program has the terminal.
- A command without an end (a server, a watcher): phux_run with detach, then phux_wait for the line that says it is
  ready, and phux_logs or phux_search later.
- A program you talk to (a REPL, an editor, a menu): phux_act types keys, waits, and gives only what changed.
- Wait with phux_wait for a text, a state or rest, instead of looking again and again. The state tells what a pane
  does: prompt, running, awaiting_input, awaiting_secret, fullscreen or dead. Leave secrets to the person.
- Reads tell `seq`; give it back as `since`, and you get only what is new.
- Results are cut to a budget; they say what is left out and which call gets it.
"""
