"""The verbs, one module each, imported only when used.

A verb's module has ``USAGE``, ``add_arguments(parser)``, ``run(options) -> exit code``, and ``EXAMPLES``: command lines
that its help shows and that a test runs. One that takes several positional arguments sets ``INTERMIXED``, one that
needs a terminal ``NEEDS_TERMINAL``.
"""

VERBS = {
    "new": "make a session and start a program in it",
    "attach": "show a session in this terminal",
    "detach": "end what other terminals show of a session",
    "ls": "list the sessions",
    "tree": "show sessions, windows and panes",
    "new-window": "make a window in a session",
    "split": "split a pane in two",
    "select": "give a pane, a window or a session the focus",
    "rename": "give a session or a window another name",
    "resize": "change the size of a pane or a window",
    "move": "put a pane or a window somewhere else",
    "swap": "let two panes or two windows change places",
    "zoom": "give a pane the whole window for a while",
    "layout": "lay the panes of a window out",
    "snapshot": "read a pane's screen",
    "send-keys": "type keys and text into a pane",
    "paste": "paste text into a pane",
    "act": "type into a pane, wait, and tell what changed",
    "run": "run a command in a pane and tell what it did",
    "start": "start a command in a pane and leave it to itself",
    "signal": "send a signal to what runs in a pane",
    "stop": "end what runs in a pane",
    "commands": "list what ran in panes",
    "output": "print what a command wrote",
    "logs": "print what a pane wrote",
    "search": "look for a pattern in what all panes wrote",
    "history-limit": "change how much history a pane keeps",
    "wait": "wait until something is true of a pane",
    "watch": "print events as they happen",
    "kill": "end a session, a window, a pane or the server",
    "status": "tell how the server is",
    "doctor": "check that everything is in order",
    "mcp": "serve phux to an MCP host, and set hosts up",
    "schema": "print the JSON schemas",
    "server": "run the server in the foreground",
}
"""Every verb and what it does, in the order help lists them."""
