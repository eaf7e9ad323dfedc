"""The JSON contract as attrs classes: what every surface says, whatever language reads it.

The files under schemas/ are generated from these classes (``phux_core.schema``), descriptions included. Two rules
tell what a document looks like:

- a field without a default is always there, and null where its type allows None;
- a field whose default is None is left out when there is nothing to say, and never null.

A shape's ``schema_version`` changes only when a field is removed, renamed or retyped; readers ignore keys they do not
know. The order of the fields is the order in the document.
"""

from phux_core.shapes.events import (
    Bell,
    CommandFinished,
    CommandStarted,
    CwdChanged,
    Dirty,
    Dropped,
    Event,
    Idle,
    Output,
    PaneClosed,
    PaneSpawned,
    Renamed,
    Resized,
    StateChanged,
    TitleChanged,
)
from phux_core.shapes.results import (
    Created,
    Detached,
    EngineNote,
    Error,
    ErrorDetail,
    Killed,
    RunResult,
    Sent,
    SeqRange,
    StateCounts,
    Status,
)
from phux_core.shapes.screen import (
    CellColor,
    CellInfo,
    CellStyle,
    Cursor,
    DefaultColor,
    PaletteColor,
    RgbColor,
    ScreenState,
    SoftWrap,
)
from phux_core.shapes.tree import (
    Foreground,
    PaneId,
    PaneInfo,
    SessionEntry,
    SessionInfo,
    SessionList,
    State,
    Tree,
    WindowInfo,
)

__all__ = [
    "Bell",
    "CellColor",
    "CellInfo",
    "CellStyle",
    "CommandFinished",
    "CommandStarted",
    "Created",
    "Cursor",
    "CwdChanged",
    "DefaultColor",
    "Detached",
    "Dirty",
    "Dropped",
    "EngineNote",
    "Error",
    "ErrorDetail",
    "Event",
    "Foreground",
    "Idle",
    "Killed",
    "Output",
    "PaletteColor",
    "PaneClosed",
    "PaneId",
    "PaneInfo",
    "PaneSpawned",
    "Renamed",
    "Resized",
    "RgbColor",
    "RunResult",
    "ScreenState",
    "Sent",
    "SeqRange",
    "SessionEntry",
    "SessionInfo",
    "SessionList",
    "SoftWrap",
    "State",
    "StateChanged",
    "StateCounts",
    "Status",
    "TitleChanged",
    "Tree",
    "WindowInfo",
]
