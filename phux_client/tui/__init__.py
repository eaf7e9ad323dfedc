"""Attach: show a session in the user's terminal.

Modules without I/O (keyboard, canvas, paint, compose, status, copy mode, prompts, box) interpret keys and
compose the screen; ``outer`` owns the user's terminal, ``link`` the connection, and ``app`` the event loop.
"""

from phux_client.tui.attach import attach, check_terminal, window_area

__all__ = ["attach", "check_terminal", "window_area"]
