"""server: run the server in the foreground until its last session has ended.

Reads the config file, $XDG_CONFIG_HOME/phux/config.toml, and ends at once if something in it is wrong. SIGTERM, SIGINT
and `phux kill --server` end it cleanly. `phux new` starts one in the background by itself.
"""

import os
import sys

from phux_cli.usage import add_socket, at_least

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "[--exit-after-idle SECS] [--keep-dead SECS] [--engine NAME] [--socket PATH]"
EXAMPLES = ("phux server --exit-after-idle 1",)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument(
        "--exit-after-idle",
        metavar="SECS",
        type=at_least(1),
        help="end after SECS seconds without any client, whatever runs",
    )
    parser.add_argument(
        "--keep-dead",
        metavar="SECS",
        type=at_least(0),
        help="how long a pane whose program ended stays readable, 300 when omitted",
    )
    parser.add_argument(
        "--engine",
        metavar="NAME",
        choices=("ghostty", "pyte"),
        help="the terminal engine, ghostty or pyte; PHUX_ENGINE, then the best there is",
    )
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Become the keeper: a process that has imported nothing but what it needs."""
    command = [sys.executable, "-P", "-m", "phux_core.keeper"]
    for flag, value in (
        ("--socket", options.socket),
        ("--exit-after-idle", options.exit_after_idle),
        ("--keep-dead", options.keep_dead),
        ("--engine", options.engine),
    ):
        if value is not None:
            command += [flag, str(value)]
    os.execv(command[0], command)  # noqa: S606  our own interpreter, our own module
