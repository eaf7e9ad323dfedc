"""Shells at the other end of a real ssh connection."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from remote_shells import check_no_command_is_typed_into_a_program, check_runs, check_timeout
from shell_panes import make_home
from sshd import make_keys, serving

SHELLS = ["bash", "zsh", "fish", "dash", "ksh", "busybox sh"]
PROMPT = "far> "
RC = {
    ".bashrc": f"PS1='{PROMPT}'\n",
    ".zshrc": f"PS1='{PROMPT}'\n",
    ".config/fish/config.fish": f"function fish_prompt; echo -n '{PROMPT}'; end\n",
    "env": f"PS1='{PROMPT}'\n",
}


@pytest.fixture(scope="module")
def connect(tmp_path_factory):
    """Return the command line that starts a program with ssh."""
    directory = tmp_path_factory.mktemp("ssh")
    sshd = make_keys(directory)
    home = directory / "home"
    ssh = f"ssh -F /dev/null -i {directory}/key -o UserKnownHostsFile={directory}/known_hosts"
    ssh += " -o StrictHostKeyChecking=no -o IdentitiesOnly=yes -o IdentityAgent=none"
    with serving(sshd, directory, make_home(home, RC) | {"ENV": str(home / "env")}) as port:
        ssh += f" -p {port} 127.0.0.1"
        tried = subprocess.run([*ssh.split(), "true"], stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        if tried.returncode != 0:
            pytest.skip(f"sshd refuses the connection: {(directory / 'log').read_text()[-200:]}")
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
