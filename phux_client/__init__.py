"""Control real terminals from Python: run commands, type, wait, and read screens.

    import phux_client

    async with phux_client.connect(start=True) as phux:
        work = await phux.new_session("work")
        result = await work.pane.run("make test", timeout_s=600)
        print(result.exit_code, result.output)

``connect`` and ``embedded`` are async and run under asyncio and trio. ``phux_client.blocking`` has the same API without
``await``. Names are imported when first used, so that ``phux_client.blocking`` can be imported without the async
client.

    flows      each verb once, without I/O
    aio        the async client (anyio)
    fleets     several hosts, on top of the async client
    blocking   the blocking client, generated from aio
    starting   starts a server
    embedding  runs a private server
"""

from phux_core.lazy import importer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client import blocking as blocking
    from phux_client.aio import *
    from phux_client.aio.expecting import PaneExpectation as PaneExpectation
    from phux_client.expecting import ExpectationError as ExpectationError
    from phux_client.expecting import expect as expect
    from phux_client.fleets import *
    from phux_client.waited import Waited as Waited
    from phux_core.errors import *
    from phux_core.shapes import *
    from phux_core.version import __version__ as __version__

_NAMES = {
    "phux_core.version": "__version__",
    "phux_client.aio": "EventStream LogStream Pane Phux RunStream Session Window connect embedded",
    "phux_client.aio.expecting": "PaneExpectation",
    "phux_client.expecting": "ExpectationError expect",
    "phux_client.fleets": "Fleet HostEvents HostResult ItemResult ItemResults fleet",
    "phux_client.waited": "Waited",
    "phux_core.shapes": """
        CellColor CellInfo CellStyle ChangedRow CommandInfo Cursor DefaultColor EngineNote Foreground LayoutSplit
        LogInfo LogStatus LogText LostPane Match MemoryStatus PaletteColor PaneInfo Place Region RgbColor RunResult
        ScreenChanges ScreenState SeqRange SessionEntry SessionInfo SessionList Signalled SoftWrap Started StateCounts
        Status Stopped Timeline TimelineEntry TrajectoryAction Tree UncleanEnd Upgraded WindowInfo

        CastVersion Condition CursorShape Direction EventName LayoutName LogMode Modifier MouseButton PaneId
        PictureFormat RecordingFormat Side Signal SizePolicy State Step StyleName ThemeName TimelineKind
        UnderlineStyle

        Event Bell CommandFinished CommandStarted CwdChanged Dirty Dropped FocusChanged Idle LayoutChanged Output
        PaneClosed PaneSpawned Renamed Resized SessionAdded SessionClosed StateChanged TitleChanged WindowAdded
        WindowClosed WindowMoved
    """,
    "phux_core.errors": """
        PhuxError
        TransportError DisconnectedError NoServerError ServiceRestartingError StartFailedError TimedOutError
        UnsafePathError HostError
        ProtocolError VersionError
        RequestError AmbiguousError BadConfigError BadCwdError BadHostError BadNameError BadRequestError
        BadSelectorError BadSizeError BusyError CannotExecuteError InputBlockedError InputTooLongError InternalError
        LimitError NameInUseError NoSuchTargetError PaneClosedError RefusedError StoppedError WaitingError
    """,
}
_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}
_MODULES["blocking"] = "phux_client.blocking"
__all__ = list(_MODULES)
__getattr__ = importer(globals(), _MODULES)


def __dir__() -> list[str]:
    return sorted(__all__)
