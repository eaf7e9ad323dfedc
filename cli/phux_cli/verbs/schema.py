"""schema: print the JSON Schema of a document, or the names of all schemas. Needs no server."""

import argparse

from phux_cli.output import write
from phux_cli.usage import UsageError
from phux_core import schema

JSON = "the names as a JSON list"
EXAMPLES = ("phux schema", "phux schema screen-state")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="the document, such as screen-state or ScreenState")


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
            f"there is no schema {options.name!r}", remedy=f"the schemas are {', '.join(schema.names())}"
        ) from None
    return 0
