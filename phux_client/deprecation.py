"""Old argument names, accepted for one release. Import-light."""


def renamed(old: str, new: str, value: str) -> str:
    """Warn that the old name of an argument was used, and return the argument's value."""
    import warnings

    # Level 3 is the caller of the public function.
    warnings.warn(f"the argument {old!r} is called {new!r} now", DeprecationWarning, stacklevel=3)
    return value
