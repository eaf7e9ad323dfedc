"""The JSON contract of the CLI, the library and MCP, as attrs classes.

The files under schemas/ are generated from these classes (``phux_core.schema``), including descriptions. Two rules
define a document:

- a field without a default is always present, and may be null if its type allows None;
- a field whose default is None is omitted when it has no value, and never null.

A shape's ``schema_version`` changes only when a field is removed, renamed or retyped; readers ignore unknown keys. The
order of the fields is their order in the document.

A shape is imported when it is first used, so that modules on the CLI's path can name shapes without loading attrs.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_core.shapes.events import (
        Bell,
        CommandFinished,
        CommandStarted,
        CwdChanged,
        Dirty,
        Dropped,
        Event,
        FocusChanged,
        Idle,
        LayoutChanged,
        Output,
        PaneClosed,
        PaneSpawned,
        Renamed,
        Resized,
        SessionAdded,
        SessionClosed,
        StateChanged,
        TitleChanged,
        WindowAdded,
        WindowClosed,
        WindowMoved,
    )
    from phux_core.shapes.logs import (
        Check,
        Checks,
        CommandInfo,
        CommandList,
        LogInfo,
        LogList,
        LogText,
        Match,
        Matches,
        Signalled,
        Started,
        Stopped,
    )
    from phux_core.shapes.results import (
        Created,
        Detached,
        EngineNote,
        Error,
        ErrorDetail,
        Killed,
        LogHole,
        LogStatus,
        Place,
        RunResult,
        Sent,
        SeqRange,
        StateCounts,
        Status,
        Swapped,
    )
    from phux_core.shapes.screen import (
        CellColor,
        CellInfo,
        CellStyle,
        ChangedRow,
        Cursor,
        DefaultColor,
        PaletteColor,
        RgbColor,
        ScreenChanges,
        ScreenState,
        SoftWrap,
    )
    from phux_core.shapes.tree import (
        Foreground,
        LayoutSplit,
        PaneId,
        PaneInfo,
        SessionEntry,
        SessionInfo,
        SessionList,
        Tree,
        WindowInfo,
    )
    from phux_core.shapes.vocabulary import (
        Condition,
        Direction,
        EventName,
        LayoutName,
        LogMode,
        Side,
        Signal,
        SizePolicy,
        State,
        Step,
    )

_MODULES = ("events", "logs", "results", "screen", "tree", "vocabulary")

__all__ = [
    "Bell",
    "CellColor",
    "CellInfo",
    "CellStyle",
    "ChangedRow",
    "Check",
    "Checks",
    "CommandFinished",
    "CommandInfo",
    "CommandList",
    "CommandStarted",
    "Condition",
    "Created",
    "Cursor",
    "CwdChanged",
    "DefaultColor",
    "Detached",
    "Direction",
    "Dirty",
    "Dropped",
    "EngineNote",
    "Error",
    "ErrorDetail",
    "Event",
    "EventName",
    "FocusChanged",
    "Foreground",
    "Idle",
    "Killed",
    "LayoutChanged",
    "LayoutName",
    "LayoutSplit",
    "LogHole",
    "LogInfo",
    "LogList",
    "LogMode",
    "LogStatus",
    "LogText",
    "Match",
    "Matches",
    "Output",
    "PaletteColor",
    "PaneClosed",
    "PaneId",
    "PaneInfo",
    "PaneSpawned",
    "Place",
    "Renamed",
    "Resized",
    "RgbColor",
    "RunResult",
    "ScreenChanges",
    "ScreenState",
    "Sent",
    "SeqRange",
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
    "Started",
    "State",
    "StateChanged",
    "StateCounts",
    "Status",
    "Step",
    "Stopped",
    "Swapped",
    "TitleChanged",
    "Tree",
    "WindowAdded",
    "WindowClosed",
    "WindowInfo",
    "WindowMoved",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    for module in _MODULES:
        found = vars(importlib.import_module(f"{__name__}.{module}"))
        globals().update((each, found[each]) for each in __all__ if each in found)
    return globals()[name]
