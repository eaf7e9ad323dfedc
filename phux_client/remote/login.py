"""Log in on a terminal, where ssh can ask for a password or about the key of a host."""

import contextlib
import socket as socket_module
import subprocess
import tempfile

from phux_client.remote.command import Host
from phux_client.remote.diagnosis import diagnose

_MOST_SAID = 64 * 1024


def log_in(address: str) -> None:
    """Make the shared connection to the host of a remote address, unless there is one.

    Raises:
        HostError: ssh cannot log in.
    """
    host = Host(address)
    if host.control_path is None or _is_live(host.control_path):
        return
    # The shared connection keeps the file open, as it would keep a pipe.
    with tempfile.TemporaryFile() as said:
        finished = subprocess.run(host.ssh("-fN", batch=False), stdin=subprocess.DEVNULL, stderr=said, check=False)
        said.seek(0)
        error = diagnose(host.name, finished.returncode, said.read(_MOST_SAID).decode(errors="replace"))
    if error is not None:
        raise error


def _is_live(path: str) -> bool:
    with socket_module.socket(socket_module.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.setblocking(False)
        probe.connect(path)
        return True
    return False
