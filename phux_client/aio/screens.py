"""Screens, pictures of them, and the past: a part of the handles of panes and of the server."""

from __future__ import annotations

from phux_client import flows
from phux_client.aio.backend import in_thread
from phux_client.aio.driver import Driver
from phux_core import shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Literal, overload

    from phux_client.aio.server import Phux


class PaneScreens:
    """The methods of a pane's handle that read its screen."""

    id: int
    _phux: Phux

    async def snapshot(
        self, *, scrollback: int | None = None, cells: bool = False, at: int | str | datetime | None = None
    ) -> shapes.ScreenState:
        """Return the pane's screen.

        Args:
            scrollback: Rows of scrollback to include: None for none, 0 for all, N for the newest N.
            cells: Include the cells that have a style or a mark.
            at: Return the screen as it was at this moment, from the pane's log: a ``seq``, a ``datetime``, or text such
                as ``-5m`` (five minutes before the end of the log).

        Raises:
            BadRequestError: The moment is not in the log.
            NoSuchTargetError: The pane has no log, or the screen cannot be rebuilt.

        Example:
            >>> before = await pane.snapshot()
            >>> result = await pane.run("clear")
            >>> (await pane.snapshot(at=before.seq)).lines == before.lines
            True
        """
        flow = flows.snapshot(self._phux.caller, self.id, scrollback=scrollback, cells=cells, at=at)
        return await self._phux.load(shapes.ScreenState, flow)

    if TYPE_CHECKING:

        @overload
        async def screenshot(
            self,
            format: Literal["png"],
            *,
            theme: shapes.ThemeName = "dark",
            scrollback: int | None = None,
            at: int | str | datetime | None = None,
        ) -> bytes: ...

        @overload
        async def screenshot(
            self,
            format: Literal["text", "ansi", "html", "svg"] = "svg",
            *,
            theme: shapes.ThemeName = "dark",
            scrollback: int | None = None,
            at: int | str | datetime | None = None,
        ) -> str: ...

    async def screenshot(
        self,
        format: shapes.PictureFormat = "svg",  # noqa: A002
        *,
        theme: shapes.ThemeName = "dark",
        scrollback: int | None = None,
        at: int | str | datetime | None = None,
    ) -> str | bytes:
        """Return a picture of the pane's screen.

        Args:
            format: ``text`` for plain rows, ``ansi`` for rows with escape sequences, ``html`` for a page, ``svg``, or
                ``png``, which needs the extra ``phux[png]`` and returns bytes.
            theme: The colors.
            scrollback: Rows of scrollback to include, without colors: None for none, 0 for all, N for the newest N.
            at: Draw the screen as it was at this moment.

        Raises:
            RefusedError: The library for PNG is not installed.

        Example:
            >>> (await pane.screenshot("svg")).startswith("<svg")
            True
        """
        return await self._phux.drive(
            flows.screenshot(self._phux.caller, self.id, format, theme=theme, scrollback=scrollback, at=at)
        )

    async def timeline(
        self, *, from_seq: int = 0, cursor: int | None = None, most: int | None = None
    ) -> shapes.Timeline:
        """Return when the pane's output was read, and what happened meanwhile.

        Args:
            from_seq: Only entries from this sequence number on.
            cursor: The ``next`` of an earlier page, to continue there.
            most: The most entries to return, 10,000 by default.

        Raises:
            NoSuchTargetError: The pane has no log.

        Example:
            >>> result = await pane.run("echo hi")
            >>> [entry.command for entry in (await pane.timeline()).entries if entry.kind == "command_started"]
            ['echo hi']
        """
        flow = flows.timeline(self._phux.caller, self.id, from_seq=from_seq, cursor=cursor, most=most)
        return await self._phux.load(shapes.Timeline, flow)

    async def export(
        self,
        format: shapes.RecordingFormat = "html",  # noqa: A002
        *,
        cast_version: shapes.CastVersion = 2,
        start: int | str | datetime | None = None,
        end: int | str | datetime | None = None,
    ) -> str:
        """Return a recording of the pane as a document.

        Args:
            format: ``html`` for a page that plays the recording in any browser, ``cast`` for asciinema, or
                ``trajectory`` for one TrajectoryAction document per command or typed input, a line each.
            cast_version: The version of the format ``cast``.
            start: The moment at which to start, as in ``snapshot``; by default, as early as possible.
            end: The moment at which to end; by default, now.

        Raises:
            BadRequestError: A moment is not in the log.
            NoSuchTargetError: The pane has no log, or a part of it that is needed is missing.
            LimitError: The recording is too large for a page.

        Example:
            >>> result = await pane.run("echo hi")
            >>> (await pane.export("html")).startswith("<!doctype html>")
            True
        """
        return await self._phux.export(self.id, format, cast_version=cast_version, start=start, end=end)


class ServerScreens(Driver):
    """The part of a server's handle for the past of panes, including those that are gone."""

    async def past_screen(
        self, target: str | int, at: int | str | datetime, *, scrollback: int | None = None, cells: bool = False
    ) -> shapes.ScreenState:
        """Return the screen of a pane as it was, by a selector, a pane's id or the log's id; see ``Pane.snapshot``.

        This also works for panes that are gone, and for panes of earlier servers.

        Example:
            >>> result = await pane.run("echo hi")
            >>> seen = await pane.snapshot()
            >>> gone = await pane.kill()
            >>> (await phux.past_screen(pane.selector, seen.seq)).lines == seen.lines
            True
        """
        flow = flows.past_screen(self.caller, target, at, scrollback=scrollback, cells=cells)
        return await self.load(shapes.ScreenState, flow)

    async def timeline(
        self, target: str | int, *, from_seq: int = 0, cursor: int | None = None, most: int | None = None
    ) -> shapes.Timeline:
        """Return the timeline of a pane, by a selector, a pane's id or the log's id; see ``Pane.timeline``.

        Example:
            >>> result = await pane.run("echo hi")
            >>> gone = await pane.kill()
            >>> (await phux.timeline(pane.selector)).entries[-1].kind
            'pane_closed'
        """
        flow = flows.timeline(self.caller, target, from_seq=from_seq, cursor=cursor, most=most)
        return await self.load(shapes.Timeline, flow)

    async def export(
        self,
        target: str | int,
        format: shapes.RecordingFormat = "html",  # noqa: A002
        *,
        cast_version: shapes.CastVersion = 2,
        start: int | str | datetime | None = None,
        end: int | str | datetime | None = None,
    ) -> str:
        """Return a recording of a pane, by a selector, a pane's id or the log's id; see ``Pane.export``.

        This also works for panes that are gone, and for panes of earlier servers.

        Example:
            >>> result = await pane.run("echo hi")
            >>> gone = await pane.kill()
            >>> (await phux.export("@1", "cast")).startswith('{"version": 2')
            True
        """
        from phux_client.export import check_format, render

        check_format(format, cast_version)
        material = await self.drive(flows.export_material(self.caller, target, format, start, end))
        return await in_thread(lambda whole: render(whole, format, cast_version), material)
