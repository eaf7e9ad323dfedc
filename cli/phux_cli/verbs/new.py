"""new: create a session with one pane and start a shell in it, or COMMAND if given after `--`.

Starts a server if none is running. On a terminal, attaches to the session (see attach) unless -d or --json is given or
the terminal is itself a pane. Otherwise returns as soon as the program is running. If COMMAND cannot be executed, no
session is created. --json requires -s NAME. With -A, a session of that name that exists already is used instead.
"""

import argparse
import os

from phux_cli.connection import connection
from phux_cli.output import print_on_stderr
from phux_cli.output import show as show_result
from phux_cli.usage import add_params, add_program, parse_size, program
from phux_client import flows
from phux_core.calls import CALLS
from phux_core.errors import BadNameError, NameInUseError

REST = "COMMAND..."
JSON = 'a Created document: {"session", "terminal_id"}'
EXAMPLES = (
    "phux new -s build --json",
    "phux new -s logs -c /var/log --size 120x40 --json -- tail -f /dev/null",
    "phux new -s notes -n editor -e EDITOR=vi --json",
    "phux new -s login --shell /bin/sh --login",
    "phux new -A -s work -d",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    params = CALLS["new_session"].params
    add_params(parser, params, "-s --name NAME", "-n --window-name NAME")
    add_program(parser, params | {"cwd": params["cwd"].but(required=False, omitted="this directory")})
    parser.add_argument("--size", metavar="COLSxROWS", help="the size of the terminal; 80x24 when omitted")
    parser.add_argument("-d", "--detached", action="store_true", help="do not attach to the session")
    parser.add_argument("-A", "--existing", action="store_true", help="use the session NAME if it exists")
    add_params(parser, params, "--login", "--shell PATH", "--no-log", "--no-history")


def run(options: argparse.Namespace) -> int:
    size = None if options.size is None else parse_size(options.size)
    settings = None
    if not options.json and not options.detached and _has_terminal():
        from phux_cli.attaching import prepare, show
        from phux_client.tui import window_area

        settings = prepare()
        size = size or window_area(settings)
    # Parse before starting a server: invalid arguments must create nothing.
    flow = flows.new(
        connection(options).caller,
        options.name,
        window_name=options.window_name,
        size=size,
        shell=options.shell,
        login=options.login,
        log=options.log,
        history=options.history,
        **program(options),
    )
    if options.name is None and (options.json or options.existing):
        flag = "--json" if options.json else "-A"
        raise BadNameError(f"{flag} requires a session name", remedy="add -s NAME")
    done = "created session"
    with connection(options, start=True) as phux:
        try:
            made = phux.drive(flow)
        except NameInUseError:
            if not options.existing:
                raise
            found = phux.drive(flows.find(options.name, phux.caller))
            made = {"session": options.name, "session_id": found.node["id"], "pane_id": found.pane["id"]}
            done = "found session"
        socket = phux.socket
        unclean_end = (phux.started or {}).get("unclean_end")
    if unclean_end is not None:
        from phux_client.unclean import REMEDY, describe_unclean_end

        print_on_stderr(f"phux: {describe_unclean_end(unclean_end)}", f"phux: {REMEDY}")
    if settings is not None:
        return show(socket, made["session_id"], settings)
    document = {"session": made["session"], "terminal_id": made["pane_id"]}
    return show_result(options, document, f"{done} {made['session']!r}, pane @{made['pane_id']}")


def _has_terminal() -> bool:
    """Return whether a session can be shown here: the terminal can draw, and is not a pane."""
    return (
        os.isatty(0)
        and os.isatty(1)
        and os.environ.get("TERM", "dumb") not in {"", "dumb", "unknown"}
        and not os.environ.get("PHUX_PANE")
    )
