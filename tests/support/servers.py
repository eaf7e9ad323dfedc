"""Private servers for tests, the installed ``phux`` script, and waiting for conditions without an event."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from phux_client import blocking
from phux_client.embedding import EmbeddedServer
from validation import validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from phux_client.blocking import Phux

BIN = Path(sys.executable).parent
SHELL = "/bin/sh"
DOCUMENTS = {
    "new": "created",
    "ls": "session-list",
    "snapshot": "screen-state",
    "wait": "screen-state",
    "send-keys": "sent",
    "paste": "sent",
    "mouse": "sent",
    "run": "run-result",
    "detach": "detached",
    "kill": "killed",
    "tree": "tree",
    "swap": "swapped",
    **dict.fromkeys(("new-window", "split", "select", "rename", "resize", "move", "zoom", "layout"), "place"),
    "status": "status",
    "logs": "log-text",
    "output": "log-text",
    "search": "matches",
    "commands": "command-list",
    "start": "started",
    "signal": "signalled",
    "stop": "stopped",
    "doctor": "checks",
    "upgrade": "upgraded",
}


class Finished:
    """The result of a command: exit code, standard output and standard error."""

    def __init__(self, verb: str, process: subprocess.CompletedProcess[bytes]) -> None:
        self.verb = verb
        self.code = process.returncode
        self.bytes = process.stdout
        self.out = process.stdout.decode(errors="backslashreplace")
        self.err = process.stderr.decode()

    @property
    def document(self) -> dict[str, Any]:
        """Validate the JSON document on stdout against its schema, and return it."""
        document: dict[str, Any] = json.loads(self.out)
        validate(DOCUMENTS[self.verb], document)
        return document

    @property
    def error(self) -> dict[str, Any]:
        """Check that stdout is empty, and return the Error document on the last line of stderr."""
        assert self.out == "", self.out
        document: dict[str, Any] = json.loads(self.err.splitlines()[-1])
        validate("error", document)
        assert document["exit_code"] == self.code
        return document


class Cli:
    """The installed ``phux`` script, connected to one server.

    Args:
        socket: The server's socket.
        cwd: The working directory.
        env: Additional environment variables.

    Attributes:
        program: The script.
    """

    program = BIN / "phux"
    identity: Mapping[str, Any] = {}
    """More arguments for ``subprocess.run``, such as the user."""

    def __init__(self, socket: str, cwd: Path, env: Mapping[str, str] | None = None) -> None:
        self.socket = socket
        self.cwd = cwd
        self.env = {**clean_environment(), "PHUX_SOCKET": socket, **(env or {})}

    def __call__(self, *words: str, stdin: bytes = b"", timeout_s: float = 30, **env: str) -> Finished:
        process = subprocess.run(
            [self.program, *words],
            env=self.env | env,
            cwd=self.cwd,
            input=stdin,
            capture_output=True,
            timeout=timeout_s,
            **self.identity,
        )
        return Finished(words[0] if words else "", process)

    def json(self, *words: str, **more: Any) -> dict[str, Any]:
        """Run with ``--json``, check that the command succeeded, and return the document."""
        flags = list(words)
        flags.insert(1, "--json")
        finished = self(*flags, **more)
        assert finished.code == 0, finished.err
        return finished.document


def clean_environment() -> dict[str, str]:
    """Return the environment without the variables of an outer terminal or an outer phux."""
    drop = ("PHUX_", "XDG_RUNTIME_DIR", "TMUX", "COLUMNS", "LINES", "PROMPT_COMMAND")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(drop)}
    fixed = {"SHELL": SHELL, "PS1": "$ ", "ENV": "", "PHUX_CONFIG": os.devnull}
    return kept | fixed | {"HOME": os.environ.get("HOME", "/")}


def embedded_server(engine: str | None = None) -> EmbeddedServer:
    """Start a private server that ends with this process."""
    return EmbeddedServer(engine=engine)


@contextlib.contextmanager
def server_without_sessions(shared: EmbeddedServer | None) -> Iterator[EmbeddedServer]:
    """Yield the shared server and kill its sessions afterwards; without a shared server, start a private one."""
    if shared is None:
        with embedded_server() as server:
            yield server
        return
    yield shared
    with blocking.connect(shared.socket) as phux:
        for session in phux.sessions():
            session.kill()


def eventually(probe: Callable[[], Any], *, within_s: float = 10) -> Any:
    """Call the probe until it returns a true value, and return that value; files and processes have no events."""
    deadline = time.monotonic() + within_s
    while True:
        found = probe()
        if found:
            return found
        assert time.monotonic() < deadline, f"no result within {within_s} s: {probe}"
        time.sleep(0.01)


def kill_service(phux: Phux, number: int = signal.SIGKILL) -> None:
    """Kill the service with a signal, and wait until a new one has started."""
    before = phux.status()
    os.kill(before.service_pid, number)
    eventually(lambda: phux.status().service_restarts > before.service_restarts, within_s=20)


def process_gone(pid: int) -> bool:
    """Return True if a process has ended and released its resources, as a zombie without other threads has."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state == "Z" and len(os.listdir(f"/proc/{pid}/task")) == 1
    except (FileNotFoundError, ProcessLookupError):
        return True
