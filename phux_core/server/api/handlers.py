"""Registration of call handlers by decorator, checked against the registry of calls at import."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

from phux_core.calls import CALLS
from phux_core.errors import NoSuchTargetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from phux_core.kinds import Param
    from phux_core.server.connection import Answer, Connection
    from phux_core.server.pane import Pane
    from phux_core.server.receipts import Receipt
    from phux_core.server.service import Service

    Handler = Callable[[Service, Connection, dict[str, Any], Receipt], Answer]

_Function = TypeVar("_Function", bound="Callable[..., Any]")


HANDLERS: dict[str, Handler] = {}
"""The handler of each call, by name."""


def handles(name: str, *, part: str = "") -> Callable[[_Function], _Function]:
    """Register a function of the server, or a method of one of its parts, as the handler of a call.

    After its first parameter, the function has the parameters and types of the registry; `pane_id` and `id_` stand for
    `pane` and `id`. It may also have `connection`, `receipt`, and `**rest` for the other parameters that are not None.
    A function that differs from the registry raises TypeError when its module is imported.

    Args:
        name: The call.
        part: The attribute of the server that has the method; the server itself when omitted.
    """
    if name not in CALLS:
        raise TypeError(f"there is no call {name!r}")
    params = CALLS[name].params

    def register(function: _Function) -> _Function:
        own = list(inspect.signature(function).parameters.values())[1:]
        extra = {"connection", "receipt"} & {one.name for one in own}
        takes_rest = any(one.kind is one.VAR_KEYWORD for one in own)
        named = {
            one.name.removesuffix("_id").removesuffix("_"): one
            for one in own
            if one.name not in extra and one.kind is not one.VAR_KEYWORD
        }
        declared = {param: str(one.annotation) for param, one in named.items()}
        expected = {name: _annotation(param) for name, param in params.items() if name in declared or not takes_rest}
        if declared != expected:
            raise TypeError(
                f"{function.__qualname__} does not match the call {name}: "
                f"the registry has ({_listed(expected, declared)}), the handler has ({_listed(declared, expected)})"
            )
        if name in HANDLERS:
            raise TypeError(f"{function.__qualname__}: the call {name} has a handler already")

        def handler(service: Service, connection: Connection, values: dict[str, Any], receipt: Receipt) -> Answer:
            arguments = {one.name: values.pop(param) for param, one in named.items()}
            arguments |= {name: {"connection": connection, "receipt": receipt}[name] for name in extra}
            rest = {param: value for param, value in values.items() if value is not None}  # empty without `**rest`
            answer: Answer = function(getattr(service, part) if part else service, **arguments, **rest)
            return answer

        HANDLERS[name] = handler
        return function

    return register


def _annotation(param: Param) -> str:
    always = param.required or param.default is not None
    return param.kind.annotation if always else f"{param.kind.annotation} | None"


def _listed(these: dict[str, str], others: dict[str, str]) -> str:
    different: Iterable[tuple[str, str]] = these.items() - others.items()
    return ", ".join(f"{name}: {annotation}" for name, annotation in sorted(different))


def find_pane(service: Service, pane_id: int) -> Pane:
    pane = service.panes.get(pane_id)
    if pane is None:
        raise NoSuchTargetError(f"there is no pane @{pane_id}")
    return pane
