"""status: show the server's processes, version, engine, socket, counts and logs.

Exit status: 0, or 1 if no server is running.
"""

import argparse

from phux_cli.connection import connection
from phux_cli.output import show
from phux_client import flows
from phux_client.unclean import describe_unclean_end
from phux_client.versions import describe_keeper, describe_service

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_client.flows._types import Document

JSON = "a Status document"
EXAMPLES = ("phux status", "phux status --json")


def run(options: argparse.Namespace) -> int:
    with connection(options) as phux:
        document = phux.drive(flows.status())
    return show(options, document, *describe(document))


def describe(document: "Document") -> "Iterator[str]":
    """Return lines about a server, for people."""
    for name, value in document.items():
        if name == "states":
            counts = ", ".join(f"{count} {state}" for state, count in value.items() if count) or "-"
            yield f"{name:<17} {counts}"
        elif name == "logs":
            yield f"{name:<17} {value['directory'] or '-'}"
        elif name == "memory":
            parts = (_memory(part, size) for part, size in value.items() if size is not None)
            yield f"{name:<17} {', '.join(parts)}"
        elif name not in {"schema_version", "engine_notes", "system_notes", "unclean_end", "problem"}:
            yield f"{name.replace('_', ' '):<17} {'-' if value is None else value}"
    if "problem" in document:
        yield document["problem"]
    service, keeper = describe_service(document), describe_keeper(document)
    yield from () if service is None else ("; ".join(service),)
    yield from () if keeper is None else (keeper,)
    for note in document["engine_notes"]:
        yield f"{note['terminal']} uses the {note['engine']} engine: {note['note']}"
    yield from document.get("system_notes", ())
    if "unclean_end" in document:
        yield describe_unclean_end(document["unclean_end"])
    logs = document.get("logs", {})
    if logs.get("problem"):
        yield f"panes are not logged: {logs['problem']}; run `phux doctor` for details"


def _memory(name: str, number: int) -> str:
    if name.endswith("_bytes"):
        return f"{name.removesuffix('_bytes')} {number / 2**20:.1f} MiB"
    return f"{number} {name.replace('_', ' ')}"
