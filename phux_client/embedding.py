"""Run a private server in its own directory. The server ends when this process ends, even by SIGKILL."""

import atexit
import contextlib
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time

from phux_client.starting import START_TIMEOUT_S, await_ready
from phux_core import errors, files, wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_END_S = 10.0
_EXIT_S = 1.0
_POLL_S = 0.001


class Embedding:
    """A server being started in a thread; the caller may give up before it is ready."""

    def __init__(self, engine: str | None) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._wanted = True
        self._server: EmbeddedServer | None = None

    def start(self) -> "EmbeddedServer":
        """Start the server; end it again if the caller has given up."""
        server = EmbeddedServer(engine=self._engine)
        with self._lock:
            self._server = server
        if not self._wanted:
            self.give_up()
        return server

    def give_up(self) -> None:
        """End the server, now or as soon as it has started."""
        self._wanted = False
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.close()


class EmbeddedServer:
    """A keeper that shares a pipe with this process.

    When this process ends, even by SIGKILL, the pipe closes and the keeper ends everything.

    Args:
        engine: ``ghostty`` or ``pyte``; by default ``$PHUX_ENGINE``, or else ghostty if it can be used.

    Attributes:
        socket: The path of the server's socket.
    """

    def __init__(self, *, engine: str | None = None) -> None:
        self._directory = tempfile.mkdtemp(prefix="phux-")
        self.socket = os.path.join(self._directory, "phux.sock")
        self._life = -1  # a pipe: the keeper ends when this end is closed
        self._ready = -1  # the keeper holds the other end while it runs
        self._pid = -1
        try:
            self._start(engine)
        except BaseException:
            self.close()
            raise

    def _start(self, engine: str | None) -> None:
        log_path = f"{self.socket}.log"
        options = {
            "socket": self.socket,
            "remove_directory": True,
            "no_config": True,
            "state_dir": os.path.join(self._directory, "state"),  # logs are deleted with the directory
            "engine": engine,
        }
        log = files.open_regular(log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self._ready, ready_writer = os.pipe()
        life, self._life = os.pipe()
        try:
            self._pid = _TEMPLATE.fork_keeper(options, (ready_writer, life, log))
        finally:
            for fd in (log, ready_writer, life):
                os.close(fd)
        await_ready(self._ready, 2 * START_TIMEOUT_S, log_path)

    def __enter__(self) -> "Self":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: "TracebackType | None"
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the server and everything in it, and remove its directory."""
        if self._life >= 0:
            with contextlib.suppress(OSError):
                os.write(self._life, b"x")  # a forked process may keep the pipe open, so a byte ends the keeper too
            os.close(self._life)
            self._life = -1
        if self._pid > 0:
            self._await_end()
            self._pid = -1
        if self._ready >= 0:
            os.close(self._ready)
            self._ready = -1
        shutil.rmtree(self._directory, ignore_errors=True)

    def _await_end(self) -> None:
        poll = select.poll()
        poll.register(self._ready, select.POLLIN)
        # The pipe closes a moment before the process is gone.
        deadline = time.monotonic() + (_EXIT_S if poll.poll(_END_S * 1000) else 0)
        with contextlib.suppress(ProcessLookupError):
            while time.monotonic() < deadline:
                os.kill(self._pid, 0)
                time.sleep(_POLL_S)
            os.kill(self._pid, signal.SIGKILL)


class _Template:
    """The process that forks our keepers (phux_core.server.template), started when first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sock: socket.socket | None = None
        self._started_by: object = None

    def fork_keeper(self, options: "dict[str, object]", fds: tuple[int, int, int]) -> int:
        """Fork a keeper, and return its process id."""
        request = wire.encode({"options": options, "env": dict(os.environ), "cwd": _working_directory()})
        # A fork of this process, another Python, or other PYTHON* variables need another template.
        starter = (os.getpid(), sys.executable, {name: os.environ[name] for name in os.environ if "PYTHON" in name})
        with self._lock:
            # The template may have ended, as it does when it is idle.
            pid = self._ask(request, fds) if self._started_by == starter else None
            if pid is None:
                self._start(fds[2])
                self._started_by = starter
                pid = self._ask(request, fds)
        if pid is None:
            raise errors.StartFailedError(
                "the process that starts private servers ended before it started one",
                remedy="try again; `phux doctor` checks the installation",
            )
        return pid

    def _ask(self, request: bytes, fds: tuple[int, int, int]) -> int | None:
        """Send a request and return the keeper's process id; None if the template is gone."""
        assert self._sock is not None
        decoder = wire.Decoder(max_header=wire.MAX_REPLY_HEADER, max_payload=0)
        try:
            sent = socket.send_fds(self._sock, [request], fds)
            self._sock.sendall(request[sent:])
            while data := self._sock.recv(wire.RECEIVE_SIZE):
                for header, _payload in decoder.feed(data):
                    return int(str(header["pid"]))
        except (BrokenPipeError, ConnectionResetError):
            pass
        return None

    def _start(self, log: int) -> None:
        import subprocess

        if self._sock is None:
            atexit.register(self._close)  # otherwise, Python warns of an open socket at exit
        self._close()
        self._sock, theirs = socket.socketpair()
        with theirs:
            try:
                # The started process forks and exits at once, so no child process remains to be reaped.
                subprocess.run(
                    [sys.executable, "-P", "-m", "phux_core.server.template", str(theirs.fileno())],
                    pass_fds=(theirs.fileno(),),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    check=True,
                )
            except (OSError, subprocess.CalledProcessError) as error:
                raise errors.StartFailedError(
                    f"the process that starts private servers failed: {error}",
                    remedy=f"check that {sys.executable} can be executed; `phux doctor` checks the installation",
                ) from error

    def _close(self) -> None:
        if self._sock is not None:
            self._sock.close()
        self._started_by = None


_TEMPLATE = _Template()


def _working_directory() -> str:
    try:
        return os.getcwd()
    except OSError:
        return "/"
