"""proxy: connect stdin and stdout to the server's socket, for clients on other machines.

First prints a line with TEXT, after which everything is the stream of the server (docs/wire.md). `phux --host DEST`
runs this verb on DEST through ssh.

Exit status: 0 if either side closed the connection, 1 if no server is running.
"""

import argparse
import os

EXAMPLES = ("phux proxy --start </dev/null",)
HERE_ONLY = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--preamble", metavar="TEXT", help="the text of the first line; random when omitted")
    parser.add_argument("--start", action="store_true", help="start a server if none is running")


def run(options: argparse.Namespace) -> int:
    from phux_client.remote.proxy import serve
    from phux_core.paths import socket_path

    return serve(socket_path(options.socket), options.preamble or os.urandom(8).hex(), start=options.start)
