"""Real ssh servers on loopback, with their own keys, ports and users, and the hosts that tests reach through them."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from servers import BIN, Cli, eventually, process_gone

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_OTHER_UID = 12345
_OTHER = "phuxfar"
# In a file system of its own: there is another user, who can also execute an interpreter in the home of root.
_AS_OTHER = """
users=$0 kept=$1 closed=$2 below=$3; shift 3
mount --bind "$users" /etc/passwd || exit 1
[ -z "$closed" ] || { mount --bind "$below" "$kept" && mount -t tmpfs -o mode=755 tmpfs "$closed" && mkdir -p "$below" &&
mount --bind "$kept" "$below"; } || exit 1
exec "$@"
"""


def configuration(directory: Path, port: int, env: Mapping[str, str], *more: str) -> str:
    """Return the configuration of an ssh server with one key, which sets variables for the tests."""
    # sshd does not pass on the variable by which the tests find processes that outlive them.
    given = {**env, "PHUX_TEST_RUN": os.environ["PHUX_TEST_RUN"]}
    variables = " ".join(f'"{name}={value}"' for name, value in given.items())
    options = "\n".join(more)
    return f"""
        ListenAddress 127.0.0.1
        Port {port}
        HostKey {directory}/host_key
        AuthorizedKeysFile {directory}/key.pub
        PidFile none
        StrictModes no
        UsePAM no
        PermitRootLogin yes
        PasswordAuthentication no
        KbdInteractiveAuthentication no
        SetEnv {variables}
        {options}
    """


def make_keys(directory: Path) -> str:
    """Make the keys of an ssh server and its user, and return the path of sshd; skip the test if there is none."""
    sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if sshd is None or shutil.which("ssh") is None or shutil.which("ssh-keygen") is None:
        pytest.skip("sshd or ssh is not installed")
    if os.geteuid() == 0:
        # When root runs sshd, it needs this directory. Other workers may use the directory, so it is not removed.
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    for name in ("host_key", "key"):
        keygen = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / name]
        subprocess.run(keygen, check=True, capture_output=True)
    return sshd


@contextlib.contextmanager
def serving(
    sshd: str, directory: Path, env: Mapping[str, str], *more: str, prefix: tuple[str, ...] = ()
) -> Iterator[int]:
    """Run sshd on a free port, and yield the port; skip the test if sshd does not start."""
    log = directory / "log"
    with socket.socket() as reserved, log.open("w") as said:
        # Keep the port bound until sshd listens, so that no other process gets the same port.
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        (directory / "config").write_text(configuration(directory, port, env, *more))
        command = [*prefix, sshd, "-D", "-e", "-f", directory / "config"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said) as server:
            try:
                eventually(lambda: "Server listening" in log.read_text() or server.poll() is not None)
                if server.poll() is not None:
                    pytest.skip(f"sshd does not start: {log.read_text()[-200:]}")
                yield port
            finally:
                server.terminate()


class FarHost:
    """A host called ``box``, reached through a real sshd; as another user, if the tests run as root.

    Attributes:
        home: The home directory of the user there.
        env: The variables with which phux reaches the host.
        port: The port of sshd.
    """

    def __init__(self, directory: Path, home: Path, user: str, uid: int, port: int) -> None:
        self.directory, self.home, self.user, self.uid, self.port = directory, home, user, uid, port
        self.runtime = directory / "run"
        self.runtime.mkdir(mode=0o700, exist_ok=True)
        self.ssh_config = directory / "ssh_config"
        self.config = directory / "config.toml"
        self.env = {"PHUX_CONFIG": str(self.config), "XDG_RUNTIME_DIR": str(self.runtime)}
        self.configure()

    def configure(self, *more: str, phux: str | None = str(BIN / "phux"), ssh: str = "") -> None:
        """Write the config files of ssh and phux.

        Args:
            more: More lines of the table of the host.
            phux: The path of phux on the host.
            ssh: More lines of ssh's config, before those of the host.
        """
        self.ssh_config.write_text(
            f"{ssh}\nHost box\n  HostName 127.0.0.1\n  User {self.user}\n  Port {self.port}\n"
            f"  IdentityFile {self.directory}/key\n  IdentitiesOnly yes\n  IdentityAgent none\n"
            f"  UserKnownHostsFile {self.directory}/known_hosts\n  StrictHostKeyChecking accept-new\n"
        )
        lines = [f'ssh-args = ["-F", "{self.ssh_config}"]', *([f'phux = "{phux}"'] if phux else []), *more]
        self.config.write_text("[hosts.box]\n" + "\n".join(lines) + "\n")

    def cli(self, cwd: Path) -> Cli:
        """Return the CLI on this machine, without a server here."""
        return Cli(str(self.runtime / "none" / "s"), cwd, self.env)

    def write(self, name: str, text: str) -> None:
        """Write a file into the home directory there."""
        path = self.home / name
        path.write_text(text)
        os.chown(path, self.uid, -1)

    def logins(self) -> int:
        """Return how often somebody has logged in."""
        return (self.directory / "log").read_text().count("Accepted publickey")

    def masters(self) -> list[int]:
        """Return the processes of shared connections."""
        return [pid for pid, words in ssh_processes(self.directory).items() if words.endswith("[mux]")]

    def end_masters(self) -> None:
        """End the shared connections, also stopped ones."""
        for pid in self.masters():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            eventually(lambda pid=pid: process_gone(pid))
        for path in self.runtime.glob("phux/ssh-*"):
            path.unlink()


def ssh_processes(directory: Path) -> dict[int, str]:
    """Return the command lines of running ssh clients that mention a directory, by process."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
        except OSError:
            continue
        if str(directory) in words and words.startswith(("ssh ", "ssh: ")):
            found[int(entry.name)] = words
    return found


@contextlib.contextmanager
def far_host() -> Iterator[FarHost]:
    """Run an sshd, and yield the host behind it; end its server and all connections afterwards."""
    # The user there cannot enter pytest's directories.
    with tempfile.TemporaryDirectory(prefix="phux-far-") as name:
        directory = Path(name)
        directory.chmod(0o711)
        sshd = make_keys(directory)
        home = directory / "home"
        prefix, user, uid = _other_user(directory, home)
        env = {"PS1": "$ ", "PHUX_CONFIG": os.devnull, "XDG_RUNTIME_DIR": str(home / "run"), "HOME": str(home)}
        # There, nothing reaches a package registry, and python3 is the one of the tests.
        python = os.path.dirname(os.path.realpath(sys.executable))
        env |= {"PIP_INDEX_URL": "http://127.0.0.1:1/", "PIP_RETRIES": "0", "PATH": f"{python}:/usr/bin:/bin"}
        for path in (home, home / "run"):
            path.mkdir(mode=0o700, exist_ok=True)
            os.chown(path, uid, -1)
        (directory / "key.pub").chmod(0o644)
        with serving(sshd, directory, env, prefix=prefix) as port:
            host = FarHost(directory, home, user, uid, port)
            try:
                yield host
            finally:
                host.end_masters()
                host.configure()
                host.cli(directory)("kill", "--server", "--host", "box")
                host.end_masters()
                eventually(lambda: not ssh_processes(directory))


def _other_user(directory: Path, home: Path) -> tuple[tuple[str, ...], str, int]:
    """Return a prefix that gives sshd another user, the user's name and id; this user, if that is not possible."""
    if os.geteuid() == 0:
        users = directory / "passwd"
        users.write_text(f"{Path('/etc/passwd').read_text()}{_OTHER}:x:{_OTHER_UID}:{_OTHER_UID}::{home}:/bin/bash\n")
        (directory / "kept").mkdir()
        closed, below = _closed_part(Path(os.path.realpath(sys.executable)))
        prefix = ("unshare", "--mount", "sh", "-c", _AS_OTHER, users, directory / "kept", closed, below)
        words = tuple(map(str, prefix))
        tried = subprocess.run([*words, "id", "-u", _OTHER], capture_output=True, text=True, check=False)
        if tried.returncode == 0:
            return words, _OTHER, _OTHER_UID
    import getpass

    return (), getpass.getuser(), os.geteuid()


def _closed_part(path: Path) -> tuple[Path | str, Path | str]:
    """Return the directory on the way to a path that others cannot enter, and the next one; empty if there is none."""
    ways = [*reversed(path.parents), path]
    closed = (pair for pair in itertools.pairwise(ways) if not pair[0].stat().st_mode & 0o001)
    return next(closed, ("", ""))
