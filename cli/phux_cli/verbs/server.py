"""server: run the server in the foreground until its last session has ended.

Reads the config file $XDG_CONFIG_HOME/phux/config.toml, and exits at once if it is invalid. SIGTERM, SIGINT and
`phux kill --server` stop the server cleanly. `phux new` starts a server in the background if none is running.
"""

import argparse
import os
import sys

from phux_cli.usage import whole_number
from phux_core.kinds import whole

EXAMPLES = ("phux server --exit-after-idle 1",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--exit-after-idle", metavar="SECS", type=whole_number(whole(1)), help="exit after this long without a client")
    add(
        "--keep-dead",
        metavar="SECS",
        type=whole_number(whole()),
        help="seconds for which a pane stays readable after its program ended; 300 when omitted",
    )
    add(
        "--engine",
        metavar="NAME",
        choices=("ghostty", "pyte"),
        help="the terminal engine, ghostty or pyte; PHUX_ENGINE or the best available when omitted",
    )


def run(options: argparse.Namespace) -> int:
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
