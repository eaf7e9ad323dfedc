"""Read logs while no server is running, in a child process like a server's log worker.

    from phux_client import flows, stored_logs

    for log in stored_logs.drive(flows.log_list())["logs"]:
        text = stored_logs.drive(flows.logs(stored_logs.CALLER, log["log"], lines=10))
        print(log["session"], text["content"])

Import-light until a function is called.
"""

import contextlib
import json
import sys

from phux_client import flows
from phux_core import calls, errors, paths, patterns

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from typing import Self

    from phux_client.flows._types import Document, Flow, Result

_DEADLINE_S = 20.0
_SEARCH_S = 60.0
# What the child process does for a call.
_JOBS = {"logs": "read", "output": "output", "commands": "commands"}
_JOBS |= {"past_screen": "screen", "timeline": "timeline", "film": "film"}
CALLER = flows.Caller(None, {}, "")
"""The caller for flows: a process in no pane."""


def drive(flow: "Flow[Result]", root: str | None = None) -> "Result":
    """Run a flow that reads logs, such as ``flows.logs``, and return its result.

    Args:
        flow: The flow. A pane @N is that of the newest server that had it; without a target, the newest log is read.
        root: The directory of all logs; the user's by default.

    Raises:
        NoSuchTargetError: There is no such log.
        LimitError: Reading took too long.
    """
    answer: Document | None = None
    failure: errors.PhuxError | None = None
    with _Worker(root) as worker:
        while True:
            try:
                step = flow.send(answer) if failure is None else flow.throw(failure)
            except StopIteration as stop:
                result: Result = stop.value
                return result
            answer = failure = None
            if isinstance(step, flows.Request):
                try:
                    answer = _answer(step, worker)
                except errors.PhuxError as error:
                    failure = error


def _answer(request: flows.Request, worker: "_Worker") -> "Document":
    """Execute a request as a server does for logs of earlier servers."""
    call, values = calls.check(request.call, request.params)
    given = call.defaults | {name: value for name, value in values.items() if value is not None}
    which: Document = {name: given.pop(name) for name in ("pane", "log", "id") if name in given}
    if call.name == "log_list":
        return worker.ask({"do": "list", "live": []})
    if call.name == "commands" and "id" not in which:
        everywhere, most = given.pop("everywhere"), given.pop("max_commands", None)
        asked = {"do": "select_commands", "selection": given, "stored": everywhere, "most": most}
        return worker.ask({**asked, **which, "newest": not which and not everywhere})
    if call.name not in _JOBS or not which:
        raise errors.NoSuchTargetError(
            "no server is running, and there is no such log", remedy="`phux logs --list` lists the logs"
        )
    return worker.ask({"do": _JOBS[call.name], **which, "query": given})


def search(
    pattern: str,
    *,
    session: str | None = None,
    context: int = 0,
    max_matches: int | None = None,
    root: str | None = None,
    **selection: object,
) -> "Document":
    """Search all stored logs, or those of the sessions called ``session``, and return a Matches document.

    Args:
        pattern: A pattern of Python's ``re``.
        session: The name of the sessions.
        context: The number of lines to include around each match.
        max_matches: The most matches, 1000 by default.
        root: The directory of all logs; the user's by default.
        selection: ``since``, ``until``, ``failed`` and ``exit_code``, as for ``flows.search``.
    """
    from phux_client.flows.log_reading import matches_document
    from phux_client.flows.log_reading import selection as as_sent

    selection = as_sent(selection)
    with _Worker(root) as worker:
        logs = None
        if session is not None:
            listed = worker.ask({"do": "list", "live": []})["logs"]
            logs = [entry["log"] for entry in listed if entry["session"] == session]
        request = {"do": "search", "pattern": pattern, "logs": logs, "context": context, "most": max_matches or 1000}
        return matches_document(worker.ask({**request, "selection": selection}, _SEARCH_S))


class _Worker:
    """A process that reads logs, from the first request on. It keeps the screen that it has rebuilt last."""

    def __init__(self, root: str | None) -> None:
        self._root = root
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.kill()  # it writes no files
            self._process.communicate()

    def ask(self, request: "Document", deadline_s: float = _DEADLINE_S) -> "Document":
        """Send a request, and return the result, or raise the error."""
        if self._root is None:
            self._root = paths.logs_directory()
        if self._root is None:
            raise errors.NoSuchTargetError(
                "there are no logs, because there is no home directory", remedy=paths.NO_HOME_REMEDY
            )
        line = self._exchange(json.dumps({**request, "root": self._root}).encode() + b"\n", deadline_s)
        reply = json.loads(line)
        if "error" in reply:
            raise errors.from_wire(reply["error"])
        answer: Document = reply["ok"]
        return answer

    def _exchange(self, request: bytes, deadline_s: float) -> bytes:
        """Send a line, and return the one that the process replies; a process that does not reply is killed."""
        import subprocess
        import threading

        if self._process is None:
            command = [sys.executable, "-P", "-m", "phux_core.logs.worker"]
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process, expired = self._process, threading.Event()
        assert process.stdin is not None
        assert process.stdout is not None

        def expire() -> None:
            expired.set()
            process.kill()

        timer = threading.Timer(deadline_s, expire)
        timer.start()
        try:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(request)
                process.stdin.flush()
            line = process.stdout.readline()
        finally:
            timer.cancel()
        if line.endswith(b"\n"):
            return line
        status = process.wait()
        if expired.is_set():
            raise errors.LimitError(
                f"the log could not be read within {deadline_s:g} s", remedy="use --stripped, or ask for less"
            )
        if patterns.was_too_slow(status):
            raise patterns.too_slow()
        raise errors.InternalError("the process that reads logs has ended")
