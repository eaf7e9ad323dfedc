"""Install this version of phux on a host, in a virtual environment of its own.

The wheels are packed from what is installed here and sent along. The new environment replaces the old one when it is
complete, by one symbolic link. The old one stays, because a server may still run from it.
"""

import os
import subprocess
import tarfile
import tempfile

from phux_client.remote.command import Host, remote_shell
from phux_client.remote.diagnosis import diagnose
from phux_client.remote.wheels import pack_all
from phux_core import errors
from phux_core.version import __version__

_INSTALL_S = 600.0
_LEAST_PYTHON = "3, 11"
# Arguments: the version, and the oldest Python. The wheels arrive on stdin. phux is not put into PATH: clients find it.
_SCRIPT = (
    'set -e; umask 077; d=$HOME/.local/share/phux; mkdir -p "$d"; new=$(mktemp -d "$d/venv-$1-XXXXXX"); '
    'trap "rm -rf $new.wheels; [ -e $new/complete ] || rm -rf $new" EXIT; '
    'mkdir "$new.wheels"; tar -xf - -C "$new.wheels"; '
    'for p in python3 python3.14 python3.13 python3.12 python3.11 ""; do '
    '"${p:-false}" -c "import sys, venv, ensurepip; sys.exit(sys.version_info < ($2))" 2>/dev/null && break; done; '
    '[ -n "$p" ] || { echo no-python; exit 3; }; '
    '"$p" -m venv "$new" >&2; '
    'i="$new/bin/python -m pip install -q --disable-pip-version-check --find-links $new.wheels"; '
    '$i --no-index "phux==$1" 2>/dev/null || $i "phux==$1" >&2; '
    '"$new/bin/phux" --version; touch "$new/complete"; '
    'ln -s "$new" "$new.link"; mv -T "$new.link" "$d/venv" 2>/dev/null || '
    '{ rm -f "$d/venv"; mv "$new.link" "$d/venv"; }'
)
_NO_PYTHON = 3


def install(address: str) -> None:
    """Install this version of phux on the host of a remote address, unless an error leaves everything as it was.

    Raises:
        HostError: ssh cannot log in.
        CannotExecuteError: The host has no suitable Python, or pip failed there.
    """
    host = Host(address)
    with tempfile.TemporaryDirectory() as directory, tempfile.TemporaryFile() as archive:
        names = pack_all(directory)
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for name in names:
                tar.add(os.path.join(directory, name), arcname=name)
        archive.seek(0)
        command = [*host.ssh(), remote_shell(_SCRIPT, __version__, _LEAST_PYTHON)]
        try:
            finished = subprocess.run(command, stdin=archive, capture_output=True, timeout=_INSTALL_S, check=False)
        except subprocess.TimeoutExpired:
            raise errors.TimedOutError(f"the installation on {host.name} took longer than {_INSTALL_S:g} s") from None
    said = finished.stderr.decode(errors="replace").strip()
    if finished.returncode == _NO_PYTHON:
        raise errors.CannotExecuteError(
            f"{host.name} has no Python 3.11 or newer with the modules venv and ensurepip",
            remedy="install one there, such as the packages python3 and python3-venv",
        )
    if finished.returncode:
        raise diagnose(host.name, finished.returncode, said) or errors.CannotExecuteError(
            f"the installation on {host.name} failed: {said[-500:]}",
            remedy="its Python or platform may differ from that of this machine, and no package registry was reached",
        )
