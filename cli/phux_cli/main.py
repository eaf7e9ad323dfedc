"""Run a verb and return its exit code. Import only modules that the verb needs, because `phux ls` is called often."""

import os
import sys

from phux_cli.verbs import VERBS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from types import ModuleType

    from phux_core.errors import PhuxError

_INTERRUPTED = 130
TARGETS = ("target", "targets", "session", "one", "other")
"""The arguments that name a session, a window or a pane, which may be qualified by a host."""


def main(argv: list[str] | None = None) -> int:
    """Run one command line of phux, and return the exit code."""
    arguments = sys.argv[1:] if argv is None else argv
    flags = arguments[: arguments.index("--")] if "--" in arguments else arguments
    as_json = "--json" in flags
    _prepare_streams()
    code = 0
    try:
        code = _run(arguments, as_json=as_json)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed the pipe
        from phux_cli.output import discard

        discard(sys.stdout)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:  # stdout cannot be written, for example because of a full disk
        from phux_cli.output import discard
        from phux_cli.usage import OutputError

        discard(sys.stdout)
        return _report(OutputError(f"cannot write the output: {error.strerror}"), as_json=as_json)
    return code


def _report(error: "PhuxError", *, as_json: bool) -> int:
    from phux_cli.output import print_error

    print_error(error, as_json=as_json)
    return error.exit_code


def _prepare_streams() -> None:
    """Open streams that the caller closed (`>&-`), before a socket gets one of their numbers; write UTF-8."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+" if number else "r", encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _run(arguments: list[str], *, as_json: bool) -> int:
    if arguments[:1] == ["help"] and len(arguments) > 1:
        arguments = [arguments[1], "--help"]  # an unknown verb is reported below
    if not arguments or arguments[0] in {"-h", "--help", "help"}:
        print(overview())
        return 0 if arguments else 2
    if arguments[0] in {"-V", "--version"}:
        from phux_core.version import __version__

        print(f"phux {__version__}")
        return 0
    if "--capabilities" in arguments and arguments[0] in {"--capabilities", "--json"}:
        from phux_cli.capabilities import show

        show(as_json=as_json)
        return 0
    from phux_core.errors import PhuxError
    from phux_core.paths import missing_runtime_directory

    try:
        name, words = _verb(arguments)
        module = load_verb(name)
        options = parse(name, module, words)
        _choose_server(module, options)
        if not as_json and name != "mcp" and hasattr(options, "socket"):  # phux-mcp prints its own warning
            problem = missing_runtime_directory(options.socket)
            if problem is not None:
                from phux_cli.output import print_on_stderr

                print_on_stderr(f"phux: {problem}")
        code: int = module.run(options)
        return code
    except PhuxError as error:
        return _report(error, as_json=as_json)


def _verb(arguments: list[str]) -> tuple[str, list[str]]:
    """Return the verb and its arguments; `--json`, `--socket PATH` and `--host DEST` may come before the verb."""
    shared: list[str] = []
    while arguments and (arguments[0] == "--json" or arguments[0].partition("=")[0] in {"--socket", "--host"}):
        count = 2 if arguments[0] in {"--socket", "--host"} else 1
        shared, arguments = [*shared, *arguments[:count]], arguments[count:]
    name, words = (arguments or [""])[0], [*shared, *arguments[1:]]
    if name not in VERBS or "-t" in words:
        from phux_cli import tmux_forms

        before = name
        name, words = tmux_forms.verb_form(name, words)
        if name not in VERBS:
            from phux_cli.usage import UsageError, similar

            remedy = tmux_forms.instead(before) or f"{similar(name, VERBS)}`phux --help` lists the verbs"
            raise UsageError(f"there is no verb {name!r}", remedy=remedy)
    return name, words


def _choose_server(module: "ModuleType", options: "argparse.Namespace") -> None:
    """Set ``options.socket`` to the address of the server that the options and the targets name, unless it is local."""
    if not hasattr(options, "host"):
        return
    from phux_core import hosts

    host = options.host
    if getattr(module, "HERE_ONLY", False):
        from phux_cli.usage import UsageError

        if host not in {None, hosts.LOCAL}:
            raise UsageError("this verb works on this machine only", remedy=f"run it on {host}, with `ssh {host}`")
        host = hosts.LOCAL
    for name in (*TARGETS, "which"):
        value = getattr(options, name, None)
        if isinstance(value, str):
            host, rest = _take_host(value, host)
            setattr(options, name, rest)
        elif isinstance(value, list):
            for at, target in enumerate(value):
                host, value[at] = _take_host(target, host)
    elsewhere = os.environ.get("PHUX_HOST") or hosts.is_remote(os.environ.get("PHUX_SOCKET", ""))
    if host not in {None, hosts.LOCAL} or (elsewhere and (host is not None or not options.socket)):
        options.socket = hosts.server_address(options.socket, host)


def _take_host(target: str, host: str | None) -> tuple[str | None, str]:
    """Return the host of a target, which must be the one that was named before, and the target without it."""
    from phux_core import hosts

    named, rest = hosts.split_target(target)
    if named is None:
        return host, target
    if host not in {None, named}:
        from phux_cli.usage import UsageError

        raise UsageError(f"{target[:80]!r} is on another host than {host}", remedy="use one host at a time")
    return named, rest


def load_verb(name: str) -> "ModuleType":
    """Import a verb's module."""
    import importlib

    return importlib.import_module(f"phux_cli.verbs.{name.replace('-', '_')}")


def parse(name: str, module: "ModuleType", words: list[str]) -> "argparse.Namespace":
    """Parse a verb's arguments; flags may appear anywhere before ``--``."""
    from phux_cli.usage import build_parser

    # Unlike in argparse, arguments after `--` are never flags.
    rest: list[str] = []
    if "--" in words:
        cut = words.index("--")
        words, rest = words[:cut], words[cut + 1 :]
    prepare = getattr(module, "prepare", None)
    if prepare is not None:
        words = prepare(words)
    parser = build_parser(name, module)
    # Only verbs with several positional arguments need argparse's slower parsing of intermixed flags.
    read = parser.parse_intermixed_args if parser.takes_several else parser.parse_args
    options = read(words if hasattr(module, "REST") or not rest else [*words, "--", *rest])
    options.rest = rest
    return options


def overview() -> str:
    """Return the overview of phux and its verbs."""
    width = max(len(name) for name in VERBS)
    lines = [
        "usage: phux VERB ...",
        "",
        "Create real terminals, and use them from programs.",
        "",
        *(f"  {name:<{width}}  {summary}" for name, summary in VERBS.items()),
        "",
        "`phux help VERB` describes a verb, and `phux --capabilities` this installation. TARGET is a session NAME, a",
        "window NAME:WINDOW, a pane NAME:WINDOW.PANE or @ID, `.` for the pane that phux runs in (or else the focused",
        "pane), or `=` for the last focused session.",
        "The server's socket is --socket, PHUX_SOCKET, $XDG_RUNTIME_DIR/phux/phux.sock or /tmp/phux-UID/phux.sock.",
        "With --host DEST, PHUX_HOST, or a TARGET such as DEST/NAME, it is another machine's server (docs/hosts.md).",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
