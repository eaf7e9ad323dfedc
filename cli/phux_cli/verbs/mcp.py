"""mcp: serve phux to an MCP host on stdin and stdout, until stdin ends. The same as phux-mcp.

--safety says what the host may do: read-only, mutating (when omitted) or destructive; what is not allowed is not
listed. --profile serves the tools of another system: tmux or terminally. --schema prints the catalog of tools. `setup`
prints what a host (claude-code, claude-desktop, codex, cursor, vscode, gemini, opencode) wants in its configuration,
and with --write merges it there, keeping a backup. `check` plays a host in each revision of the protocol, and prints a
verdict a line.
"""

import argparse
import os
import sys

USAGE = "[setup [HOST] [--write] | check] [--safety TIER] [--profile NAME] [--schema] [--socket PATH]"
EXAMPLES = ("phux mcp --schema", "phux mcp setup codex", "phux mcp setup claude-code --safety read-only")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what it takes: whatever phux-mcp does."""
    parser.add_argument("words", metavar="WORDS", nargs="*", help=argparse.SUPPRESS)


def prepare(words: list[str]) -> list[str]:
    """Leave every word to phux-mcp, but a cry for help."""
    return words if words in (["-h"], ["--help"]) else ["--", *words]


def run(options: argparse.Namespace) -> int:
    """Become phux-mcp."""
    sys.stdout.flush()
    words = [*options.words, *options.rest]
    os.execv(sys.executable, [sys.executable, "-P", "-m", "phux_mcp", *words])  # noqa: S606  a shell has no business here
