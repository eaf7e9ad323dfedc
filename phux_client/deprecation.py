"""Old names of the library, accepted for one release. Import-light."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Value = TypeVar("Value")


def renamed(old: str, new: str, value: Value) -> Value:
    """Warn that the old name of a method or an argument was used, and return the value."""
    import warnings

    # Level 3 is the caller of the public function.
    warnings.warn(f"{old!r} is called {new!r} now", DeprecationWarning, stacklevel=3)
    return value
