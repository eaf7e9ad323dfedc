"""mcp: serve phux to an MCP host on stdin and stdout until stdin ends. The same as phux-mcp.

--safety sets the highest tier of tools: read-only, mutating (the default) or destructive. Higher tiers are not listed.
--profile serves the tools of another system, tmux or terminally. --schema prints the tool catalog.
A tool that needs a server starts one, except in revision 2024-11-05; --start and --no-start change that. --env sets a
variable for the shells of new sessions, unless the host does.

`setup` prints the configuration for a host (claude-code, claude-desktop, codex, cursor, vscode, gemini, opencode); with
--write, it merges the configuration into the host's file and keeps a backup. `check` tests the adapter as a host would,
in each revision of the protocol, and prints one result per line.
"""

import argparse
import os
import sys

USAGE = (
    "[setup [HOST] [--write] | check] [--safety TIER] [--profile NAME] [--[no-]start] [--env NAME=VALUE] [--schema] "
    "[--socket PATH]"
)
EXAMPLES = ("phux mcp --schema", "phux mcp setup codex", "phux mcp setup claude-code --safety read-only")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", metavar="WORD", nargs="*", help="`setup` and the name of a host, or `check`")
    parser.add_argument("--safety", metavar="TIER", help="read-only, mutating or destructive")
    parser.add_argument("--profile", metavar="NAME", help="phux, tmux or terminally")
    parser.add_argument("--start", action="store_const", const="--start", help="start a server if a tool needs one")
    parser.add_argument(
        "--no-start", action="store_const", const="--no-start", dest="start", help="never start a server"
    )
    parser.add_argument("--env", action="append", metavar="NAME=VALUE", help="set a variable unless the host does")
    parser.add_argument("--schema", action="store_true", help="print the tool catalog and exit")
    parser.add_argument("--write", action="store_true", help="with setup: merge the configuration into the host's file")


def run(options: argparse.Namespace) -> int:
    words = list(options.words)
    for name in ("safety", "profile", "socket"):
        if getattr(options, name) is not None:
            words += [f"--{name}", getattr(options, name)]
    words += filter(None, [options.start])
    for variable in options.env or ():
        words += ["--env", variable]
    words += [f"--{name}" for name in ("schema", "write") if getattr(options, name)]
    sys.stdout.flush()
    os.execv(sys.executable, [sys.executable, "-P", "-m", "phux_mcp", *words])  # noqa: S606  no shell is involved
