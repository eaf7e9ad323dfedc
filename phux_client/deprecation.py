"""Old names of arguments, which are accepted for one release. Import-light."""


def renamed(old: str, new: str, value: str) -> str:
    """Return a value that was given by its old name, with a warning."""
    import warnings

    # The caller of the public function.
    warnings.warn(f"the argument {old!r} is called {new!r} now", DeprecationWarning, stacklevel=3)
    return value
