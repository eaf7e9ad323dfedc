"""Shells at the other end of a real ssh connection."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from remote_shells import check_no_command_is_typed_into_a_program, check_runs, check_timeout
from servers import eventually
from shell_panes import make_home

SHELLS = ["bash", "zsh", "fish", "dash", "ksh", "busybox sh"]
PROMPT = "far> "
RC = {
    ".bashrc": f"PS1='{PROMPT}'\n",
    ".zshrc": f"PS1='{PROMPT}'\n",
    ".config/fish/config.fish": f"function fish_prompt; echo -n '{PROMPT}'; end\n",
    "env": f"PS1='{PROMPT}'\n",
}


def configuration(directory, port):
    """Return the configuration of an ssh server of this user, with one key and a home for the tests."""
    home = directory / "home"
    given = make_home(home, RC) | {"ENV": str(home / "env")}
    # sshd does not pass on the variable by which the tests find processes that outlive them.
    given |= {"PHUX_TEST_RUN": os.environ["PHUX_TEST_RUN"]}
    variables = " ".join(f'"{name}={value}"' for name, value in given.items())
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
    """


@contextlib.contextmanager
def serving(sshd, directory):
    """Run sshd on a free port, and yield the port, or None if sshd does not start."""
    log = directory / "log"
    with socket.socket() as reserved, log.open("w") as said:
        # Keep the port bound until sshd listens, so that no other process gets the same port.
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        port = reserved.getsockname()[1]
        (directory / "config").write_text(configuration(directory, port))
        command = [sshd, "-D", "-e", "-f", directory / "config"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said) as server:
            try:
                eventually(lambda: "Server listening" in log.read_text() or server.poll() is not None)
                yield port if server.poll() is None else None
            finally:
                server.terminate()


@pytest.fixture(scope="module")
def connect(tmp_path_factory):
    """Return the command line that starts a program with ssh."""
    sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if sshd is None or shutil.which("ssh") is None or shutil.which("ssh-keygen") is None:
        pytest.skip("sshd or ssh is not installed")
    if os.geteuid() == 0:
        # When root runs sshd, it needs this directory. Other workers may use the directory, so it is not removed.
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    directory = tmp_path_factory.mktemp("ssh")
    for name in ("host_key", "key"):
        keygen = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory / name]
        subprocess.run(keygen, check=True, capture_output=True)
    ssh = f"ssh -F /dev/null -i {directory}/key -o UserKnownHostsFile={directory}/known_hosts"
    ssh += " -o StrictHostKeyChecking=no -o IdentitiesOnly=yes -o IdentityAgent=none"
    with serving(sshd, directory) as port:
        said = directory / "log"
        if port is None:
            pytest.skip(f"sshd does not start: {said.read_text()[-200:]}")
        ssh += f" -p {port} 127.0.0.1"
        tried = subprocess.run([*ssh.split(), "true"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        if tried.returncode != 0:
            pytest.skip(f"sshd refuses the connection: {said.read_text()[-200:]}")
        yield f"{ssh} -t"


@pytest.fixture
def log_in(connect, open_shell):
    """Return a function that opens a pane, and connects its shell to another shell with ssh."""

    def log_in(outer, shell):
        if shutil.which(shell.split()[0]) is None:
            pytest.skip(f"{shell} is not installed")
        pane = open_shell(outer)
        pane.wait(state="prompt", timeout_s=10)
        pane.send_keys(f"{connect} {shell}", "Enter")
        pane.wait(regex=f"^{PROMPT}$", timeout_s=20)
        assert pane.info().foreground.command == "ssh"
        return pane

    return log_in


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("outer", ["bash", "dash"])
def test_a_remote_command_is_reported_like_a_local_one(log_in, outer, shell):
    pane = log_in(outer, shell)
    assert pane.run('test -n "$SSH_TTY"', timeout_s=20).exit_code == 0
    check_runs(pane)
    assert pane.run("exit 7", timeout_s=20).exit_code == 7
    assert pane.wait(state="prompt", timeout_s=10).foreground.command == outer
    assert pane.run('echo "here$SSH_TTY"', timeout_s=20).output == "here"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_remote_command_is_interrupted_at_its_timeout(log_in, shell):
    check_timeout(log_in("bash", shell))


@pytest.mark.parametrize("shell", SHELLS)
def test_no_command_is_typed_into_a_remote_program(log_in, shell):
    check_no_command_is_typed_into_a_program(log_in("bash", shell))
