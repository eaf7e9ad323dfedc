"""Fixtures of the tests with real shells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shell_panes import ShellPanes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from phux_client import blocking


@pytest.fixture
def open_shell(phux: blocking.Phux, tmp_path: Path) -> Iterator[ShellPanes]:
    """Open panes with shells on the server of ``phux``; ended with the test."""
    panes = ShellPanes(phux, tmp_path)
    yield panes
    panes.close()
