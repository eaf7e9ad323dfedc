"""Check every step of reaching phux on a host."""

import os
import re
import subprocess

from phux_client import flows
from phux_client.blocking.driver import Driver
from phux_client.preamble import Preamble, no_answer, no_phux
from phux_client.remote.command import Host
from phux_client.remote.diagnosis import diagnose, failure
from phux_client.remote.stream import LOGIN_S
from phux_core import errors
from phux_core.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.flows._types import Document


def examine(address: str) -> "Document":
    """Return a Checks document about the server at a remote address. Starts and changes nothing."""
    host = Host(address)
    checks: list[Document] = []
    try:
        checks.append(_passed("ssh", _resolve(host)))
        found = Probe(host)
        checks += [_passed("login", f"ssh logs in to {host.name}"), _startup_files(host, found), _phux(host, found)]
        checks += [_version(host, found)] if found.path else []
        if all(check["ok"] for check in checks):
            checks.append(_server(address))
    except errors.PhuxError as error:
        name = ("ssh", "login")[min(len(checks), 1)]
        checks.append(_failed(name, error.message, error.remedy))
    return {"schema_version": 1, "ok": all(check["ok"] for check in checks), "checks": checks}


class Probe:
    """What a new login to a host finds there.

    Attributes:
        noise: The first line that startup files print; empty if there is none.
        path: The path of phux; empty if there is none.
        version: What `phux --version` prints.
        login_path: The path of phux for a login shell; empty if there is none.

    Raises:
        HostError: ssh cannot log in, or the shell there does not run commands.
    """

    def __init__(self, host: Host) -> None:
        nonce = os.urandom(8).hex()
        command = [*host.ssh(share=False), host.probe(nonce)]
        try:
            finished = subprocess.run(
                command, stdin=subprocess.DEVNULL, capture_output=True, timeout=LOGIN_S, check=False
            )
        except subprocess.TimeoutExpired:
            raise no_answer(host.name, f"did not answer within {LOGIN_S:g} s", "") from None
        preamble = Preamble(host.name, nonce, lambda: None)
        rest = preamble.feed(finished.stdout)
        if preamble.word is None:
            said = finished.stderr.decode(errors="replace")
            error = diagnose(host.name, finished.returncode, said)
            raise error or no_answer(host.name, "does not run commands of ssh", preamble.first_line)
        self.noise = preamble.first_line
        parts = rest.decode(errors="replace").split(f"phux:{nonce}\n")
        self.path, self.version, self.login_path = (part.strip() for part in (*parts, "", "", "")[:3])


def _resolve(host: Host) -> str:
    """Return what ssh's configuration makes of the host."""
    try:
        words = host.ssh("-G")
        finished = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    except OSError as error:
        raise failure(host.name, "no_ssh", error.strerror or "") from None
    if finished.returncode:
        raise diagnose(host.name, finished.returncode, finished.stderr) or failure(host.name, "ssh_config")
    options = dict(line.partition(" ")[::2] for line in finished.stdout.splitlines())
    user, name, port = (options.get(key, "?") for key in ("user", "hostname", "port"))
    return f"{host.name} is {user}@{name}, port {port}"


def _startup_files(host: Host, found: Probe) -> "Document":
    if not found.noise:
        return _passed("startup files", "print nothing")
    return _passed("startup files", f"print text on {host.name}, which is skipped: {found.noise!r}")


def _phux(host: Host, found: Probe) -> "Document":
    if found.path:
        return _passed("phux", f"is {found.path}")
    if found.login_path and not host.phux:
        return _failed(
            "phux",
            f"is {found.login_path}, which is only in the PATH of login shells on {host.name}",
            f'set `phux = "{found.login_path}"` in [hosts.NAME] of the config file',
        )
    if host.phux:
        return _failed("phux", f"{host.phux} is no program on {host.name}", "correct `phux` in the config file")
    return _failed("phux", f"there is no phux on {host.name}", no_phux(host.name).remedy)


def _version(host: Host, found: Probe) -> "Document":
    theirs, ours = (re.match(r"(?:phux )?(\d+)\.(\d+)\.", text) for text in (found.version, __version__))
    both = f"{found.version[:80] or 'nothing'} on {host.name}, phux {__version__} here"
    if theirs is not None and ours is not None and theirs[1] == ours[1] and abs(int(theirs[2]) - int(ours[2])) <= 1:
        return _passed("version", both)
    return _failed("version", both, f"install the same version there with `phux host install {host.name}`")


def _server(address: str) -> "Document":
    try:
        with Driver(address, timeout_s=LOGIN_S) as phux:
            status = phux.drive(flows.status())
        return _passed("server", f"phux {status['version']} is running, with {status['panes']} panes")
    except errors.NoServerError:
        return _passed("server", "is not running; `phux new` starts one")
    except errors.PhuxError as error:
        return _failed("server", error.message, error.remedy)


def _passed(name: str, message: str) -> "Document":
    return {"name": name, "ok": True, "message": message, "remedy": ""}


def _failed(name: str, message: str, remedy: str) -> "Document":
    return {"name": name, "ok": False, "message": message, "remedy": remedy}
