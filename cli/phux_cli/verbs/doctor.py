"""doctor: check that everything is in order: directories, disk, engine, shell, logs. Changes nothing.

One line each, and what to do where something is wrong. Exits 0 when all is well, else 1.
"""

from phux_cli.connection import connection
from phux_cli.output import print_document, write
from phux_cli.usage import add_json, add_socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

USAGE = "[--json] [--socket PATH]"
EXAMPLES = ("phux doctor || true",)


def add_arguments(parser: "argparse.ArgumentParser") -> None:
    """Say what it takes."""
    add_json(parser, "a Checks document")
    add_socket(parser)


def run(options: "argparse.Namespace") -> int:
    """Check it."""
    from phux_client import doctor

    with connection(options) as phux:
        document = doctor.examine(phux)
    if options.json:
        print_document(document)
    else:
        for check in document["checks"]:
            remedy = f"; {check['remedy']}" if check["remedy"] else ""
            write(f"{'ok  ' if check['ok'] else 'BAD '} {check['name']}: {check['message']}{remedy}\n")
    return 0 if document["ok"] else 1
