"""Connections and the calls that clients make."""
