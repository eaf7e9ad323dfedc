"""The version of phux, as a literal, so that reading it costs nothing."""

__version__ = "0.1.0"
