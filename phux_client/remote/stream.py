"""The connection to a server on another machine: an ssh process whose stdin and stdout are one socket.

The process ends when the socket is closed: ssh sends what is left, and its end. A watchdog ends a process that does not
reach the server in time, such as one that waits for a shared connection that no longer works.
"""

import contextlib
import os
import socket as socket_module
import subprocess
import tempfile
import threading

from phux_client.preamble import Preamble, no_answer
from phux_client.remote.command import Host
from phux_client.remote.diagnosis import diagnose, failure, last_line
from phux_client.unix_socket import ServerSocket
from phux_core import errors

LOGIN_S = 30.0
"""The time limit for a login until phux answers; ssh's own limit for connecting is shorter."""
SHARED_S = 5.0
"""The same with a shared connection; after it, that connection is not used again."""
_END_S = 2.0
_LAST_WORDS_S = 1.0
_MOST_SAID = 64 * 1024


class HostSocket(ServerSocket):
    """A stream to a server on another machine; made by ``open_stream``."""

    preamble: Preamble

    def begin(self, host: Host, process: "subprocess.Popen[bytes]", said: int, nonce: str, *, is_shared: bool) -> None:
        """Take over the process, and what it writes on stderr; start the watchdog."""
        self._host, self._process, self._said, self._is_shared = host, process, said, is_shared
        self._is_late = False
        self._watchdog = threading.Timer(SHARED_S if is_shared else LOGIN_S, self._give_up)
        self._watchdog.daemon = True
        self._watchdog.start()
        self.preamble = Preamble(host.name, nonce, self._watchdog.cancel)

    def _give_up(self) -> None:
        self._is_late = True
        if self._is_shared and self._host.control_path is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._host.control_path)
        self._process.kill()
        with contextlib.suppress(OSError):
            # The shared connection may still have the other end.
            self.shutdown(socket_module.SHUT_RDWR)

    def why_closed(self) -> errors.PhuxError:
        """Return the error for a stream that ended: the diagnosis, if the server was never reached."""
        name = self._host.name
        if self.preamble.word is not None:
            said = last_line(self._read_said())
            return errors.DisconnectedError(f"the connection to {name} was lost" + (f": {said}" if said else ""))
        if self._is_late and self._is_shared:
            return errors.DisconnectedError(f"the shared ssh connection to {name} does not answer")
        if self._is_late:
            return no_answer(name, f"did not answer within {LOGIN_S:g} s", self.preamble.first_line)
        try:
            code = self._process.wait(_LAST_WORDS_S)
        except subprocess.TimeoutExpired:
            return errors.DisconnectedError(f"the connection to {name} was lost")
        said = self._read_said()
        ended = no_answer(
            name, f"ended the connection, exit status {code}", self.preamble.first_line or last_line(said)
        )
        return diagnose(name, code, said) or ended

    def _read_said(self) -> str:
        return os.pread(self._said, _MOST_SAID, 0).decode(errors="replace")

    def close(self) -> None:
        """Close the stream, and end the process without waiting for it."""
        if self.fileno() < 0:
            return
        super().close()
        self._watchdog.cancel()
        os.close(self._said)
        if self._process.poll() is None:
            # No daemon: a program that exits leaves no process behind, not even as a zombie.
            threading.Thread(target=_end, args=(self._process,)).start()


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Wait until ssh has sent what is left and has ended; kill it if that takes too long."""
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def open_stream(address: str, *, start: bool = False) -> HostSocket:
    """Start ssh to the server at a remote address.

    Args:
        start: Start a server there if none is running.

    Raises:
        HostError: There is no ssh here. Other failures end the stream.
    """
    host = Host(address)
    nonce = os.urandom(8).hex()
    command = [*host.ssh(), host.proxy(nonce, start=start)]
    is_shared = host.control_path is not None and os.path.exists(host.control_path)
    ours, theirs = socket_module.socketpair()
    with theirs, tempfile.TemporaryFile() as said:
        sock = HostSocket(fileno=ours.detach())
        try:
            sock.setblocking(False)
            # Ctrl-C is for the client, which may then cancel a request through ssh.
            process = subprocess.Popen(
                command, stdin=theirs.fileno(), stdout=theirs.fileno(), stderr=said, cwd="/", start_new_session=True
            )
            kept = os.dup(said.fileno())
        except OSError as error:
            ServerSocket.close(sock)
            raise failure(host.name, "no_ssh", error.strerror or "") from None
        sock.begin(host, process, kept, nonce, is_shared=is_shared)
    return sock
