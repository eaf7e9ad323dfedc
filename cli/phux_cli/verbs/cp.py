"""cp: copy a file to or from the machine of a server.

One of SOURCE and DEST is HOST:PATH, or :PATH on the machine of --host. There, a relative PATH begins at your home
directory. A file appears completely or not at all, with the permission bits of its source; symbolic links are not
followed. If a copy is interrupted, the same command continues it. A server is started if none is running.
"""

import argparse
import os
import sys

from phux_cli.connection import connection
from phux_cli.output import show
from phux_cli.usage import UsageError
from phux_core import hosts

JSON = 'an object with the path of the new file, {"path"}'
EXAMPLES = ("date > today && phux cp today :$PWD/copied && phux cp :$PWD/copied again",)
_BAR = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SOURCE", help="the file to copy")
    parser.add_argument("destination", metavar="DEST", help="the new file, or a directory for it")


def run(options: argparse.Namespace) -> int:
    from phux_client.blocking import files

    sides = [split(text) for text in (options.source, options.destination)]
    (source, is_get), (destination, is_put) = ((path, host is not None) for host, path in sides)
    if is_get == is_put:
        raise UsageError("exactly one of SOURCE and DEST is on a server", remedy="write it as HOST:PATH or :PATH")
    host = sides[0][0] or sides[1][0]
    if host:
        if options.host is not None:
            raise UsageError("the host is given twice", remedy="leave out --host")
        options.socket = hosts.server_address(options.socket, host)
    copy = files.get if is_get else files.put
    on_progress = progress if os.isatty(2) else None
    with connection(options, start=True) as phux:
        try:
            path = copy(phux, source, destination or ".", on_progress=on_progress)
        finally:
            if on_progress is not None:
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    return show(options, {"path": path}, path)


def split(text: str) -> tuple[str | None, str]:
    """Split HOST:PATH; the host is empty in :PATH, and None for a local path.

    Example:
        >>> split("box:a:b"), split(":a"), split("./a:b"), split("[::1]:a")
        (('box', 'a:b'), ('', 'a'), (None, './a:b'), ('[::1]', 'a'))
    """
    end = text.find("]") if text.startswith("[") else 0
    host, colon, path = text[max(end, 0) :].partition(":")
    if not colon or "/" in host:
        return None, text
    return text[: max(end, 0)] + host, path


def progress(done: int, size: int) -> None:
    """Draw the progress bar."""
    filled = _BAR * done // max(size, 1)
    bar = f"[{'#' * filled}{'.' * (_BAR - filled)}] {100 * done // max(size, 1)}% of {size / 2**20:.1f} MiB"
    print(f"\r{bar}", end="", file=sys.stderr, flush=True)
