"""Fixtures for tests with real shells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from phux_client import blocking
from servers import embedded_server
from shell_panes import ShellPanes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from phux_client.embedding import EmbeddedServer


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    """A server for the tests of one file, unless the file defines its own."""
    with embedded_server() as server:
        yield server


@pytest.fixture
def phux(server: EmbeddedServer) -> Iterator[blocking.Phux]:
    """A connection to the server."""
    with blocking.Phux(server.socket) as phux:
        yield phux


@pytest.fixture
def open_shell(phux: blocking.Phux, tmp_path: Path) -> Iterator[ShellPanes]:
    """Open panes with shells, which are killed after the test."""
    panes = ShellPanes(phux, tmp_path)
    yield panes
    panes.close()
