"""Debian's Chromium, which shows pages as users see them."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pytest
from playwright.sync_api import sync_playwright

from servers import eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium")


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium, or skip the test."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed; .ci/run installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def cpu_s() -> float:
    """Return the CPU time that the browsers of this process have used."""
    children: dict[int, list[int]] = {}
    ticks: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            fields = entry.read_text().rpartition(")")[2].split()
            children.setdefault(int(fields[1]), []).append(int(entry.parent.name))
            ticks[int(entry.parent.name)] = sum(map(int, fields[11:15]))
    found = [os.getpid()]
    for pid in found:
        found += children.get(pid, [])
    return sum(ticks[pid] for pid in found[1:]) / os.sysconf("SC_CLK_TCK")


class Recording:
    """An exported page in a browser. Anything that it loads or reports fails the test.

    Args:
        path: The file.
    """

    def __init__(self, browser: Browser, path: Path, **options: object) -> None:
        self.problems: list[str] = []
        self.page: Page = browser.new_page(viewport={"width": 1280, "height": 800}, **options)  # type: ignore[arg-type]
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.problems.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda request: self.problems.append(request.url))
        self.page.goto(path.as_uri())
        self.page.wait_for_selector("html[data-ready]", state="attached")
        assert self.problems == [path.as_uri()]
        self.problems.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.page.close()

    @property
    def time_s(self) -> float:
        """The time that is shown."""
        return float(self.page.evaluate("player.time")) / 1000

    @property
    def rows(self) -> list[str]:
        """The rows of the screen, as a user would select them."""
        rows: list[str] = self.page.locator("#rows .row").all_text_contents()
        return [row.rstrip() for row in rows]

    @property
    def commands(self) -> list[str]:
        """The commands in the list."""
        return self.page.locator("#commands li:visible code").all_text_contents()

    @property
    def results(self) -> list[str]:
        """The results of the search."""
        return self.page.locator("#results code").all_text_contents()

    def search(self, query: str) -> list[str]:
        """Search, and return the results."""
        self.page.fill("#query", query)
        self.until(f"player.searched === {json.dumps(query)}")
        return self.results

    def until(self, condition: str) -> None:
        """Wait until a condition in JavaScript is true; the page allows no `eval`, which Playwright's wait needs."""
        eventually(lambda: self.page.evaluate(condition))

    def seek(self, time_s: float) -> None:
        """Show a time."""
        self.page.evaluate("time => player.seek(time)", time_s * 1000)
