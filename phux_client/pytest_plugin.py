"""phux's pytest plugin: fixtures for tests of terminal programs, and what a failed test leaves behind.

Loaded by pytest through its entry point, in every test run of an environment in which phux is installed. So it imports
the client only when a test uses it.
"""

from __future__ import annotations

import contextlib
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from phux_client import Pane, Phux, blocking

_MARKER = "phux(size=(80, 24), shell='sh', command=None, env=None, cwd=None): how the fixtures `pane` and `apane` start"
_OPTIONS = ("size", "shell", "command", "env", "cwd")
# It reads none of the user's startup files, so tests are alike for every user.
_SHELL = "sh"
_MOST_PANES = 10
_LOG_PART = 1024 * 1024
_LONGEST_LOG = 64 * _LOG_PART
_LONGEST_NAME = 150


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of phux."""
    group = parser.getgroup("phux", "phux: tests of terminal programs")
    group.addoption("--phux-update", action="store_true", help="write the snapshots of screens instead of comparing")
    group.addoption(
        "--phux-artifacts", metavar="DIR", help="store a recording, a picture and the log of each pane of a failed test"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", _MARKER)


@pytest.fixture(scope="session")
def phux() -> Iterator[blocking.Phux]:
    """A private phux server for the whole test session, as a client of ``phux_client.blocking``."""
    from phux_client import blocking

    with blocking.embedded() as server:
        yield server


@pytest.fixture
def pane(request: pytest.FixtureRequest, phux: blocking.Phux) -> Iterator[blocking.Pane]:
    """A new pane. The marker ``phux`` sets its size, shell, command, env and cwd."""
    from phux_client import PhuxError, blocking

    options: dict[str, object] = {}
    for marker in request.node.iter_markers("phux"):  # the closest first
        unknown = sorted(set(marker.kwargs).difference(_OPTIONS))
        if unknown or marker.args:
            wrong = f"no option {unknown[0]!r}" if unknown else "only named options"
            pytest.fail(f"the marker phux has {wrong}: use {', '.join(_OPTIONS)}", pytrace=False)
        options = {**marker.kwargs, **options}
    if not isinstance(phux, blocking.Phux):
        pytest.fail(
            f"another fixture named 'phux' replaces phux's own and returned {phux!r:.80}: rename it, "
            "or let it return a phux_client.blocking.Phux, such as that of phux_client.blocking.embedded()",
            pytrace=False,
        )
    if "command" not in options:
        options.setdefault("shell", _SHELL)
    try:
        session = phux.new_session(**options)  # type: ignore[arg-type]  # checked by the client
    except PhuxError as error:
        reason = f"the pane could not be created: {error.message}\n{error.remedy}".rstrip()
        raise pytest.fail.Exception(reason, pytrace=False) from None
    yield session.pane
    _end(session)


@pytest.fixture
def aphux(phux: blocking.Phux) -> Iterator[Phux]:
    """An async client of the server of ``phux``, for tests under asyncio or trio."""
    from phux_client import aio

    client = aio.Phux(phux.socket)  # connects when first used
    yield client
    client.close()


@pytest.fixture
def apane(pane: blocking.Pane, aphux: Phux) -> Pane:
    """The new pane of ``pane``, for tests under asyncio or trio."""
    from phux_client import aio

    return aio.Pane(aphux, pane.id)


def _end(session: blocking.Session) -> None:
    from phux_client import NoSuchTargetError

    with contextlib.suppress(NoSuchTargetError):  # the test ended it
        session.kill()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Tell ``to_match_snapshot`` which test runs."""
    if _uses_phux(item):
        from phux_client import snapshots

        directory = item.path.parent / "__snapshots__" / item.path.stem
        updates = item.config.getoption("--phux-update")
        snapshots.running.test = snapshots.Test(directory, _file_name(item.name), updates=updates)


def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Forget the test."""
    if _uses_phux(item):
        from phux_client import snapshots

        snapshots.running.test = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Store what a failed test's panes show, while they still exist."""
    report = yield
    directory = item.config.getoption("--phux-artifacts")
    if directory and call.when == "call" and report.failed and _uses_phux(item):
        report.sections.append(("phux", "\n".join(_store(item, Path(directory)))))
    return report


def _uses_phux(item: pytest.Item) -> bool:
    return "phux" in getattr(item, "fixturenames", ())


def _store(item: pytest.Item, directory: Path) -> Iterator[str]:
    """Store the recording, picture and log of each of a test's panes; yield lines that say where."""
    from phux_client import PhuxError, blocking

    server = getattr(item, "funcargs", {}).get("phux")
    if not isinstance(server, blocking.Phux):
        return
    directory.mkdir(parents=True, exist_ok=True)
    try:
        panes = [pane for session in server.sessions() for window in session.windows() for pane in window.panes()]
    except PhuxError as error:
        yield f"nothing was stored: {error}"
        return
    own = item.funcargs.get("pane") if hasattr(item, "funcargs") else None
    panes.sort(key=lambda pane: (own is None or pane.id != own.id, -pane.id))  # the test's own first, then the newest
    for pane in panes[:_MOST_PANES]:
        name = _file_name(_place(item)) + ("" if own is not None and pane.id == own.id else f"-pane-{pane.id}")
        for suffix, read in (
            (".html", pane.export),
            (".svg", pane.screenshot),
            (".log", partial(_log, pane)),
        ):
            path = directory / f"{name}{suffix}"
            try:
                path.write_text(read(), errors="surrogateescape")
            except PhuxError as error:
                yield f"{path} was not stored: {error}"
            else:
                yield str(path)


def _log(pane: blocking.Pane) -> str:
    """Return a pane's log byte for byte, as far as it is kept."""
    parts = []
    place = 0
    while place < _LONGEST_LOG:
        part = pane.logs(from_byte=place, max_bytes=_LOG_PART, mode="raw")
        parts.append(part.content)
        place = part.next_byte
        if part.eof:
            break
    return "".join(parts)


def _place(item: pytest.Item) -> str:
    """Return a test's module and name."""
    return f"{item.path.stem}-{item.nodeid.partition('::')[2]}"


def _file_name(name: str) -> str:
    """Return a name for files of a test, without what file systems or shells treat specially."""
    return re.sub(r"[^\w.=+,-]+", "_", name).strip("_.")[:_LONGEST_NAME]
