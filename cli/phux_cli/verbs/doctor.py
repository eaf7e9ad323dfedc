"""doctor: check the server, its directories, the disk, engine, shell, config file and logs. Changes nothing.

Prints one line for each check, with a remedy if it fails.

Exit status: 0 if all checks pass, else 1.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import show

JSON = "a Checks document"
EXAMPLES = ("phux doctor || true",)
HERE_ONLY = True


def run(options: argparse.Namespace) -> int:
    from phux_client import doctor

    with connection(options) as phux:
        document = doctor.examine(phux)
    lines = []
    for check in document["checks"]:
        remedy = f"; {check['remedy']}" if check["remedy"] else ""
        lines.append(f"{'ok  ' if check['ok'] else 'BAD '} {check['name']}: {check['message']}{remedy}")
    show(options, document, *lines, colors="^(?:(?P<good>ok)|(?P<bad>BAD)) ")
    return 0 if document["ok"] else 1
