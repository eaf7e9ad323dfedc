"""Whether a shell that marks nothing waits at its prompt or in a command, also where the kernel tells little."""

from __future__ import annotations

import os
import select
import sys

import ptyprocess
import pytest

from phux_core.server.kernel.foreground import Foreground
from phux_core.server.kernel.stack_depth import depth_of_wait
from phux_core.server.run.record import Run
from phux_core.server.shell import unmarked_end
from phux_core.server.shell.unmarked_end import is_back, reads_in_command
from servers import eventually

SHELL = (100, "dash")


def a_run(*, front=SHELL, depth=None, edits=False, start=5, interrupted=False):
    run = Run("id", 0, False, "nonce", "posix", [], 0, 0.0, 0.0, 1, "run", None, front, depth, edits)
    run.start, run.interrupted = start, interrupted
    return run


def a_shell(*, canonical=True, pid=SHELL[0]):
    return Foreground(pid, pid, SHELL[1], "/", "posix", True, canonical, True, True)


@pytest.fixture
def depth(monkeypatch):
    """Let the kernel tell this depth of whoever is asked for."""
    return lambda value: monkeypatch.setattr(unmarked_end, "depth_of_wait", lambda _pid: value)


def test_a_shell_that_waits_elsewhere_than_at_its_prompt_reads_for_the_command(depth):
    depth(500)
    assert reads_in_command(a_run(depth=300), a_shell())
    assert not reads_in_command(a_run(depth=500), a_shell())
    assert is_back(a_run(depth=500))
    assert not is_back(a_run(depth=300))


def test_what_is_no_run_in_this_shell_says_nothing(depth):
    depth(500)
    for run in (None, a_run(depth=300, start=None), a_run(depth=300, interrupted=True), a_run(depth=300, front=None)):
        assert not reads_in_command(run, a_shell())
    assert not reads_in_command(a_run(depth=300), a_shell(pid=101))
    assert not is_back(a_run(depth=500, front=None))


def test_where_the_kernel_does_not_tell_the_terminals_mode_does_if_the_shell_edits_its_lines(depth):
    depth(None)
    for known in (None, 300):
        assert reads_in_command(a_run(depth=known, edits=True), a_shell(canonical=True))
        assert not reads_in_command(a_run(depth=known, edits=True), a_shell(canonical=False))
        assert not reads_in_command(a_run(depth=known, edits=False), a_shell(canonical=True))
        assert not is_back(a_run(depth=known))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_the_depth_of_a_real_shell_is_the_same_at_each_prompt_and_another_in_a_read():
    shell = ptyprocess.PtyProcess.spawn(["dash"], env={"PS1": "$ ", "PATH": os.environ["PATH"]})
    try:

        def depth_at(sign):
            seen = b""
            while sign not in seen:
                assert select.select([shell.fd], [], [], 10)[0]
                seen += shell.read()
            return eventually(lambda: depth_of_wait(shell.pid))

        prompt = depth_at(b"$ ")
        for _ in range(3):
            shell.write(b"echo a; sleep 0.01; echo do''ne\r")
            depth_at(b"done")
            eventually(lambda: depth_of_wait(shell.pid) == prompt)
        shell.write(b"echo rea''dy; read x\r")
        depth_at(b"ready")
        eventually(lambda: depth_of_wait(shell.pid) not in {None, prompt})
        shell.write(b"\r")
        eventually(lambda: depth_of_wait(shell.pid) == prompt)
        assert depth_of_wait(2**30) is None
    finally:
        shell.close(force=True)
