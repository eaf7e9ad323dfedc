"""tmux's commands at the command prompt."""

from __future__ import annotations

import pytest

from phux_client.tui.tmux_commands import _ACTIONS, in_view
from phux_core.bindings import ACTIONS

VIEW = {
    "session": {"name": "work"},
    "windows": [{"index": 0, "active": False}, {"index": 3, "active": True}],
    "window": {"active_pane": 7},
}


@pytest.mark.parametrize(
    ("line", "form"),
    [
        ("rename-window x", "rename-window -t work:3 x"),
        ("renamew -t :0 x", "rename-window -t work:0 x"),
        ("rename-session play", "rename-session -t work play"),
        ("rename work:0 x", "rename work:0 x"),
        ("split-window -h", "split-right"),
        ("splitw -h -c /tmp", "split-window --select -t @7 -h -c /tmp"),
        ("neww", "new-window"),
        ("neww -d -n logs", "new-window -t work -n logs"),
        ("new-window other", "new-window other"),
        ("select-window -t 2", "select-window -t work:2"),
        ("select-window -t other:1", "select-window -t other:1"),
        ("select-pane -t 1", "select-pane -t work:3.1"),
        ("resizep -R", "resize-pane -t @7 -R 1"),
        ("resize-pane -Z", "zoom"),
        ("swap-window -t 0", "swap-window -s work:3 -t work:0"),
        ("kill-session", "kill-session -t work"),
        ("kill-window", "kill-window"),
        ("status", "status"),
    ],
)
def test_a_command_line_of_tmux_gets_the_current_target(line, form):
    assert " ".join(in_view(line.split(), VIEW)) == form


def test_the_actions_exist():
    assert set(_ACTIONS.values()) <= ACTIONS.keys()
