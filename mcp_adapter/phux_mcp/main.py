"""Serve a host on stdin and stdout, or run one of the commands for people."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import TYPE_CHECKING

from phux_core.errors import PhuxError
from phux_core.paths import missing_runtime_directory
from phux_core.printable import printable
from phux_mcp.environment import complete

if TYPE_CHECKING:
    import argparse
    from typing import NoReturn

    from phux_mcp.catalog import Toolset

# The time for running calls to finish after the host has closed our stdin.
_GRACE_S = 0.5
_FLUSH_S = 1.0
PROFILES = ("phux", "tmux", "terminally")


def main(argv: list[str] | None = None) -> int:
    """Serve a host until it closes the pipe, or run the command in the arguments; return the exit code."""
    try:
        options = _parse(sys.argv[1:] if argv is None else argv)
        complete(options.env)
        problem = missing_runtime_directory(options.socket)
        if problem is not None:
            print(printable(f"phux-mcp: {problem}"), file=sys.stderr)
        if options.verb is not None:
            code: int = importlib.import_module(f"phux_mcp.{options.verb}").main(options)
            return code
        toolset = load_toolset(options.profile, options.safety)
        if options.schema:
            from phux_mcp.answers import pretty
            from phux_mcp.revisions import NEWEST

            print(pretty({"tools": toolset.listing(NEWEST)}))
            return 0
        import asyncio

        start = options.start
        if start is None and options.profile != "phux":
            start = True  # in every revision
        elif start is None and options.safety == "read-only":
            start = False  # nothing could be created on the new server
        return asyncio.run(_serve(toolset, start=start, socket=options.socket))
    except PhuxError as error:
        for text in filter(None, (error.message, error.remedy)):
            print(printable(f"phux-mcp: {text}"), file=sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, BrokenPipeError):
        return 0


def load_toolset(profile: str, safety: str | None) -> Toolset:
    """Return the tools to serve; by default, profiles include all tools of the system they replace."""
    from phux_mcp.catalog import Toolset

    is_own = profile == "phux"
    module = importlib.import_module("phux_mcp.tools" if is_own else f"phux_mcp.profiles.{profile}")
    safety = safety or ("mutating" if is_own else "destructive")
    return Toolset(module.TOOLS, module.INSTRUCTIONS, safety=safety, beside_tools=is_own)


async def _serve(toolset: Toolset, *, start: bool | None, socket: str | None) -> int:
    """Serve stdin and stdout."""
    import asyncio

    from phux_mcp.links import Links
    from phux_mcp.server import Server
    from phux_mcp.streams import Input, Output

    loop = asyncio.get_running_loop()
    ended: asyncio.Future[bool] = loop.create_future()

    def end(*, at_once: bool) -> None:
        if not ended.done():
            ended.set_result(at_once)

    def hold_back(full: bool) -> None:
        if full:
            source.pause()
        else:
            source.resume()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, lambda: end(at_once=True))
    links = Links(start=start, socket=socket)
    stdout = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # only the protocol uses stdout
    sink = Output(loop, stdout, hold_back, lambda: end(at_once=True))
    server = Server(toolset, links, sink.write, lambda: sink.is_full)
    source = Input(loop, sys.stdin.fileno(), server.take_line, lambda: end(at_once=False))
    source.resume()
    at_once = await ended
    source.pause()
    if not at_once and server.running:
        await asyncio.wait(server.running, timeout=_GRACE_S)
        await asyncio.sleep(0)  # the callbacks of finished calls send their replies
    await server.close()
    await links.close()
    sink.finish(_FLUSH_S)
    return 0


def _parse(words: list[str]) -> argparse.Namespace:
    if not words:  # started by a host: no parser is needed
        from types import SimpleNamespace

        defaults = {"verb": None, "socket": None, "schema": False, "profile": "phux", "safety": None}
        return SimpleNamespace(**defaults, start=None, env=None)  # type: ignore[return-value]
    return _parser().parse_args(words)


def _parser() -> argparse.ArgumentParser:
    import argparse

    from phux_mcp.catalog import SAFETY
    from phux_mcp.setup import HOSTS

    class UsageError(PhuxError):
        code = "usage"
        exit_code = 2

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise UsageError(message, remedy=f"`{self.prog} --help` describes the arguments")

    def add_common(parser: argparse.ArgumentParser, default: object) -> None:
        parser.add_argument(
            "--safety",
            choices=SAFETY,
            default=default,
            help="list tools up to this tier; mutating when omitted, destructive with another profile",
        )
        parser.add_argument(
            "--profile", choices=PROFILES, default=default or "phux", help="the tools to serve; phux when omitted"
        )
        parser.add_argument("--socket", metavar="PATH", default=default, help="the server's socket")
        parser.add_argument(
            "--start",
            action=argparse.BooleanOptionalAction,
            default=default,
            help="start a server if a tool needs one and none is running; on when omitted, except in 2024-11-05 and "
            "with --safety read-only",
        )
        parser.add_argument(
            "--env",
            action="append",
            metavar="NAME=VALUE",
            default=default,
            help="set a variable unless the host does; setup writes those of your shell",
        )

    parser = Parser(
        prog="phux-mcp",
        description="Serve phux to an MCP host on stdin and stdout until stdin ends.",
        allow_abbrev=False,
    )
    add_common(parser, None)
    parser.add_argument("--schema", action="store_true", help="print the tool catalog and exit")
    verbs = parser.add_subparsers(dest="verb", metavar="[setup | check]", parser_class=Parser)
    setup = verbs.add_parser("setup", help="print a host's configuration, or merge it", allow_abbrev=False)
    setup.add_argument("host", nargs="?", choices=list(HOSTS), help="the host; all hosts when omitted")
    setup.add_argument(
        "--write", action="store_true", help="merge the configuration into the host's file; keep a backup"
    )
    add_common(setup, argparse.SUPPRESS)
    check = verbs.add_parser("check", help="test this adapter as a host would, in each revision", allow_abbrev=False)
    add_common(check, argparse.SUPPRESS)
    return parser
