"""The core of phux: shapes, selectors, keys, wire and paths, and the server built from them.

Imports point down only. ``engine``, ``logs``, ``shells``, ``keeper`` and ``server`` are internal to the server; other
packages may import the rest (``CONTRACT`` in tests/unit/test_imports.py lists the modules). Only ``server``, ``keeper``
and ``peer`` import sockets or an event loop.
"""
