"""server: run the server in the foreground until its last session has ended.

Reads the config file $XDG_CONFIG_HOME/phux/config.toml, and exits at once if it is invalid. SIGTERM, SIGINT and
`phux kill --server` stop the server cleanly. `phux new` starts a server in the background if none is running.
"""

import argparse
import os
import sys

from phux_cli.usage import add_param
from phux_core.kinds import Param, whole

EXAMPLES = ("phux server --exit-after-idle 1",)
HERE_ONLY = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    idle = Param("exit_after_idle", whole(1), "exit after this long without a client")
    add_param(parser, idle, "--exit-after-idle SECS")
    keep = Param("keep_dead", whole(), "seconds for which a pane stays readable after its program ended", omitted="300")
    add_param(parser, keep, "--keep-dead SECS")
    parser.add_argument(
        "--engine",
        metavar="NAME",
        choices=("ghostty", "pyte"),
        help="the engine, ghostty or pyte; PHUX_ENGINE, or else ghostty if it can be used, when omitted",
    )


def run(options: argparse.Namespace) -> int:
    command = [sys.executable, "-P", "-m", "phux_core.keeper"]
    for name in ("socket", "exit_after_idle", "keep_dead", "engine"):
        if getattr(options, name) is not None:
            command += [f"--{name.replace('_', '-')}", str(getattr(options, name))]
    os.execv(command[0], command)  # noqa: S606  our own interpreter, our own module
