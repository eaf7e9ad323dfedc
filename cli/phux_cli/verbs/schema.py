"""schema: print the JSON Schema of a document, or the names of all of them. Needs no server."""

from phux_cli.output import write
from phux_cli.usage import UsageError, add_json
from phux_core import schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "[NAME] [--json]"
EXAMPLES = ("phux schema", "phux schema screen-state")


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="which, such as screen-state or ScreenState")
    add_json(parser, "the same: a schema is JSON already")


def run(options: "argparse.Namespace") -> int:
    """Print it."""
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
