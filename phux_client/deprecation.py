"""Old argument names, accepted for one release. Import-light."""


def renamed(old: str, new: str, value: str) -> str:
    """Return the value of a renamed argument; warn if its old name was used."""
    import warnings

    # The caller of the public function.
    warnings.warn(f"the argument {old!r} is called {new!r} now", DeprecationWarning, stacklevel=3)
    return value
