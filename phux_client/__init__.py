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
    from phux_client.aio import *
    from phux_client.waited import Waited
    from phux_core.errors import *
    from phux_core.shapes import *
    from phux_core.version import __version__

# Where to look for a name, the lightest module first.
_HOMES = ("phux_core.version", "phux_core.errors", "phux_core.shapes", "phux_client.aio", "phux_client.waited")

__all__ = [
    "BadConfigError",
    "BadCwdError",
    "BadNameError",
    "BadRequestError",
    "BadSelectorError",
    "BadSizeError",
    "Bell",
    "BusyError",
    "CannotExecuteError",
    "CellColor",
    "CellInfo",
    "CellStyle",
    "ChangedRow",
    "CommandFinished",
    "CommandInfo",
    "CommandStarted",
    "Condition",
    "Cursor",
    "CwdChanged",
    "DefaultColor",
    "Direction",
    "Dirty",
    "DisconnectedError",
    "Dropped",
    "EngineNote",
    "Event",
    "EventName",
    "EventStream",
    "FocusChanged",
    "Foreground",
    "Idle",
    "InputBlockedError",
    "InputTooLongError",
    "InternalError",
    "LayoutChanged",
    "LayoutName",
    "LayoutSplit",
    "LimitError",
    "LogHole",
    "LogInfo",
    "LogMode",
    "LogStatus",
    "LogStream",
    "LogText",
    "Match",
    "NameInUseError",
    "NoServerError",
    "NoSuchTargetError",
    "Output",
    "PaletteColor",
    "Pane",
    "PaneClosed",
    "PaneClosedError",
    "PaneId",
    "PaneInfo",
    "PaneSpawned",
    "Phux",
    "PhuxError",
    "Place",
    "ProtocolError",
    "RefusedError",
    "Renamed",
    "RequestError",
    "Resized",
    "RgbColor",
    "RunResult",
    "ScreenChanges",
    "ScreenState",
    "SeqRange",
    "ServiceRestartingError",
    "Session",
    "SessionAdded",
    "SessionClosed",
    "SessionEntry",
    "SessionInfo",
    "SessionList",
    "Side",
    "Signal",
    "Signalled",
    "SizePolicy",
    "SoftWrap",
    "StartFailedError",
    "Started",
    "State",
    "StateChanged",
    "StateCounts",
    "Status",
    "Step",
    "Stopped",
    "StoppedError",
    "TimedOutError",
    "TitleChanged",
    "TransportError",
    "Tree",
    "UnsafePathError",
    "VersionError",
    "Waited",
    "Window",
    "WindowAdded",
    "WindowClosed",
    "WindowInfo",
    "WindowMoved",
    "__version__",
    "blocking",
    "connect",
    "embedded",
]


def __getattr__(name: str) -> object:
    import importlib

    if name == "blocking":
        return importlib.import_module("phux_client.blocking")
    if name in __all__:
        for home in _HOMES:
            module = importlib.import_module(home)
            if hasattr(module, name):
                value: object = getattr(module, name)
                globals()[name] = value
                return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
