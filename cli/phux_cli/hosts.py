"""Show what runs on all hosts, for `ls` and `tree`."""

from phux_cli.connection import CLIENT
from phux_cli.output import fit, show
from phux_cli.usage import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from phux_client.flows._types import Document


def show_hosts(options: "argparse.Namespace", describe: "Callable[[Document, str], list[str]]") -> int:
    """Print a HostList document, or lines for people; return the exit code.

    Args:
        describe: Returns the lines about a Tree document, given the prefix of its names.
    """
    from phux_client.remote.listing import list_hosts

    if options.host is not None or getattr(options, "target", None):
        raise UsageError("--hosts shows all hosts", remedy="leave out TARGET and --host")
    document = list_hosts(CLIENT)
    lines = []
    for entry in document["hosts"]:
        if entry["tree"] is None:
            lines.append(f"{entry['host']}: {entry['error']['message'].removeprefix(entry['host'] + ': ')}")
        else:
            lines += describe(entry["tree"], f"{entry['host']}/") or [f"{entry['host']}: no sessions"]
    return show(options, document, *map(fit, lines))
