"""The allowed values of fields and arguments, as types.

Modules that the CLI imports at its start use these types only for type checking, and check values against tuples of
their own; a test compares the types with the tuples.
"""

from __future__ import annotations

from typing import Literal

State = Literal["prompt", "running", "awaiting_input", "awaiting_secret", "fullscreen", "dead"]
"""The state of a pane: a shell at its prompt, a running program, one that waits for input or a secret, a full-screen
program, or a program that has exited."""

Condition = Literal["until", "regex", "gone", "idle", "state", "command_done", "exit", "stop"]
"""A condition that ends a wait, by the name of its argument; ``idle`` for ``idle_ms``."""

Signal = Literal["INT", "TERM", "HUP", "KILL", "QUIT", "TSTP", "CONT", "USR1", "USR2"]
"""A signal that can be sent to the program in a pane."""

LogMode = Literal["rendered", "stripped", "raw"]
"""How to read text from a log: rendered, without escape sequences, or byte for byte."""

CursorShape = Literal["block", "underline", "bar"]
"""The shape of a cursor."""

UnderlineStyle = Literal["double", "curly", "dotted", "dashed"]
"""The style of an underline that is not a single line."""

StyleName = Literal[
    "bold", "faint", "italic", "underline", "blink", "inverse", "invisible", "strikethrough", "overline"
]
"""An attribute of a cell's style that is on or off."""

MouseButton = Literal["left", "middle", "right"]
"""A button of the mouse."""

Modifier = Literal["ctrl", "alt", "shift"]
"""A modifier key that is held during a mouse event."""

PictureFormat = Literal["text", "ansi", "html", "svg", "png"]
"""A format in which a screen can be drawn."""

CastVersion = Literal[2, 3]
"""A version of the format ``cast`` of recordings, asciicast."""

RecordingFormat = Literal["cast", "html", "trajectory"]
"""A format in which a recording can be exported."""

ThemeName = Literal["dark", "light"]
"""The colors in which a screen is drawn."""

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
"""Where to place the new pane of a split."""

Side = Literal["left", "right", "up", "down"]
"""A side of a pane."""

LayoutName = Literal["even-horizontal", "even-vertical", "main-vertical", "tiled"]
"""A named layout of a window's panes."""

SizePolicy = Literal["smallest", "largest", "latest", "manual", "default"]
"""How the sizes of attached clients determine the size of a window."""

Step = Literal["first", "second"]
"""A step of a path in a layout, to the first or the second part of a split."""
