"""Read logs while no server is running, in a child process like a server's log worker.

    from phux_client import stored_logs

    for log in stored_logs.list_logs()["logs"]:
        print(log["log"], log["session"])

The functions return plain documents, for the CLI and for maintenance programs. Import-light until one is called.
"""

import json
import sys

from phux_client.flows.log_reading import command_document, commands_document, list_document, text_document
from phux_core import errors, paths, patterns, selector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

_DEADLINE_S = 20.0
_SEARCH_S = 60.0


def list_logs(root: str | None = None) -> "Document":
    """Return the list of stored logs, as a LogList document.

    Args:
        root: The directory of all logs; the user's by default.
    """
    return list_document(_ask({"do": "list", "live": []}, root))


def read(target: str | None, *, root: str | None = None, **query: object) -> "Document":
    """Return a log, as a LogText document.

    Args:
        target: A log's id, a pane @N of the newest server that had this pane, or a session's name; by default, the
            first log in the list.
        root: The directory of all logs; the user's by default.
        query: As for ``flows.logs``.

    Raises:
        NoSuchTargetError: There is no such log.
        LimitError: Reading took too long.
    """
    given = {name: value for name, value in query.items() if value is not None}
    return text_document(_ask({"do": "read", **_find(target, root), "query": given}, root))


def output(command_id: str, *, root: str | None = None, **query: object) -> "Document":
    """Return the output of a command, as a LogText document.

    Args:
        command_id: PANE.NUMBER of the newest server that had this pane, or LOG.NUMBER.
        root: The directory of all logs; the user's by default.
        query: As for ``flows.output``.
    """
    given = {name: value for name, value in query.items() if value is not None}
    return text_document(_ask({"do": "output", "id": command_id, "query": given}, root))


def commands(target: str | None = None, *, root: str | None = None) -> "Document":
    """Return the command ledger of a log, or of all panes of the newest server, as a CommandList document."""
    request = {"do": "newest_commands"} if target is None else {"do": "commands", **_find(target, root)}
    return commands_document(_ask(request, root))


def command(command_id: str, *, root: str | None = None) -> "Document":
    """Return one entry of a command ledger, as a CommandInfo document."""
    (found,) = _ask({"do": "commands", "id": command_id}, root)["commands"]
    return command_document(found)


def search(
    pattern: str,
    *,
    session: str | None = None,
    context: int = 0,
    max_matches: int | None = None,
    root: str | None = None,
) -> "Document":
    """Search all stored logs, or those of the sessions called ``session``, and return a Matches document."""
    logs = None
    if session is not None:
        listed = _ask({"do": "list", "live": []}, root)["logs"]
        logs = [entry["log"] for entry in listed if entry["session"] == session]
    request = {"do": "search", "pattern": pattern, "logs": logs, "context": context, "most": max_matches or 1000}
    return {"schema_version": 1, **_ask(request, root, _SEARCH_S)}


def _find(target: str | None, root: str | None) -> "Document":
    if target is not None and "/" in target:
        return {"log": target}
    if target is not None and target.startswith("@"):
        return {"pane": selector.parse(target).pane_id}
    logs = _ask({"do": "list", "live": []}, root)["logs"]
    for entry in logs:
        if target in {None, "=", entry["session"]}:
            return {"log": entry["log"]}
    missing = "there are no logs" if target in {None, "="} else f"there is no log of a session {target!r:.80}"
    raise errors.NoSuchTargetError(
        f"no server is running, and {missing}",
        remedy="`phux logs --list` lists the logs",
    )


def _ask(request: "Document", root: str | None, deadline_s: float = _DEADLINE_S) -> "Document":
    import subprocess

    if root is None:
        root = paths.logs_directory()
        if root is None:
            raise errors.NoSuchTargetError(
                "there are no logs, because there is no home directory", remedy=paths.NO_HOME_REMEDY
            )
    try:
        finished = subprocess.run(
            [sys.executable, "-P", "-m", "phux_core.logs.worker"],
            input=json.dumps({**request, "root": root}).encode(),
            stdout=subprocess.PIPE,
            timeout=deadline_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise errors.LimitError(
            f"the log could not be read within {deadline_s:g} s", remedy="use --stripped, or ask for less"
        ) from None
    if patterns.was_too_slow(finished.returncode):
        raise patterns.too_slow()
    if not finished.stdout.endswith(b"\n"):
        raise errors.InternalError("the process that reads logs has ended")
    reply = json.loads(finished.stdout)
    if "error" in reply:
        raise errors.from_wire(reply["error"])
    answer: Document = reply["ok"]
    return answer
