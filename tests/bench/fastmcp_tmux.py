"""A typical FastMCP server for tmux, with libtmux, for comparison in bench_mcp: ``python fastmcp_tmux.py SOCKET``."""

from __future__ import annotations

import sys
import time

import libtmux
from mcp.server.mcpserver import MCPServer

server = libtmux.Server(socket_path=sys.argv[1], config_file="/dev/null")
mcp = MCPServer("tmux")
runs = 0


@mcp.tool()
def tmux_ls() -> dict:
    """List the sessions."""
    sessions = [
        {
            "name": session.session_name,
            "windows": int(session.session_windows),
            "attached": session.session_attached != "0",
        }
        for session in server.sessions
    ]
    return {"sessions": sessions}


@mcp.tool()
def tmux_run(target: str, command: str) -> dict:
    """Run a command in a session's shell, and return its exit code."""
    global runs
    runs += 1
    pane = server.sessions.get(session_name=target).active_pane
    pane.send_keys(f"{command}; echo done-{runs}-$?")
    mark = f"done-{runs}-"
    while True:
        for line in pane.capture_pane():
            if line.startswith(mark):
                return {"exit_code": int(line.removeprefix(mark))}
        time.sleep(0.02)


mcp.run()
