"""The assertions that ``expect`` returns for a pane."""

from __future__ import annotations

import contextlib

from phux_client import expecting, flows, snapshots
from phux_core import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from phux_client.aio.handles import Pane
    from phux_client.flows._types import Document
    from phux_core import shapes


class PaneExpectation:
    """Assertions about a pane. Each waits until it holds, and raises ExpectationError if it does not in time.

    Example:
        >>> from phux_client import expect
        >>> result = await pane.run("echo Saved")
        >>> await expect(pane).to_show("Saved")
    """

    def __init__(self, pane: Pane, timeout_s: float) -> None:
        self._pane = pane
        self._timeout_s = timeout_s

    async def to_show(self, text: str | re.Pattern[str]) -> None:
        """Expect that a line of the screen contains the text, or matches the compiled regular expression.

        Example:
            >>> from phux_client import expect
            >>> typed = await pane.send_keys("echo $((6 * 7))", "Enter")
            >>> import re
            >>> await expect(pane).to_show(re.compile("^42$"))
        """
        __tracebackhide__ = True
        wanted = expecting.Text(text)
        found, screen = await self._until(wanted.shown)
        if not found:
            raise self._failure(screen, f"to show {wanted}", wanted.nearest(screen))

    async def not_to_show(self, text: str | re.Pattern[str]) -> None:
        """Expect that no line of the screen contains the text, or matches the compiled regular expression.

        Example:
            >>> from phux_client import expect
            >>> typed = await pane.send_keys("clear", "Enter")
            >>> await expect(pane).not_to_show("clear")
        """
        __tracebackhide__ = True
        unwanted = expecting.Text(text)
        found, screen = await self._until(unwanted.not_shown)
        if not found:
            raise self._failure(screen, f"not to show {unwanted}")

    async def to_have_title(self, title: str | re.Pattern[str]) -> None:
        r"""Expect that the pane's title contains the text, or matches the compiled regular expression.

        Example:
            >>> from phux_client import expect
            >>> result = await pane.run(r"printf '\033]2;my title\007'")
            >>> await expect(pane).to_have_title("my title")
        """
        __tracebackhide__ = True
        wanted = expecting.Text(title)
        found, screen = await self._until(wanted.titled)
        if not found:
            has = f"its title is {screen['title']!r}" if "title" in screen else "it has no title"
            raise self._failure(screen, f"to have the title {wanted}", has)

    async def to_be(self, state: shapes.State) -> None:
        """Expect that the pane is in a state, such as ``prompt``, ``awaiting_input`` or ``fullscreen``.

        Example:
            >>> from phux_client import expect
            >>> typed = await pane.send_keys("cat", "Enter")
            >>> await expect(pane).to_be("awaiting_input")
        """
        __tracebackhide__ = True
        screen = await self._wait(flows.Conditions(state=state))
        if screen is not None:
            raise self._failure(screen, f"to be {state!r}")

    async def to_exit(self, code: int = 0) -> None:
        """Expect that the pane's program ends with an exit status.

        Example:
            >>> from phux_client import expect
            >>> typed = await pane.send_keys("exit 3", "Enter")
            >>> await expect(pane).to_exit(3)
        """
        __tracebackhide__ = True
        screen = await self._wait(flows.Conditions(exit=True)) or await self._screen()
        if screen["state"] != "dead" or screen.get("exit_status") != code:
            raise self._failure(screen, f"to exit with status {code}")

    async def to_match_snapshot(
        self,
        name: str | None = None,
        *,
        format: snapshots.SnapshotFormat = "text",  # noqa: A002
    ) -> None:
        r"""Expect that the screen equals a stored one.

        With phux's pytest plugin, snapshots are stored in ``__snapshots__`` next to the test's file, and
        ``pytest --phux-update`` writes them.

        Args:
            name: The name of the snapshot; by default, that of the test. A name with a slash is the path of its file.
            format: ``text`` for the rows, ``svg`` for a picture with colors and styles.

        Example:
            >>> from phux_client import expect
            >>> import tempfile, pathlib
            >>> path = pathlib.Path(tempfile.mkdtemp(), "empty.txt")
            >>> result = await pane.run("clear")
            >>> stored = path.write_text("80x24\n" + (await pane.snapshot()).text + "\n")
            >>> await expect(pane).to_match_snapshot(str(path))
        """
        __tracebackhide__ = True
        snapshot = snapshots.find(name, format)
        if snapshot.is_updated:
            with contextlib.suppress(errors.TimedOutError):  # a program that never pauses, such as a clock
                await self._pane.wait(
                    idle_ms=snapshots.SETTLED_MS, timeout_s=max(self._timeout_s, snapshots.PATIENCE_S)
                )
            snapshot.write(await self._screen())
            return
        found, screen = await self._until(snapshot.matches)
        if not found:
            raise self._failure(screen, f"to match the snapshot {snapshot.path}", snapshot.difference(screen))

    async def _until(self, check: Callable[[Document], bool | None]) -> tuple[bool | None, Document]:
        pane = self._pane
        return await pane._phux.drive(flows.until_screen(pane._phux.caller, pane.id, check, self._timeout_s))  # noqa: SLF001

    async def _wait(self, wanted: flows.Conditions) -> Document | None:
        """Wait for a condition; return None if it held, and otherwise the screen."""
        pane = self._pane
        flow = flows.wait(pane._phux.caller, pane.id, wanted, timeout_s=self._timeout_s)  # noqa: SLF001
        try:
            outcome = await pane._phux.drive(flow)  # noqa: SLF001
        except errors.PaneClosedError:
            return await self._screen()
        return None if outcome.met is not None else outcome.screen

    async def _screen(self) -> Document:
        pane = self._pane
        return await pane._phux.drive(flows.snapshot(pane._phux.caller, pane.id, cells=True))  # noqa: SLF001

    def _failure(self, screen: Document, expected: str, *details: str | None) -> expecting.ExpectationError:
        return expecting.failure(screen, expected, self._timeout_s, *details)
