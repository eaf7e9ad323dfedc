"""The verbs, one module each, imported only when used.

A verb's module has ``run(options)``, which returns the exit code, and ``EXAMPLES``, command lines that its help shows
and that a test runs. It may have ``add_arguments(parser)``; ``JSON``, the document that ``--json`` prints; ``REST``,
the arguments after ``--``; ``USAGE``, if the generated usage line is not exact enough; ``prepare(words)``, which
changes the arguments before they are parsed; ``NEEDS_TERMINAL``; ``HERE_ONLY`` if it is about this machine, so that it
has no ``--host``; and ``ENDS_ON_SIGNAL`` if it runs until Ctrl-C.
"""

VERBS = {
    "new": "create a session and start a program",
    "attach": "show a session in this terminal",
    "detach": "detach other terminals from a session",
    "ls": "list the sessions",
    "tree": "show sessions, windows and panes",
    "new-window": "create a window in a session",
    "split": "split a pane in two",
    "select": "focus a session, window or pane",
    "rename": "rename a session or window",
    "resize": "resize a pane or window",
    "move": "move a pane or window",
    "swap": "exchange two panes or two windows",
    "zoom": "show a pane in the whole window",
    "layout": "arrange the panes of a window",
    "snapshot": "read a pane's screen",
    "send-keys": "type keys and text into a pane",
    "paste": "paste text into a pane",
    "mouse": "click, drag or scroll in a pane",
    "act": "type into a pane and print the effect",
    "run": "run a command and print its output",
    "start": "start a command without waiting for it",
    "signal": "send a signal to a pane's program",
    "stop": "stop the program running in a pane",
    "commands": "list commands that ran in panes",
    "output": "print the output of a command",
    "logs": "print the output of a pane",
    "replay": "play a recording of a pane",
    "export": "make a file that plays a recording",
    "search": "search the output of all panes",
    "history-limit": "set the scrollback size of a pane",
    "wait": "wait for a condition in a pane",
    "watch": "print events as they happen",
    "web": "show all panes live in a browser",
    "kill": "end a session, window, pane or the server",
    "status": "show server status",
    "doctor": "check the installation and the server",
    "upgrade": "replace the service by this release",
    "mcp": "serve phux to MCP hosts",
    "schema": "print the JSON schemas",
    "skill": "print a guide for models",
    "completion": "print a script for shell completion",
    "server": "run the server in the foreground",
    "cp": "copy a file to or from a server",
    "host": "check or prepare another machine",
    "fleet": "use several hosts at once",
    "proxy": "connect stdin and stdout to the server",
}
"""Every verb with its summary, in the order of the help."""
