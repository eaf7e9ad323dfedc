"""new: make a session with one pane and start a program in it, the shell unless COMMAND is given after `--`.

Starts a server when none runs. On a terminal, shows it there (see attach), unless -d or --json is given or the terminal
is a pane already. Else returns when the program runs; a command that cannot be executed is an error and leaves nothing
behind. --json needs -s NAME.
"""

import os

from phux_cli.connection import connection
from phux_cli.output import print_document
from phux_cli.usage import add_json, add_socket, parse_size, parse_variables
from phux_client import flows
from phux_core.errors import BadNameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = (
    "[-s NAME] [-n NAME] [-c CWD] [-e K=V]... [--size COLSxROWS] [--login] [--shell PATH] [--no-log] [--no-history] "
    "[-d] [--json] [--socket PATH] [-- COMMAND...]"
)
EXAMPLES = (
    "phux new -s build --json",
    "phux new -s logs -c /var/log --size 120x40 --json -- tail -f /dev/null",
    "phux new -s notes -n editor -e EDITOR=vi --json",
    "phux new -s login --shell /bin/sh --login",
)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("-s", "--name", metavar="NAME", help="its name; the smallest free number when omitted")
    parser.add_argument("-n", "--window-name", metavar="NAME", help="its window's name; the program's when omitted")
    parser.add_argument("-c", "--cwd", metavar="CWD", help="where the program starts; this directory when omitted")
    parser.add_argument(
        "-e", "--env", metavar="K=V", action="append", default=[], help="a variable for the program; may be repeated"
    )
    parser.add_argument("--size", metavar="COLSxROWS", help="size of the terminal, 80x24 when omitted")
    parser.add_argument("-d", "--detached", action="store_true", help="do not show it in this terminal")
    parser.add_argument("--login", action="store_true", help="start the shell as a login shell")
    parser.add_argument("--shell", metavar="PATH", help="the shell to start; the config's or SHELL when omitted")
    parser.add_argument("--no-log", action="store_true", help="keep nothing that its panes write on disk")
    parser.add_argument("--no-history", action="store_true", help="keep its shells from the user's history file")
    add_json(parser, 'what was made as {"session", "terminal_id"}')
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Make it."""
    size = None if options.size is None else parse_size(options.size)
    settings = None
    if not options.json and not options.detached and _has_terminal():
        from phux_cli.attaching import prepare, show
        from phux_client.tui import window_area

        settings = prepare()
        size = size or window_area(settings)
    env = parse_variables(options.env)
    # Read before a server is started for it: bad input makes nothing.
    flow = flows.new(
        connection(options).caller,
        options.name,
        window_name=options.window_name,
        cwd=options.cwd,
        command=options.rest or None,
        env=env,
        size=size,
        shell=options.shell,
        login=options.login,
        log=False if options.no_log else None,
        history=False if options.no_history else None,
    )
    if options.json and options.name is None:
        raise BadNameError("--json makes a session only under a name of your choice", remedy="add -s NAME")
    with connection(options, start=True) as phux:
        made = phux.drive(flow)
        socket = phux.socket
    if settings is not None:
        return show(socket, made["session_id"], settings)
    if options.json:
        print_document({"session": made["session"], "terminal_id": made["pane_id"]})
    else:
        print(f"created session {made['session']!r}, pane @{made['pane_id']}")
    return 0


def _has_terminal() -> bool:
    """Tell whether a session can be shown here: there is a terminal that can draw, and it is no pane."""
    return (
        os.isatty(0)
        and os.isatty(1)
        and os.environ.get("TERM", "dumb") not in {"", "dumb", "unknown"}
        and not os.environ.get("PHUX_PANE")
    )
