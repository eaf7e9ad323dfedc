"""The Tree document."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from phux_core.keeper.signals import signal_name
from phux_core.server.documents.screen import foreground_document
from phux_core.server.shell.observer import current_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_core.server.pane import Pane
    from phux_core.server.pane_record import PaneRecord
    from phux_core.server.tree.records import SessionRecord, Tree, WindowRecord


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
    pane.watch.settle()
    document = {
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
        "exit_status": record.exit_status,
    }
    if record.exit_signal is not None:
        document["signal"] = signal_name(record.exit_signal)
    return document


def _timestamp(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
