"""Attach: a person's terminal as a window into a session.

Pure modules (keyboard, canvas, paint, compose, status, bindings, copy mode, prompts, picker, help) decide what keys
mean and what is shown; ``outer`` owns the user's terminal, ``link`` the connection, and ``app`` the loop between them.
"""
