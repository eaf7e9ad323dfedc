"""skill: print a guide for a model that has never seen phux: quick, under 2 KB, or full."""

import argparse
import os

from phux_cli.output import write

EXAMPLES = ("phux skill", "phux skill full")
HERE_ONLY = True

_DIRECTORY = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "skill")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "guide", metavar="GUIDE", nargs="?", choices=("quick", "full"), default="quick", help="quick (default) or full"
    )


def run(options: argparse.Namespace) -> int:
    with open(os.path.join(_DIRECTORY, f"{options.guide}.md"), encoding="utf-8") as file:
        write(file.read())
    return 0
