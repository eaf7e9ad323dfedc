"""Kernels that show the system calls of a process only to its ancestors: the keeper is one, the service is not.

Few test machines have Yama, so the service's own Python denies the access instead; the keeper's does not.
"""

from __future__ import annotations

import pytest

from phux_core import errors
from servers import embedded_server

REFUSE = """
import os, sys
if "phux_core.server" in sys.orig_argv:
    opened = os.open

    def refuse(path, *args, **options):
        if str(path).startswith("/proc/") and str(path).endswith("/syscall"):
            raise PermissionError(path)
        return opened(path, *args, **options)

    os.open = refuse
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    directory = tmp_path_factory.mktemp("refuse")
    (directory / "sitecustomize.py").write_text(REFUSE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(directory))
        with embedded_server() as server:
            yield server


@pytest.mark.parametrize("shell", ["bash", "dash", "ksh", "busybox"])
def test_a_read_is_distinguished_from_the_prompt_without_ptrace(open_shell, shell):
    pane = open_shell(shell)
    pane.wait(state="prompt", timeout_s=10)
    pane.send_keys("read x", "Enter")
    pane.wait(state="awaiting_input", timeout_s=10)
    with pytest.raises(errors.BusyError):
        pane.run("echo no", timeout_s=10)
    pane.send_keys("answer", "Enter")
    pane.wait(state="prompt", timeout_s=10)
    assert pane.run("echo $x", timeout_s=10).output == "answer"
