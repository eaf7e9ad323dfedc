"""Start a detached server if none is running, and wait for it. Import-light until it is used."""

import json
import os
import sys
import time

from phux_client.blocking.link import Link
from phux_client.flows._kinds import Request
from phux_client.unix_socket import try_connect
from phux_core import errors, files, hosts, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document

START_TIMEOUT_S = 5.0
_RETRY_S = 0.01


def start_server(path: str, *, timeout_s: float = START_TIMEOUT_S) -> "Document | None":
    """Start a detached server on a socket path or at a remote address, unless one already listens there.

    Return when the server answers: its Status document, or None if another process started it.

    Raises:
        StartFailedError: The server did not become ready; the message names the log.
        UnsafePathError: The path cannot be used.
    """
    if hosts.is_remote(path):
        from phux_client.remote.starting import start_remotely

        return start_remotely(path)
    import fcntl

    deadline = time.monotonic() + timeout_s
    paths.ensure_private_directory(path)
    lock = _open_private(paths.lock_path(path), os.O_RDWR)
    try:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                # Another process is starting a server. flock has no timeout, so poll.
                if time.monotonic() > deadline:
                    raise errors.StartFailedError(
                        f"another process has been starting a server on {path} for {timeout_s:g} s",
                        remedy=f"look at {paths.log_path(path)}",
                    ) from None
                time.sleep(_RETRY_S)
        is_new = not is_live(path)
        if is_new:
            _launch_keeper(path, lock, max(0.1, deadline - time.monotonic()))
        status = _await_answer(path, deadline)
        return status if is_new else None
    finally:
        os.close(lock)


def _open_private(path: str, flags: int) -> int:
    try:
        return files.open_regular(path, flags | os.O_CREAT)
    except OSError as error:
        raise errors.StartFailedError(
            f"no server can be started, because {path} cannot be opened: {error.strerror}",
            remedy="fix or remove that file, or choose another socket with --socket",
        ) from error


def _await_answer(path: str, deadline: float) -> "Document":
    """Wait until the server's service answers, and return its status; the socket exists before the service is ready."""
    try:
        while True:
            link = Link(path, max(0.0, deadline - time.monotonic()))
            try:
                status = link.request(Request("status"))
            finally:
                link.close()
            if "problem" not in status or time.monotonic() > deadline:
                return status
            time.sleep(_RETRY_S)  # the keeper answered for a service that is still starting
    except errors.TransportError as error:
        raise errors.StartFailedError(
            f"the started server does not answer: {error.message}", remedy=f"look at {paths.log_path(path)}"
        ) from error


def is_live(path: str) -> bool:
    """Return whether a server listens, by connecting to it."""
    try:
        probe = try_connect(path)
    except errors.NoServerError:
        return False
    except errors.TransportError:
        return True  # a server may be listening, although the connection failed
    if probe is not None:
        probe.close()
    return True


def _launch_keeper(path: str, lock: int, timeout_s: float) -> None:
    """Start a detached keeper, which inherits the lock, and wait until it listens."""
    import subprocess

    log = _open_private(paths.log_path(path), os.O_WRONLY | os.O_APPEND)
    ready, ready_writer = os.pipe()
    options = ["--socket", path, "--detach", "--lock-fd", str(lock), "--ready-fd", str(ready_writer)]
    process: subprocess.Popen[bytes] | None = None
    try:
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "phux_core.keeper", *options],
                pass_fds=(lock, ready_writer),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        except OSError as error:
            raise errors.StartFailedError(
                f"the server's Python {sys.executable!r} cannot be executed: {error.strerror}",
                remedy="check that this user may read and execute it",
            ) from error
        finally:
            os.close(ready_writer)
            os.close(log)
        await_ready(ready, timeout_s, paths.log_path(path))
    except BaseException:
        if process is not None:
            process.kill()
            process.wait()
        raise
    finally:
        os.close(ready)
    process.wait()


def await_ready(ready: int, timeout_s: float, where_to_look: str) -> None:
    """Wait until a keeper reports on a pipe that it is listening; raise the error that it reports, if any."""
    import select

    poll = select.poll()
    poll.register(ready, select.POLLIN)
    readable = bool(poll.poll(timeout_s * 1000))
    answer = os.read(ready, 65536) if readable else b""
    if answer == b"ok":
        return
    if answer:
        document = json.loads(answer)
        raise errors.from_wire({**document["error"], "remedy": document["remedy"]})
    problem = "ended before it was ready" if readable else f"was not ready within {timeout_s:.1f} s"
    raise errors.StartFailedError(f"the started server {problem}", remedy=f"look at {where_to_look}")
