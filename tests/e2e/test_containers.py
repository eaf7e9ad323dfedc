"""Shells in a real container, with separate processes, files and terminal, as under docker exec and podman exec.

Both connect their shell to this terminal with runc or a similar program; the tests use runc directly, without a daemon.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from remote_shells import check_no_command_is_typed_into_a_program, check_runs, check_timeout
from shell_panes import wait_for_program

SHELLS = ["bash --norc", "zsh -f", "fish --no-config", "dash", "ksh", "busybox sh"]
NAMESPACES = ("pid", "mount", "ipc", "uts", "network")


def specification(rootfs):
    """Return the specification of a container that contains only the programs of this system."""
    mounts = [
        {"destination": "/proc", "type": "proc", "source": "proc"},
        {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
        {"destination": "/dev/pts", "type": "devpts", "source": "devpts", "options": ["newinstance", "ptmxmode=0666"]},
        {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs"},
        {"destination": "/usr", "type": "bind", "source": "/usr", "options": ["rbind", "ro"]},
        {"destination": "/etc/alternatives", "type": "bind", "source": "/etc/alternatives", "options": ["rbind", "ro"]},
    ]
    path = "PATH=/usr/bin:/bin:/usr/sbin"
    return {
        "ociVersion": "1.0.2",
        "process": {
            "args": ["sleep", "600"],
            "cwd": "/",
            "env": [path, "HOME=/tmp", "TERM=xterm-256color", "LANG=C.UTF-8"],
        },
        "root": {"path": str(rootfs)},
        "hostname": "inside",
        "mounts": mounts,
        "linux": {"namespaces": [{"type": kind} for kind in NAMESPACES]},
    }


@pytest.fixture(scope="module")
def enter(tmp_path_factory):
    """Return the command line that starts a program in a container."""
    runc = shutil.which("runc")
    if sys.platform != "linux" or runc is None or os.geteuid() != 0:
        pytest.skip("containers need runc and root")
    bundle = tmp_path_factory.mktemp("bundle")
    rootfs = bundle / "rootfs"
    rootfs.mkdir()
    for name in ("bin", "sbin", "lib", "lib64"):
        if os.path.islink(f"/{name}"):
            (rootfs / name).symlink_to(f"usr/{name}")
    (bundle / "config.json").write_text(json.dumps(specification(rootfs)))
    name = f"phux-test-{os.getpid()}"
    command = [runc, "--root", str(bundle / "state")]
    with (bundle / "errors").open("w") as said:  # not a pipe, because the container would keep it open
        begun = subprocess.run(
            [*command, "run", "--detach", "--bundle", str(bundle), name],
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            check=False,
        )
    try:
        if begun.returncode != 0:
            pytest.skip(f"containers cannot be started here: {(bundle / 'errors').read_text()[-200:]}")
        yield f"{' '.join(command)} exec --tty {name}"
    finally:
        subprocess.run([*command, "delete", "--force", name], capture_output=True, check=False)


@pytest.fixture(params=SHELLS)
def inside(request, enter, open_shell):
    """A pane with a shell in the container, started from bash."""
    pane = open_shell("bash")
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys(f"{enter} {request.param}", "Enter")
    wait_for_program(pane, "runc")
    pane.wait(state="awaiting_input", timeout_s=10)
    pane.wait(idle_ms=300, timeout_s=10)
    return pane


def test_a_remote_command_is_reported_like_a_local_one(inside):
    assert inside.run("uname -n", timeout_s=20).output == "inside"
    check_runs(inside)
    assert inside.run("exit 7", timeout_s=20).exit_code == 7
    assert inside.run("uname -n", timeout_s=20).output != "inside"


def test_a_remote_command_is_interrupted_at_its_timeout(inside):
    check_timeout(inside)


def test_no_command_is_typed_into_a_remote_program(inside):
    check_no_command_is_typed_into_a_program(inside)
