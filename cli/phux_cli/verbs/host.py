"""host: check or prepare another machine for `phux --host DEST`.

`check` logs in to DEST, and prints one line for each step to its server, with a remedy if it fails. `install` installs
this version of phux there, in ~/.local/share/phux. Neither starts a server.

Exit status: 0 if DEST can be used, else 1.
"""

import argparse

from phux_cli.output import show
from phux_cli.usage import UsageError

USAGE = "(check | install) DEST [--json]"
JSON = "a Checks document"
EXAMPLES = ("phux host check nowhere.invalid || true",)
HERE_ONLY = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", metavar="ACTION", choices=("check", "install"), help="check or install")
    parser.add_argument("destination", metavar="DEST", help="the machine, as ssh reaches it")


def run(options: argparse.Namespace) -> int:
    from phux_cli.connection import log_in
    from phux_client.remote import checking
    from phux_core.hosts import LOCAL, server_address

    if options.destination == LOCAL:
        raise UsageError("`local` is this machine", remedy="use `phux doctor`")
    options.socket = server_address(None, options.destination)
    if options.action == "install":
        from phux_client.remote.installing import install

        log_in(options)
        install(options.socket)
    document = checking.examine(options.socket)
    lines = []
    for check in document["checks"]:
        remedy = f"; {check['remedy']}" if check["remedy"] else ""
        lines.append(f"{'ok  ' if check['ok'] else 'BAD '} {check['name']}: {check['message']}{remedy}")
    show(options, document, *lines)
    return 0 if document["ok"] else 1
