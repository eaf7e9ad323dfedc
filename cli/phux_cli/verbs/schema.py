"""schema: print the JSON Schema of a document, or the names of all of them. Needs no server."""

import argparse

from phux_cli.output import write
from phux_cli.usage import UsageError
from phux_core import schema

JSON = "the same: a schema is JSON already"
EXAMPLES = ("phux schema", "phux schema screen-state")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="which, such as screen-state or ScreenState")


def run(options: argparse.Namespace) -> int:
    if options.name is None:
        if options.json:
            import json

            write(json.dumps(schema.names()) + "\n")
        else:
            write("".join(f"{name}\n" for name in schema.names()))
        return 0
    try:
        write(schema.read(options.name))
    except KeyError:
        raise UsageError(
            f"there is no schema {options.name!r}", remedy=f"there are {', '.join(schema.names())}"
        ) from None
    return 0
