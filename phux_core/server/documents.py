"""The screen of a pane and the tree, as calls return them (docs/wire.md)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from phux_core.engine.screen_document import screen_document
from phux_core.server.shell.pane_shell import current_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_core.engine.protocol import Span
    from phux_core.server.pane import Pane
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.tree.records import SessionRecord, Tree, WindowRecord


def catch_up(pane: Pane) -> None:
    """Read the output that the pane's program has written so far, and update its state."""
    pane.intake.read_now()
    pane.watch.look_if_due()
    pane.watch.settle()
    pane.intake.read_now()


def read_screen(pane: Pane, *, scrollback: int | None, cells: bool, since: int | None = None) -> dict[str, Any]:
    """Return the screen of a pane.

    Args:
        scrollback: The number of scrollback rows: None for none, 0 for all, N for the newest N.
        since: Add the changes since this sequence number.
    """
    engine = pane.terminal.engine
    lines = engine.lines(0, engine.rows)
    spans = engine.spans(0, engine.rows) if cells else None
    screen = screen_document(engine, lines, spans, scrollback=scrollback)
    screen |= {
        "pane": pane.record.id,
        "seq": pane.seq,
        "state": pane.watch.state,
        "foreground": foreground_document(pane),
    }
    if pane.record.dead:
        screen |= pane.record.ending()
    pane.terminal.reads.add(engine, pane.seq, lines, None if spans is None else _styles(spans, engine.rows))
    if since is not None:
        screen["changes"] = pane.terminal.reads.since(since)._asdict()
    return screen


def foreground_document(pane: Pane) -> dict[str, Any] | None:
    foreground = pane.watch.foreground
    if foreground is None:
        return None
    cwd = current_directory(pane.record) if foreground.pid == pane.record.pid else foreground.cwd
    return {"command": foreground.name, "pid": foreground.pid, "cwd": cwd}


def _styles(spans: list[Span], rows: int) -> list[list[tuple[object, ...]]]:
    """Return the styles of each row, for comparison."""
    styles: list[list[tuple[object, ...]]] = [[] for _ in range(rows)]
    for span in spans:
        styles[span.row].append((span.col, span.count, span.style, span.semantic))
    return styles


def tree_document(tree: Tree, panes: Mapping[int, Pane], attached: Mapping[int, int]) -> dict[str, Any]:
    """Build the Tree document, given the number of attachments to each session."""
    focused = tree.focused_session()
    return {
        "schema_version": 1,
        "focused_session": focused.name if focused else None,
        "focused_pane": tree.focused_pane(),
        "sessions": [
            {
                "id": session.id,
                "name": session.name,
                "created_at": _timestamp(session.created_at),
                "attached_clients": attached.get(session.id, 0),
                "windows": [_window(session, window, panes) for window in session.windows],
            }
            for session in tree.sessions.values()
        ],
    }


def _window(session: SessionRecord, window: WindowRecord, panes: Mapping[int, Pane]) -> dict[str, Any]:
    return {
        "id": window.id,
        "index": window.index,
        "name": window.name,
        "active": window.id == session.active_window,
        "cols": window.cols,
        "rows": window.rows,
        "size_policy": window.size_policy,
        "zoomed": window.zoomed,
        "layout": window.layout,
        "panes": [
            _pane(panes[record.id], record, index, record.id == window.active_pane)
            for index, record in enumerate(window.panes)
        ],
    }


def _pane(pane: Pane, record: PaneRecord, index: int, active: bool) -> dict[str, Any]:
    engine = pane.terminal.engine
    return {
        "id": record.id,
        "index": index,
        "active": active,
        "cols": engine.cols,
        "rows": engine.rows,
        "title": engine.title,
        "command": record.command,
        "cwd": current_directory(record),
        "pid": record.pid,
        "state": pane.watch.state,
        "foreground": foreground_document(pane),
        **record.ending(),
    }


def _timestamp(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
