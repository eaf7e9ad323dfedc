"""The JSON contract of the CLI, the library and MCP, as attrs classes.

The files under schemas/ are generated from these classes (``phux_core.schema``), including descriptions. Two rules
define a document:

- a field whose default is None is omitted when it has no value, and never null;
- any other field is always present, and may be null if its type allows None.

A shape's ``schema_version`` changes only when a field is removed, renamed or retyped; readers ignore unknown keys.

A shape is imported when it is first used, so that modules that the CLI imports at its start can name shapes without
loading attrs.
"""

# ruff: noqa: F403  the modules list the names once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_core.shapes.events import *
    from phux_core.shapes.logs import *
    from phux_core.shapes.results import *
    from phux_core.shapes.screen import *
    from phux_core.shapes.timeline import *
    from phux_core.shapes.tree import *
    from phux_core.shapes.vocabulary import *

_MODULES = ("vocabulary", "results", "tree", "screen", "logs", "timeline", "events")


def __getattr__(name: str) -> object:
    if name[0].isupper():  # the names of all shapes do, those of modules do not
        import importlib

        for module in _MODULES:
            found = vars(importlib.import_module(f"{__name__}.{module}"))
            if name in found:
                globals()[name] = found[name]
                return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
