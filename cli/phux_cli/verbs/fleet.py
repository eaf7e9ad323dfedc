"""fleet: run a command on several hosts at once, or list or watch their sessions.

`run` runs CMD in a new session on every host, which is killed afterwards, and starts servers where none is running.
`ls` lists the sessions of every host, and `watch` prints their events until you press Ctrl-C. A host that fails has an
error, and the others continue. Put flags of CMD itself after `--`.

The hosts are those of --on, or else this machine (`local`) and every host of the config file. On a terminal, a table
shows the state of every host. Otherwise, each result is one line of JSON, as soon as it is there.

Exit status: for run, 0 if the command succeeded on every host, else 1; for ls, 0; for watch, 1 if the servers of all
hosts ended, 124 if the timeout expires.
"""

import argparse

from phux_cli.usage import TIMEOUT, UsageError, add_param
from phux_core import config, hosts

USAGE = "(run | ls | watch) [CMD...] [--on HOST] [--timeout SECS] [--json] [-- CMD...]"
REST = "CMD..."
JSON = 'one object per result and line, {"host", "result", "error", "remedy"}'
EXAMPLES = ("phux fleet run 'df -h /tmp'", "phux fleet ls --on local")
HERE_ONLY = True
ACTIONS = ("run", "ls", "watch")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", metavar="ACTION", choices=ACTIONS, help="run, ls or watch")
    parser.add_argument("words", metavar="CMD", nargs="*", help="a shell command line, or a program and its arguments")
    parser.add_argument(
        "--on",
        metavar="HOST",
        action="append",
        default=[],
        help="a host, or several separated by commas; may be repeated",
    )
    add_param(parser, TIMEOUT.but(doc="seconds for each command, or to watch"), "--timeout SECS")


def run(options: argparse.Namespace) -> int:
    from phux_cli import fleets
    from phux_cli.verbs.start import command_of

    if options.action == "run":
        return fleets.run(hosts_of(options), command_of(options), options.timeout, as_json=options.json)
    if options.words or options.rest:
        raise UsageError(f"`phux fleet {options.action}` takes no CMD", remedy="use `phux fleet run CMD`")
    if options.action == "watch":
        return fleets.watch(hosts_of(options), options.timeout, as_json=options.json)
    if options.timeout is not None:
        raise UsageError("`phux fleet ls` takes no --timeout", remedy="leave it out")
    return fleets.ls(hosts_of(options), as_json=options.json)


def hosts_of(options: argparse.Namespace) -> list[str]:
    """Return the hosts of the options; `--socket` is the socket of this machine."""
    if options.on:
        names = [name.strip() for words in options.on for name in words.split(",")]
    else:
        tables = config.load(config.config_path())["hosts"]
        assert isinstance(tables, dict)
        names = [hosts.LOCAL, *(name for name in tables if name != hosts.LOCAL)]
    if not options.socket:
        return names
    path = hosts.server_address(options.socket, hosts.LOCAL)
    return [path if name == hosts.LOCAL else name for name in names]
