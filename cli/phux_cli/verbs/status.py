"""status: show the server's processes, version, engine, socket, counts and logs. Exits with 1 if none is running."""

import argparse

from phux_cli.connection import connection
from phux_cli.output import print_document
from phux_client import flows

JSON = "a Status document"
EXAMPLES = ("phux status", "phux status --json")


def run(options: argparse.Namespace) -> int:
    with connection(options) as phux:
        document = phux.drive(flows.status())
    if options.json:
        print_document(document)
        return 0
    for name, value in document.items():
        if name == "states":
            counts = ", ".join(f"{count} {state}" for state, count in value.items() if count) or "-"
            print(f"{name:<17} {counts}")
        elif name == "logs":
            print(f"{name:<17} {value['directory'] or '-'}")
        elif name not in {"schema_version", "engine_notes", "system_notes"}:
            print(f"{name.replace('_', ' '):<17} {'-' if value is None else value}")
    for note in document["engine_notes"]:
        print(f"{note['terminal']} uses the {note['engine']} engine: {note['note']}")
    for note in document.get("system_notes", ()):
        print(note)
    logs = document.get("logs", {})
    if logs.get("problem"):
        print(f"panes are not logged: {logs['problem']}; run `phux doctor` for details")
    for hole in logs.get("holes", ()):
        end = "now" if hole["end"] is None else hole["end"]
        print(f"the log of {hole['terminal']} lacks bytes {hole['start']} to {end}: {hole['why']}")
    return 0
