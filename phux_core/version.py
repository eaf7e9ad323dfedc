"""The version of phux, as a literal, so that reading it costs nothing."""

__version__ = "0.1.0"


def is_newer(version: str, other: str) -> bool:
    """Return whether a release is newer than another; ``0.10.0`` is newer than ``0.9.1``."""
    return _numbers(version) > _numbers(other)


def _numbers(version: str) -> list[int]:
    parts = version.partition("+")[0].split(".")
    return [int(part) for part in parts if part.isdecimal()]
