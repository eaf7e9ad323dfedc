"""Attach: a person's terminal as a window into a session.

Pure modules (keyboard, canvas, paint, compose, status, copy mode, prompts, picker, help) decide what keys mean and what
is shown; ``outer`` owns the user's terminal, ``link`` the connection, and ``app`` the loop between them.
"""

from phux_client.tui.attach import attach, check_terminal, window_area

__all__ = ["attach", "check_terminal", "window_area"]
