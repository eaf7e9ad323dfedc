"""The core of phux: shapes, selectors, keys, wire and paths, and the server that is built from them.

Imports point down only. What ``phux_client`` may use is shapes, schema, selector, keys, calls, wire, paths,
errors and version; ``engine``, ``server`` and ``keeper`` are the server's own. Nothing here but ``server``
and ``keeper`` touches a socket or an event loop.
"""
