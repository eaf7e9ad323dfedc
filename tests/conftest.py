"""Fixtures for all tests, and the check that no process outlives them."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import sys
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from servers import Cli, embedded_server, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_client.embedding import EmbeddedServer

# The tests start thousands of Python processes. With compiled files, these start as fast as they do for a user.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Every process that a test starts inherits this variable, and the check looks for it.
_MARK = f"PHUX_TEST_RUN={uuid.uuid4().hex}"


# A background job of a script ignores SIGINT, and nohup ignores SIGHUP; programs that the tests start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
for _ignored in (signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
    signal.signal(_ignored, signal.SIG_DFL)
# The time limit of a log worker (``phux_core.patterns.TimeLimit``) ends its process. Tests search logs in their own
# process, whose garbage collection alone can take that long. Programs that the tests start do not inherit a handler.
signal.signal(signal.SIGVTALRM, lambda *_: None)


# Directories of tests with real shells, programs and servers. The others finish in a minute: pytest -m "not slow".
_SLOW = ("e2e", "property", "contract", "docs", "soak")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests."""
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).parts[0] in _SLOW:
            item.add_marker("slow")


@pytest.fixture(scope="session", autouse=True)
def nothing_outlives_the_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fail if a process outlives the test run; use neither the startup files nor the logs of the developer."""
    # fish creates this directory if XDG_RUNTIME_DIR is not set, and does not remove it.
    fish_directory = Path("/tmp", f"fish.{getpass.getuser()}")
    existed = fish_directory.exists()
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    os.environ.setdefault("XDG_CACHE_HOME", str(Path.home() / ".cache"))  # downloads, such as pyright's
    home = tmp_path_factory.mktemp("home")
    os.environ["HOME"] = str(home)
    (home / ".local/share/fish/generated_completions").mkdir(parents=True)  # fish would generate them in each session
    name, _, value = _MARK.partition("=")
    os.environ[name] = value
    yield
    del os.environ[name]
    eventually(lambda: not _marked_processes(), within_s=15)
    if not existed:
        shutil.rmtree(fish_directory, ignore_errors=True)


def _marked_processes() -> list[str]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if int(entry.name) != os.getpid() and _MARK.encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the developer's own server, and give all shells the same plain settings."""
    for name in ("PHUX_SOCKET", "PHUX_PANE", "PHUX_ENGINE", "TMUX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SHELL", "/bin/sh")
    monkeypatch.setenv("PS1", "$ ")
    monkeypatch.setenv("ENV", "")
    monkeypatch.setenv("PHUX_CONFIG", os.devnull)


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A private runtime directory, and with it a private default socket."""
    directory = tmp_path / "run"
    directory.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(directory))
    return directory


@pytest.fixture(scope="module")
def shared_server() -> Iterator[EmbeddedServer]:
    """A server that tests of one module share."""
    with embedded_server() as server:
        yield server


@pytest.fixture
def socket() -> Iterator[str]:
    """The socket of a private server."""
    with embedded_server() as server:
        yield server.socket


@pytest.fixture
def cli(socket: str, tmp_path: Path) -> Cli:
    """The installed ``phux`` with a private server."""
    return Cli(socket, tmp_path)


@pytest.fixture(params=["asyncio", "trio"])
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Run async tests under asyncio and trio."""
    return str(request.param)
