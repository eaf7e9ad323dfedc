"""A private server in a directory of its own, which ends with its owner, however that ends."""

import contextlib
import os
import shutil
import signal
import tempfile
import threading
import time

from phux_client.starting import START_TIMEOUT_S, launch_keeper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_END_S = 10.0
_POLL_S = 0.005


class Embedding:
    """A server being started in a thread, whose starter may give up before it is there.

    Args:
        engine: The terminal engine; chosen when omitted.
    """

    def __init__(self, engine: str | None) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._wanted = True
        self._server: EmbeddedServer | None = None

    def start(self) -> "EmbeddedServer":
        """Start it; one that nobody wants any more is ended again."""
        server = EmbeddedServer(engine=self._engine)
        with self._lock:
            self._server = server
        if not self._wanted:
            self.give_up()
        return server

    def give_up(self) -> None:
        """End it, now or as soon as it is there."""
        self._wanted = False
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.close()


class EmbeddedServer:
    """A keeper that is our child, holding one end of a pipe of which we hold the other.

    When we end, also by SIGKILL, the pipe closes and the keeper ends everything.

    Args:
        engine: The terminal engine; chosen when omitted.

    Attributes:
        socket: Where it listens.
    """

    def __init__(self, *, engine: str | None = None) -> None:
        self._directory = tempfile.mkdtemp(prefix="phux-")
        self.socket = os.path.join(self._directory, "phux.sock")
        self._life = -1
        self._pid = -1
        try:
            self._start(engine)
        except BaseException:
            self.close()
            raise

    def _start(self, engine: str | None) -> None:
        log_path = f"{self.socket}.log"
        log = os.open(log_path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        life, self._life = os.pipe()
        try:
            self._pid = launch_keeper(
                [
                    *("--socket", self.socket, "--life-fd", str(life), "--remove-directory", "--no-config"),
                    # Logs go with everything else.
                    *("--state-dir", os.path.join(self._directory, "state")),
                    *(("--engine", engine) if engine else ()),
                ],
                pass_fds=(life,),
                stderr=log,
                timeout_s=2 * START_TIMEOUT_S,
                where_to_look=log_path,
            )
        finally:
            os.close(log)
            os.close(life)

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
                os.write(self._life, b"x")  # somebody we forked may hold the pipe open: a word ends it too
            os.close(self._life)
            self._life = -1
        if self._pid > 0:
            deadline = time.monotonic() + _END_S
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(self._pid, os.WNOHANG) == (0, 0):
                    if time.monotonic() > deadline:
                        os.kill(self._pid, signal.SIGKILL)
                    time.sleep(_POLL_S)
            self._pid = -1
        shutil.rmtree(self._directory, ignore_errors=True)
