"""phux from Python: real terminals as objects that programs can hold.

    import phux_client

    async with phux_client.connect(start=True) as phux:
        work = await phux.new_session("work")
        result = await work.pane.run("make test", timeout_s=600)
        print(result.exit_code, result.output)

``connect`` and ``embedded`` are async and run under asyncio and trio; ``phux_client.blocking`` has the same surface
without await. Names are imported when first used, so that ``phux_client.blocking`` alone stays light.

    flows      each verb once, without I/O
    aio        the async client (anyio)
    blocking   the same over plain sockets
    starting   starting a server; embedding: a private one
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client import blocking
    from phux_client.aio import EventStream, LogStream, Pane, Phux, Session, Window, connect, embedded
    from phux_client.waited import Waited
    from phux_core.errors import (
        BadConfigError,
        BadCwdError,
        BadNameError,
        BadRequestError,
        BadSelectorError,
        BadSizeError,
        BusyError,
        CannotExecuteError,
        DisconnectedError,
        InputBlockedError,
        InputTooLongError,
        InternalError,
        LimitError,
        NameInUseError,
        NoServerError,
        NoSuchTargetError,
        PaneClosedError,
        PhuxError,
        ProtocolError,
        RefusedError,
        RequestError,
        ServiceRestartingError,
        StartFailedError,
        StoppedError,
        TimedOutError,
        TransportError,
        UnsafePathError,
        VersionError,
    )
    from phux_core.shapes import (
        CellInfo,
        CellStyle,
        CommandInfo,
        Event,
        Foreground,
        LayoutSplit,
        LogInfo,
        LogText,
        Match,
        PaneId,
        PaneInfo,
        Place,
        RunResult,
        ScreenChanges,
        ScreenState,
        SessionInfo,
        SessionList,
        Signalled,
        Started,
        Status,
        Stopped,
        Tree,
        WindowInfo,
    )
    from phux_core.version import __version__

_PLACES = {
    "phux_client.aio": ("EventStream", "LogStream", "Pane", "Phux", "Session", "Window", "connect", "embedded"),
    "phux_core.errors": (
        *("BadConfigError", "BadCwdError", "BadNameError", "BadRequestError", "BadSelectorError", "BadSizeError"),
        *(
            "BusyError",
            "CannotExecuteError",
            "DisconnectedError",
            "InputBlockedError",
            "InputTooLongError",
            "InternalError",
        ),
        *("LimitError", "NameInUseError", "NoServerError", "NoSuchTargetError", "PaneClosedError", "PhuxError"),
        *("ProtocolError", "RefusedError", "RequestError", "ServiceRestartingError", "StartFailedError"),
        *("StoppedError", "TimedOutError"),
        *("TransportError", "UnsafePathError", "VersionError"),
    ),
    "phux_core.shapes": (
        *("CellInfo", "CellStyle", "CommandInfo", "Event", "Foreground", "LayoutSplit", "LogInfo", "LogText", "Match"),
        *("PaneId", "PaneInfo", "Place", "RunResult", "ScreenChanges", "ScreenState", "SessionInfo", "SessionList"),
        *("Signalled", "Started", "Status", "Stopped", "Tree", "WindowInfo"),
    ),
    "phux_client.waited": ("Waited",),
    "phux_core.version": ("__version__",),
}
_HOME = {name: place for place, names in _PLACES.items() for name in names}

__all__ = [
    "BadConfigError",
    "BadCwdError",
    "BadNameError",
    "BadRequestError",
    "BadSelectorError",
    "BadSizeError",
    "BusyError",
    "CannotExecuteError",
    "CellInfo",
    "CellStyle",
    "CommandInfo",
    "DisconnectedError",
    "Event",
    "EventStream",
    "Foreground",
    "InputBlockedError",
    "InputTooLongError",
    "InternalError",
    "LayoutSplit",
    "LimitError",
    "LogInfo",
    "LogStream",
    "LogText",
    "Match",
    "NameInUseError",
    "NoServerError",
    "NoSuchTargetError",
    "Pane",
    "PaneClosedError",
    "PaneId",
    "PaneInfo",
    "Phux",
    "PhuxError",
    "Place",
    "ProtocolError",
    "RefusedError",
    "RequestError",
    "RunResult",
    "ScreenChanges",
    "ScreenState",
    "ServiceRestartingError",
    "Session",
    "SessionInfo",
    "SessionList",
    "Signalled",
    "StartFailedError",
    "Started",
    "Status",
    "Stopped",
    "StoppedError",
    "TimedOutError",
    "TransportError",
    "Tree",
    "UnsafePathError",
    "VersionError",
    "Waited",
    "Window",
    "WindowInfo",
    "__version__",
    "blocking",
    "connect",
    "embedded",
]


def __getattr__(name: str) -> object:
    import importlib

    if name == "blocking":
        return importlib.import_module("phux_client.blocking")
    place = _HOME.get(name)
    if place is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(place), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
