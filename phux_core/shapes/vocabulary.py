"""The words that fields and arguments may have, as types.

Modules on the CLI's path name these types for type checkers only, and check words against tuples of their own; a test
compares the two.
"""

from __future__ import annotations

from typing import Literal

State = Literal["prompt", "running", "awaiting_input", "awaiting_secret", "fullscreen", "dead"]
"""What a pane does: a shell at its prompt, a program at work, one that waits for a line or a secret, one that uses the
whole screen, or a program that ended."""

Condition = Literal["until", "regex", "gone", "idle", "state", "command_done", "exit", "stop"]
"""A condition that ends a wait, by the name of its argument; ``idle`` for ``idle_ms``."""

Signal = Literal["INT", "TERM", "HUP", "KILL", "QUIT", "TSTP", "CONT", "USR1", "USR2"]
"""A signal that can be sent to the program in a pane."""

LogMode = Literal["rendered", "stripped", "raw"]
"""How text is read from a log: as written, without escape sequences, or byte for byte."""

EventName = Literal[
    "dirty",
    "idle",
    "bell",
    "title_changed",
    "pane_spawned",
    "pane_closed",
    "command_started",
    "command_finished",
    "state_changed",
    "cwd_changed",
    "resized",
    "renamed",
    "session_added",
    "session_closed",
    "window_added",
    "window_moved",
    "window_closed",
    "layout_changed",
    "focus_changed",
    "output",
    "dropped",
]
"""The name of an event: the ``event`` of every event class."""

Direction = Literal["right", "down"]
"""Where the new pane of a split goes."""

Side = Literal["left", "right", "up", "down"]
"""A side of a pane."""

LayoutName = Literal["even-horizontal", "even-vertical", "main-vertical", "tiled"]
"""An arrangement of all panes of a window."""

SizePolicy = Literal["smallest", "largest", "latest", "manual", "default"]
"""Whose size a window has when clients are attached."""

Step = Literal["first", "second"]
"""A step down a layout, to one of the two parts of a split."""
