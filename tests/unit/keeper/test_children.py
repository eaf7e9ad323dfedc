"""Programs that are started in PTYs, by posix_spawn and by fork."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import signal
import subprocess
import sys

import pytest

from phux_core.keeper import children

PRINT_STATE = """
import json, os, resource, signal, sys, termios
json.dump({
    "cwd": os.getcwd(),
    "env": os.environ.get("WORD"),
    "argv": sys.argv[1:],
    "descriptors": [fd for fd in range(3, 300) if os.path.exists(f"/proc/self/fd/{fd}")],
    "terminals": len({os.ttyname(fd) for fd in range(3)}),
    "controlling": os.open("/dev/tty", os.O_RDWR) > 0,
    "leader": os.getsid(0) == os.getpid() == os.tcgetpgrp(0),
    "size": list(os.get_terminal_size(0)),
    "utf8": bool(termios.tcgetattr(0)[0] & 0x4000),
    "files": resource.getrlimit(resource.RLIMIT_NOFILE)[0],
    "ignored": [int(n) for n in signal.valid_signals() if signal.getsignal(n) == signal.SIG_IGN],
    "blocked": [int(n) for n in signal.pthread_sigmask(signal.SIG_BLOCK, ())],
}, sys.stdout)
"""


@pytest.fixture(params=[children.start_by_spawn, children.start_by_fork])
def start(request, monkeypatch):
    monkeypatch.setattr(children, "start", request.param)


def spawn(*argv, cwd="/", env=None):
    return children.spawn(1, list(argv), cwd=cwd, env=env or {}, cols=90, rows=30)


def output(child):
    """Return all output of a program, and wait for its end."""
    os.set_blocking(child.master, True)
    text = b""
    with contextlib.suppress(OSError):  # Linux reports the end of output as EIO
        while data := os.read(child.master, 65536):
            text += data
    os.waitpid(child.pid, 0)
    os.close(child.master)
    return text.decode()


def open_descriptors():
    return set(os.listdir("/proc/self/fd"))


def _is_inheritable(fd):
    with contextlib.suppress(OSError):
        return os.get_inheritable(fd)
    return False


@pytest.mark.usefixtures("start")
def test_a_program_leads_the_session_of_its_terminal_and_inherits_nothing_else(tmp_path, monkeypatch):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.setitem(children._original_limits, resource.RLIMIT_NOFILE, (soft - 1, hard))
    here, ignored = os.getcwd(), signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    try:
        child = spawn(sys.executable, "-c", PRINT_STATE, "a b", "", cwd=str(tmp_path), env={"WORD": "été"})
    finally:
        signal.signal(signal.SIGUSR1, ignored)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    seen = json.loads(output(child))
    # Python itself ignores these two signals.
    assert set(seen.pop("ignored")) == {signal.SIGPIPE, signal.SIGXFSZ}
    assert seen == {
        "cwd": str(tmp_path),
        "env": "été",
        "argv": ["a b", ""],
        "descriptors": [fd for fd in sorted(map(int, open_descriptors())) if fd > 2 and _is_inheritable(fd)],
        "terminals": 1,
        "controlling": True,
        "leader": True,
        "size": [90, 30],
        "utf8": True,
        "files": soft - 1,
        "blocked": [],
    }
    assert (os.getcwd(), resource.getrlimit(resource.RLIMIT_NOFILE)) == (here, (soft, hard))


@pytest.mark.usefixtures("start")
def test_a_program_starts_although_all_descriptors_below_its_limit_are_in_use(monkeypatch):
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    fds = [os.open("/dev/null", os.O_RDONLY) for _ in range(40)]
    monkeypatch.setitem(children._original_limits, resource.RLIMIT_NOFILE, (fds[-1], hard))
    try:
        assert output(spawn("/bin/sh", "-c", "ulimit -n")).strip() == str(fds[-1])
    finally:
        for fd in fds:
            os.close(fd)


@pytest.mark.usefixtures("start")
@pytest.mark.parametrize(
    ("argv", "options", "reason"),
    [
        (["/no/such/program"], {}, "No such file"),
        (["/etc/passwd"], {}, "Permission denied"),
        (["/bin/sh", "a\0b"], {}, "null"),
        (["/bin/sh", "\ud800"], {}, "surrogates"),
        (["/bin/sh"], {"cwd": "/no/such/directory"}, "No such file"),
        (["/bin/sh"], {"env": {"A": "x" * 10_000_000}}, "too long"),
    ],
    ids=["missing program", "not executable", "nul", "surrogate", "missing directory", "too long"],
)
def test_a_program_that_cannot_start_leaves_nothing_behind(argv, options, reason):
    before, here = open_descriptors(), os.getcwd()
    with pytest.raises(children.SpawnError, match=reason):
        spawn(*argv, **options)
    assert (open_descriptors(), os.getcwd()) == (before, here)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_descriptors_that_the_keeper_inherited_are_closed():
    script = (
        "import os, sys; from phux_core.keeper.children import close_inherited; kept = int(sys.argv[1])\n"
        "close_inherited([kept]); print([fd for fd in range(3, 300) if os.path.exists(f'/proc/self/fd/{fd}')] == [kept])"
    )
    fds = [os.open("/dev/null", os.O_RDONLY) for _ in range(3)]
    try:
        found = subprocess.run(
            [sys.executable, "-c", script, str(fds[1])], pass_fds=fds, capture_output=True, text=True, check=True
        )
    finally:
        for fd in fds:
            os.close(fd)
    assert found.stdout == "True\n"
