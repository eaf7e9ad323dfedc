"""One call of the registry. Import-light, because the CLI imports this module."""

from phux_core.kinds import BOOLEAN, Param

MOST_BYTES = 16 * 1024 * 1024
"""The most bytes of output that a call returns."""


class Call:
    """One request that the server handles.

    Attributes:
        result: The content of the reply's ``ok``.
        repeatable: Whether it is safe to repeat after a lost reply.
        keyed: Whether it is safe to repeat with the same key: the server executes it once.
        cancellable: Whether it can be cancelled before its reply.
        defaults: The default values of parameters that have one.
    """

    def __init__(
        self,
        name: str,
        doc: str,
        *params: Param,
        result: str = "nothing",
        repeatable: bool = False,
        keyed: bool = False,
        cancellable: bool = False,
    ) -> None:
        self.name = name
        self.doc = doc
        self.params = {param.name: param for param in params}
        self.result = result
        self.repeatable = repeatable
        self.keyed = keyed
        self.cancellable = cancellable
        self.defaults = {param.name: param.default for param in params if param.default is not None}


def flag(name: str, doc: str) -> Param:
    """Return a parameter that is true or false, and false by default."""
    return Param(name, BOOLEAN, doc, default=False)
