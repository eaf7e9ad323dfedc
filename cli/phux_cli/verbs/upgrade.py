"""upgrade: replace the running service by that of this installation; programs continue.

Run it after you have installed another release of phux. Shells and other programs continue, and so do running `wait`
and `watch`. The new release is tried first; if it cannot take over, the service stays. The keeper, which holds the
terminals, is not replaced; `phux status` reports its release.

Exit status: 0, also if nothing had to be done; 1 if the new service did not start; 2 if it is refused.
"""

import argparse
import sys

from phux_cli.connection import connection
from phux_cli.output import show
from phux_client import flows
from phux_client.versions import describe_keeper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

JSON = "an Upgraded document"
EXAMPLES = ("phux upgrade", "phux upgrade --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--force", action="store_true", help="replace a service of the same or a newer release")


def run(options: argparse.Namespace) -> int:
    with connection(options) as phux:
        document = phux.drive(flows.upgrade(sys.executable, force=options.force))
    notes = [describe_keeper(document)]
    return show(options, document, _describe(document), *filter(None, notes))


def _describe(document: "Document") -> str:
    version, before = document["version"], document["previous_version"]
    if before is None:
        return f"no server is running; the next one runs phux {version}"
    if not document["replaced"]:
        return f"the service runs phux {version} already"
    return f"the service runs phux {version} now; before, it ran {before}"
