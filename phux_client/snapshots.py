"""Stored screens that tests compare with: their files, and what differs."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from attrs import define

from phux_core.errors import BadRequestError, RefusedError

if TYPE_CHECKING:
    from phux_client.flows import Document

SnapshotFormat = Literal["text", "svg"]
"""The format of a stored screen."""
SETTLED_MS = 200
"""A screen is stored once its program has written nothing for this long."""
PATIENCE_S = 2.0
"""A screen is stored after this time even if its program keeps writing, unless the expectation allows more."""
_SUFFIXES = {"text": ".txt", "svg": ".svg"}
_MOST_LINES = 60


@define
class Test:
    """The test that runs now, as phux's pytest plugin sees it.

    Attributes:
        directory: The directory of its snapshots.
        name: The test's name, usable as a file's name.
        updates: Whether snapshots are written instead of compared.
        count: The snapshots that had no name so far.
    """

    directory: Path
    name: str
    updates: bool
    count: int = 0

    def path(self, name: str | None, suffix: str) -> Path:
        """Return the path of a snapshot; without a name, of the test's next one."""
        if name is None:
            self.count += 1
            name = self.name if self.count == 1 else f"{self.name}-{self.count}"
        return self.directory / f"{name}{suffix}"


class _Running:
    """The test that runs now. A process runs one test at a time."""

    test: Test | None = None


running = _Running()


class Snapshot:
    """A stored screen.

    Attributes:
        path: Its file.
        is_updated: Whether to write the file instead of comparing.
    """

    def __init__(self, path: Path, format: SnapshotFormat, *, is_updated: bool) -> None:  # noqa: A002
        self.path = path
        self.is_updated = is_updated
        self._format = format
        if not is_updated and not path.exists():
            raise RefusedError(
                f"there is no snapshot {path}",
                remedy="write it with `pytest --phux-update`, and look at it before you commit it",
            )
        self._stored = None if is_updated else path.read_text()

    def write(self, screen: Document) -> None:
        """Store a screen."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(self._render(screen))

    def matches(self, screen: Document) -> bool | None:
        """Return True if a screen equals the stored one."""
        return self._render(screen) == self._stored or None

    def difference(self, screen: Document) -> str:
        """Return how a screen differs from the stored one."""
        stored, rendered = self._stored or "", self._render(screen)
        if _size(stored) != _size(rendered):
            return (
                f"the snapshot is of a screen of another size ({_size(stored)}, and this one has {_size(rendered)}): "
                "use the same size, or update the snapshot (pytest --phux-update)"
            )
        lines = list(
            difflib.unified_diff(stored.splitlines(), rendered.splitlines(), "snapshot", "screen", lineterm="", n=1)
        )
        more = [f"({len(lines) - _MOST_LINES} more lines)"] if len(lines) > _MOST_LINES else []
        return "\n".join([*(f"{line:.200}" for line in lines[:_MOST_LINES]), *more])

    def _render(self, screen: Document) -> str:
        if self._format == "svg":
            from phux_client.pictures import draw

            return str(draw(screen, "svg", "dark"))
        rows = "\n".join(screen["lines"]).rstrip("\n")
        return f"{screen['cols']}x{screen['rows']}\n{rows}\n"


def find(name: str | None, format: SnapshotFormat) -> Snapshot:  # noqa: A002
    """Return the snapshot with a name, or the next one of the test that runs now.

    Raises:
        BadRequestError: The format is unknown, or no path was given outside of a test.
        RefusedError: The snapshot was never written.
    """
    if format not in _SUFFIXES:
        raise BadRequestError(f"there is no snapshot format {format!r:.80}", remedy="use text or svg")
    test = running.test
    if name is not None and "/" in name:
        path = Path(name)
    elif test is not None:
        path = test.path(name, _SUFFIXES[format])
    else:
        raise BadRequestError(
            "no test runs under phux's pytest plugin, so the snapshot has no directory",
            remedy="give the path of its file, such as ./menu.txt",
        )
    return Snapshot(path, format, is_updated=test is not None and test.updates)


def _size(text: str) -> str:
    """Return the size of a stored screen: columns and rows, or a picture's size."""
    first = text.split("\n", 1)[0]
    found = re.search(r'viewBox="[0-9.]+ [0-9.]+ ([0-9.]+) ([0-9.]+)"', text[:1000])
    return f"{found[1]}x{found[2]}" if found else first
