"""The core of phux: shapes, selectors, keys, wire and paths, and the server built from them.

Imports point down only. ``phux_client`` may use shapes, schema, selector, keys, calls, wire, paths, errors and
version; ``engine``, ``server`` and ``keeper`` are internal to the server. Only ``server`` and ``keeper`` use sockets
or an event loop.
"""
