"""Arrange sessions, windows and panes: focus, sizes, layouts and places.

Changes of the layout end in ``_settle``, which resizes the panes, saves the tree and notifies clients.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from attrs import define, field

from phux_core import layout
from phux_core.errors import BadRequestError, BadSizeError, NoSuchTargetError, PaneClosedError, RefusedError
from phux_core.server.tree import launch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from phux_core.layout import Direction, Side, Step
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.tree.records import SessionRecord, Tree, WindowRecord

Size = tuple[int, int]
"""Columns and rows."""
_AXES: tuple[Direction, Direction] = ("right", "down")


class SizedPane(Protocol):
    """A pane whose size can be changed."""

    def resize(self, cols: int, rows: int) -> None:
        """Change the size of the terminal."""

    def set_kernel_size(self) -> None:
        """Set the size of the terminal in the kernel."""


@define(eq=False)
class Arranger:
    """Arranges the windows and panes of one service.

    Args:
        size_policy: The policy of windows that have none of their own.
        write_tree: Stores the tree for the next service.
        tree_changed: Saves the tree and notifies clients.
    """

    _tree: Tree
    _panes: Mapping[int, SizedPane]
    _size_policy: str
    _write_tree: Callable[[], None]
    _tree_changed: Callable[[], None]
    _views: dict[int, Sequence[Size]] = field(factory=dict, init=False)
    _leaving: set[int] = field(factory=set, init=False)

    # Finding

    def find_shown(self, pane_id: int) -> tuple[SessionRecord, WindowRecord, PaneRecord]:
        """Return a pane after its session and its window, or raise an error unless it is in the layout."""
        found = self._tree.pane(pane_id)
        if pane_id not in found[1].shown:
            raise PaneClosedError(f"the program in @{pane_id} has ended, and the pane is not shown any more")
        return found

    def place(self, pane_id: int) -> dict[str, Any]:
        session, window, pane = self._tree.pane(pane_id)
        return {
            "session": session.name,
            "session_id": session.id,
            "window_id": window.id,
            "pane_id": pane.id,
            "window": window.index,
            "window_name": window.name,
            "pane": window.panes.index(pane),
            "cols": pane.cols,
            "rows": pane.rows,
            "zoomed": window.zoomed == pane.id,
        }

    def place_of(self, scope: str, id_: int) -> dict[str, Any]:
        """Return the place of a pane, or of the active pane of a window or a session."""
        if scope == "pane":
            return self.place(id_)
        window = self._tree.session(id_).current if scope == "session" else self._tree.window(id_)[1]
        return self.place(window.active_pane)

    # Focus

    def select(self, scope: str, id_: int) -> dict[str, Any]:
        """Focus a session, a window or a pane, and the window and session that contain it."""
        if scope == "session":
            session = self._tree.session(id_)
        elif scope == "window":
            session, window = self._tree.window(id_)
            session.focus(window.id)
        else:
            session, window, _pane = self.find_shown(id_)
            window.focus(id_)
            session.focus(window.id)
            self.fit(window)  # another pane may have been zoomed
        self._tree.focus(session.id)
        self._tree_changed()
        return self.place_of(scope, id_)

    # Sizes

    def resize_pane(self, pane_id: int, cols: int | None, rows: int | None) -> dict[str, Any]:
        """Resize a pane: by moving its dividers on an axis that it shares with other panes, else with its window."""
        session, window, pane = self.find_shown(pane_id)
        launch.check_size(pane.cols if cols is None else cols, pane.rows if rows is None else rows)
        wide, high = (layout.has_divider(window.layout, pane_id, axis) for axis in _AXES)
        whole_cols = window.cols if cols is None or wide else cols
        whole_rows = window.rows if rows is None or high else rows
        self._check_window_size(session, window, whole_cols, whole_rows)
        changed = window.layout
        if cols is not None and wide:
            changed = layout.set_length(changed, whole_cols, whole_rows, pane_id, "right", cols)
        if rows is not None and high:
            changed = layout.set_length(changed, whole_cols, whole_rows, pane_id, "down", rows)
        window.cols, window.rows = whole_cols, whole_rows
        return self._laid_out(window, changed, pane_id)

    def push_divider(self, pane_id: int, side: Side, by: int) -> dict[str, Any]:
        """Move a divider of a pane to a side, as far as possible."""
        _session, window, _pane = self.find_shown(pane_id)
        if not layout.has_divider(window.layout, pane_id, "right" if side in {"left", "right"} else "down"):
            raise BadSizeError(
                f"@{pane_id} has no neighbor on this axis to take space from or give space to",
                remedy="resize the window with COLSxROWS, or split the pane first",
            )
        return self._laid_out(window, layout.push(window.layout, window.cols, window.rows, pane_id, side, by), pane_id)

    def move_divider(self, window_id: int, path: list[Step], by: int) -> dict[str, Any]:
        """Move a divider of a window, as far as possible."""
        _session, window = self._tree.window(window_id)
        if tuple(path) not in {
            divider.path for divider in layout.arrange(window.layout, window.cols, window.rows).dividers
        }:
            raise NoSuchTargetError(f"the window with the id {window_id} has no such divider")
        return self._laid_out(window, layout.move_divider(window.layout, window.cols, window.rows, tuple(path), by))

    def resize_window(self, window_id: int, cols: int | None, rows: int | None, policy: str | None) -> dict[str, Any]:
        """Set the size of a window, its size policy, or both."""
        session, window = self._tree.window(window_id)
        cols, rows = launch.check_size(window.cols if cols is None else cols, window.rows if rows is None else rows)
        before = window.size_policy
        window.size_policy = None if policy == "default" else policy or before
        try:
            self._check_window_size(session, window, cols, rows)
        except (BadSizeError, RefusedError):
            window.size_policy = before
            raise
        window.cols, window.rows = cols, rows
        self._settle(window)
        return self.place_of("window", window_id)

    def set_views(self, session_id: int, views: Sequence[Size]) -> None:
        """Set the sizes that attached clients have for a session, the last active client's last, and follow them."""
        session = self._tree.sessions.get(session_id)
        if session is None or not views:
            self._views.pop(session_id, None)
            return
        self._views[session_id] = views
        window = session.current
        if self.size_for(session, (window.cols, window.rows), window.size_policy) != (window.cols, window.rows):
            self._tree_changed()

    def follow_views(self) -> None:
        """Resize the windows that attached clients see; call after every change of the tree.

        Only current windows are resized: another one when it becomes current.
        """
        for session_id in self._views:
            session = self._tree.sessions.get(session_id)
            if session is not None:
                window = session.current
                window.cols, window.rows = self.size_for(session, (window.cols, window.rows), window.size_policy)
                self.fit(window)

    def size_for(self, session: SessionRecord, own: Size, policy: str | None = None) -> Size:
        return decide(policy or self._size_policy, self._views.get(session.id, ()), own)

    # Layout

    def zoom(self, pane_id: int, on: bool | None) -> dict[str, Any]:
        """Zoom a pane to the whole window, or end that; None toggles."""
        _session, window, _pane = self.find_shown(pane_id)
        zoomed = window.zoomed != pane_id if on is None else on
        if zoomed:
            window.focus(pane_id)
        if zoomed or window.zoomed == pane_id:
            window.zoomed = pane_id if zoomed and len(window.shown) > 1 else None
        self._settle(window)
        return self.place(pane_id)

    def apply_preset(self, window_id: int, name: str) -> dict[str, Any]:
        _session, window = self._tree.window(window_id)
        return self._laid_out(window, layout.preset(name, window.shown, window.cols, window.rows))

    def swap_panes(self, one_id: int, other_id: int) -> list[dict[str, Any]]:
        """Swap two panes, also across windows and sessions."""
        _session, one_window, one = self.find_shown(one_id)
        _session, other_window, other = self.find_shown(other_id)
        if one_id == other_id:
            raise BadRequestError(f"@{one_id} cannot be swapped with itself", remedy="name two panes")
        for window in {id(window): window for window in (one_window, other_window)}.values():
            window.zoomed = None
            window.panes = [other if pane is one else one if pane is other else pane for pane in window.panes]
            window.lay_out(layout.swap(window.layout, one_id, other_id))
            if one_window is not other_window:
                mine, theirs = (one_id, other_id) if window is one_window else (other_id, one_id)
                window.active_pane = theirs if window.active_pane == mine else window.active_pane
                window.recent = [theirs if pane == mine else pane for pane in window.recent]
        for pane_id in (one_id, other_id):
            self._tree.retire(pane_id)  # a pane whose program has ended may be beside others now
        self._settle(one_window, other_window)
        return [self.place(one_id), self.place(other_id)]

    def swap_windows(self, one_id: int, other_id: int) -> list[dict[str, Any]]:
        """Swap two windows, also across sessions."""
        one_session, one = self._tree.window(one_id)
        other_session, other = self._tree.window(other_id)
        if one is other:
            raise BadRequestError("a window cannot be swapped with itself", remedy="name two windows")
        one.index, other.index = other.index, one.index
        if one_session is not other_session:
            for session, mine, theirs in ((one_session, one, other), (other_session, other, one)):
                session.windows = [theirs if window is mine else window for window in session.windows]
                session.recent = [theirs.id if window == mine.id else window for window in session.recent]
                if session.active_window == mine.id:
                    session.active_window = theirs.id
        for session in (one_session, other_session):
            session.sort()
        self._tree_changed()
        return [self.place_of("window", one_id), self.place_of("window", other_id)]

    def check_index(self, session: SessionRecord, index: int | None) -> None:
        """Raise an error if a window of a session has an index."""
        if any(window.index == index for window in session.windows):
            raise RefusedError(
                f"session {session.name!r} already has a window {index}",
                remedy="choose a free index, or swap the two windows (phux swap)",
            )

    def move_window(self, window_id: int, session_id: int, index: int | None) -> dict[str, Any]:
        """Move a window to another index or session."""
        source, window = self._tree.window(window_id)
        session = self._tree.session(session_id)
        if source is session and index in {None, window.index}:
            raise RefusedError(f"window {window.index} of session {session.name!r} is already there", remedy="")
        self.check_index(session, index)
        index = session.free_index() if index is None else index
        if source is session:
            window.index = index
            session.sort()
        else:
            self._tree.remove_window(source, window)
            session.add(window, index)
        self._tree_changed()
        return self.place_of("window", window_id)

    def move_pane(
        self, pane_id: int, target: int, direction: Direction, cells: int | None, percent: int | None
    ) -> dict[str, Any]:
        """Move a pane beside or below another one, of any window."""
        _session, source, pane = self.find_shown(pane_id)
        _session, window, _target = self.find_shown(target)
        if pane_id == target:
            raise RefusedError(f"@{pane_id} cannot be moved beside itself", remedy="name another pane")
        rest = layout.remove(window.layout, pane_id) if source is window else window.layout
        assert rest is not None, "the target is left"
        changed = layout.split(rest, window.cols, window.rows, target, pane_id, direction, cells=cells, percent=percent)
        if source is not window:
            self._tree.remove_pane(pane_id)
            window.panes.append(pane)
        window.zoomed = None
        window.lay_out(changed)
        window.drop_dead()
        self._settle(source, window)
        return self.place(pane_id)

    def break_pane(self, pane_id: int, session_id: int, index: int | None) -> dict[str, Any]:
        """Move a pane to a new window, in any session."""
        _session, source, pane = self.find_shown(pane_id)
        session = self._tree.session(session_id)
        if len(source.panes) == 1:
            return self.move_window(source.id, session_id, index)
        self.check_index(session, index)
        size = self.size_for(session, (source.cols, source.rows))
        self._tree.remove_pane(pane_id)
        window = self._tree.add_window(session, None, pane, index)
        window.cols, window.rows = size
        self._settle(source, window)
        return self.place(pane_id)

    # Removal

    def expect_to_leave(self, pane_ids: Sequence[int]) -> None:
        """Record that panes are about to be removed, so that each one's end does not rearrange the others."""
        self._leaving.update(pane_ids)

    def remove(self, pane_ids: Sequence[int]) -> None:
        """Remove panes from the tree; the other panes of their windows share the space."""
        self._leaving.difference_update(pane_ids)
        touched: list[WindowRecord] = []
        for pane_id in pane_ids:
            found = self._tree.find_pane(pane_id)
            if found is not None:
                self._tree.remove_pane(pane_id)
                touched.append(found[1])
        self._fit_existing(touched)

    def check_stays(self, panes: Iterable[PaneRecord], what: str) -> None:
        """Raise an error if all of these panes are about to be removed: a new pane beside them would be left over."""
        if all(pane.id in self._leaving for pane in panes):
            raise NoSuchTargetError(f"{what} is being ended")

    def retire(self, pane_id: int) -> None:
        """Remove a pane whose program has ended from the layout, if other programs run in its window."""
        window = None if pane_id in self._leaving else self._tree.retire(pane_id)
        if window is not None:
            self.fit(window)

    def take_over(self) -> None:
        """Complete changes that an earlier service may have left unfinished."""
        for _session, window in self._tree.windows():
            window.drop_dead()
            self.fit(window)
        for pane in self._panes.values():
            pane.set_kernel_size()  # it may have ended after it saved the tree

    def fit(self, window: WindowRecord) -> None:
        """Resize the panes of a window to fit its layout."""
        records = {pane.id: pane for pane in window.panes}
        misfits = [
            (pane_id, place.cols, place.rows)
            for pane_id, place in window.arrangement.panes.items()
            if (records[pane_id].cols, records[pane_id].rows) != (place.cols, place.rows) and pane_id in self._panes
        ]
        if misfits:
            # Saved first: if the service dies during the resizing, the next one completes it.
            self._write_tree()
        for pane_id, cols, rows in misfits:
            self._panes[pane_id].resize(cols, rows)

    def _laid_out(self, window: WindowRecord, changed: layout.Layout, pane_id: int | None = None) -> dict[str, Any]:
        window.zoomed = None
        window.lay_out(changed)
        self._settle(window)
        return self.place_of("window", window.id) if pane_id is None else self.place(pane_id)

    def _settle(self, *windows: WindowRecord) -> None:
        self._fit_existing(windows)
        self._tree_changed()

    def _fit_existing(self, windows: Iterable[WindowRecord]) -> None:
        existing = {window.id for _session, window in self._tree.windows()}
        for window in windows:
            if window.id in existing:
                self.fit(window)

    def _check_window_size(self, session: SessionRecord, window: WindowRecord, cols: int, rows: int) -> None:
        if (cols, rows) == (window.cols, window.rows):
            return
        follows = self.size_for(session, (0, 0), window.size_policy)
        if follows != (0, 0):
            raise RefusedError(
                f"the size of window {window.index} of session {session.name!r} follows its attached clients",
                remedy="detach them, or resize it with --policy manual",
            )
        least_cols, least_rows = layout.minimum(window.layout)
        if len(window.shown) > 1 and (cols < least_cols or rows < least_rows):
            raise BadSizeError(
                f"{cols}x{rows} is too small for the {len(window.shown)} panes of the window",
                remedy=f"use at least {least_cols}x{least_rows}",
            )


def decide(policy: str, views: Sequence[Size], own: Size) -> Size:
    """Return the size of a window that some clients see; ``own``, its current size, if there are none.

    ``smallest`` and ``largest`` choose for each axis, ``latest`` takes the client that was active last, and ``manual``
    ignores clients.
    """
    if policy == "manual" or not views:
        return own
    if policy == "latest":
        return views[-1]
    choose = max if policy == "largest" else min
    return choose(cols for cols, _rows in views), choose(rows for _cols, rows in views)
