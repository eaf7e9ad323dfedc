# Generated from phux_client/aio/pointing.py by tools/generate_blocking.py: change that file, not this one.
"""Find regions of the screen, and use the mouse on them: a part of the pane's handle."""

from __future__ import annotations

from phux_client import flows
from phux_core import shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence
    from typing import TypeAlias

    from phux_client.blocking.server import Phux

    Place: TypeAlias = str | re.Pattern[str] | shapes.Region | tuple[int, int]


class PanePointing:
    """The methods of a pane's handle that find regions and use the mouse."""

    id: int
    _phux: Phux

    def find(
        self,
        text: str | re.Pattern[str] | None = None,
        *,
        style: shapes.StyleName | None = None,
        timeout_s: float = 0.0,
    ) -> shapes.Region:
        """Return the one region of the screen with this text or style.

        A region is in one row. With a text and a style, the text's first cell must have the style; with only a style,
        a region is a run of adjacent cells that have it.

        Args:
            text: The text, or a compiled regular expression.
            style: The style, such as ``inverse``.
            timeout_s: How long to wait for the region to appear; by default, it must be on the screen.

        Raises:
            NoSuchTargetError: No region matches.
            AmbiguousError: Several regions match; the message lists them.
            LimitError: Matching the regular expression took too long.

        Example:
            >>> result = pane.run("clear; echo name: phux")
            >>> pane.find("phux").col
            6
        """
        flow = flows.locate(self._phux.caller, self.id, text, style=style, timeout_s=timeout_s)
        return self._phux.load(shapes.Region, flow)

    def find_all(
        self, text: str | re.Pattern[str] | None = None, *, style: shapes.StyleName | None = None
    ) -> list[shapes.Region]:
        """Return all regions of the screen with this text or style, from the top; see ``find``.

        Example:
            >>> result = pane.run("clear; seq 3")
            >>> import re
            >>> [region.row for region in pane.find_all(re.compile("^[0-9]$"))]
            [0, 1, 2]
        """
        from phux_core import documents

        found = self._phux.drive(flows.locate_all(self._phux.caller, self.id, text, style=style))
        return [documents.load(shapes.Region, region) for region in found]

    def highlighted(self, *, timeout_s: float = 0.0) -> shapes.Region:
        r"""Return the highlighted entry of a menu.

        That is the inverse or colored region under the cursor. If there is none, it is the inverse region, and if
        there is none either, the region of at least two columns, with text, in a background color that no other row
        has.

        Args:
            timeout_s: How long to wait for a highlighted region.

        Raises:
            NoSuchTargetError: Nothing is highlighted.
            AmbiguousError: Several regions may be meant; the message lists them. Use ``find`` with a text or a style.

        Example:
            >>> result = pane.run(r"clear; printf '  one\n\033[7m> two\033[m\n  three\n'")
            >>> pane.highlighted().text
            '> two'
        """
        return self._phux.load(shapes.Region, flows.highlighted(self._phux.caller, self.id, timeout_s=timeout_s))

    def click(
        self,
        place: Place,
        *,
        button: shapes.MouseButton = "left",
        modifiers: Sequence[shapes.Modifier] = (),
        timeout_s: float = flows.POINT_TIMEOUT_S,
    ) -> None:
        r"""Click on the screen.

        Args:
            place: A text or a compiled regular expression, as for ``find``; a region, which is clicked in its middle;
                or a row and a column, counted from 0.
            button: The button.
            modifiers: The keys held meanwhile.
            timeout_s: How long to wait for the text to appear.

        Raises:
            RefusedError: The program did not request mouse events; nothing was sent.
            NoSuchTargetError, AmbiguousError: The text is not on the screen, or more than once.

        Example:
            >>> result = pane.run(r"printf '\033[?1000h'")  # request mouse events, as a program does
            >>> pane.click((0, 0))
        """
        self._click(place, 1, button, modifiers, timeout_s)

    def double_click(
        self,
        place: Place,
        *,
        button: shapes.MouseButton = "left",
        modifiers: Sequence[shapes.Modifier] = (),
        timeout_s: float = flows.POINT_TIMEOUT_S,
    ) -> None:
        r"""Click twice on the screen; see ``click``.

        Example:
            >>> result = pane.run(r"printf '\033[?1000h'")
            >>> pane.double_click((0, 0))
        """
        self._click(place, 2, button, modifiers, timeout_s)

    def _click(
        self,
        place: Place,
        times: int,
        button: shapes.MouseButton,
        modifiers: Sequence[shapes.Modifier],
        timeout_s: float,
    ) -> None:
        flow = flows.click(
            self._phux.caller,
            self.id,
            _plain(place),
            button=button,
            times=times,
            modifiers=modifiers,
            timeout_s=timeout_s,
        )
        self._phux.drive(flow)

    def drag(
        self,
        start: Place,
        end: Place,
        *,
        button: shapes.MouseButton = "left",
        modifiers: Sequence[shapes.Modifier] = (),
        timeout_s: float = flows.POINT_TIMEOUT_S,
    ) -> None:
        r"""Press a button at one place, move to another, and release the button there; see ``click``.

        Example:
            >>> result = pane.run(r"printf '\033[?1002h'")
            >>> pane.drag((0, 0), (0, 5))
        """
        flow = flows.drag(
            self._phux.caller,
            self.id,
            _plain(start),
            _plain(end),
            button=button,
            modifiers=modifiers,
            timeout_s=timeout_s,
        )
        self._phux.drive(flow)

    def scroll(
        self,
        direction: shapes.Side = "down",
        *,
        times: int = 1,
        at: Place | None = None,
        modifiers: Sequence[shapes.Modifier] = (),
        timeout_s: float = flows.POINT_TIMEOUT_S,
    ) -> None:
        r"""Turn the mouse wheel.

        Args:
            direction: ``up``, ``down``, ``left`` or ``right``.
            times: The number of steps.
            at: The place of the pointer, as for ``click``; by default, the middle of the screen.
            modifiers: The keys held meanwhile.
            timeout_s: How long to wait for the text to appear.

        Raises:
            RefusedError: The program did not request mouse events; nothing was sent.

        Example:
            >>> result = pane.run(r"printf '\033[?1000h'")
            >>> pane.scroll("down", times=3)
        """
        flow = flows.scroll(
            self._phux.caller,
            self.id,
            direction,
            times=times,
            at=None if at is None else _plain(at),
            modifiers=modifiers,
            timeout_s=timeout_s,
        )
        self._phux.drive(flow)


def _plain(place: Place) -> str | re.Pattern[str] | flows.Document | tuple[int, int]:
    """Return a place as flows take it: a region as a document."""
    if isinstance(place, shapes.Region):
        return {"row": place.row, "col": place.col, "width": place.width}
    return place
