"""The names that phux_client exports, their documentation and types, and the equality of the two clients."""

from __future__ import annotations

import ast
import importlib
import inspect
import itertools
import subprocess
import sys
import types
from pathlib import Path
from typing import get_args

import attrs
import pytest

import phux_client
from phux_client import aio, blocking, flows
from phux_core import documents, kinds, layout

EXPORTED = [
    "AmbiguousError",
    "BadConfigError",
    "BadHostError",
    "BadCwdError",
    "BadNameError",
    "BadRequestError",
    "BadSelectorError",
    "BadSizeError",
    "Bell",
    "BusyError",
    "CannotExecuteError",
    "CastVersion",
    "CellColor",
    "CellInfo",
    "CellStyle",
    "ChangedRow",
    "CommandFinished",
    "CommandInfo",
    "CommandStarted",
    "Condition",
    "Cursor",
    "CursorShape",
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
    "ExpectationError",
    "Fleet",
    "FocusChanged",
    "Foreground",
    "Idle",
    "HostError",
    "HostEvents",
    "HostResult",
    "InputBlockedError",
    "InputTooLongError",
    "InternalError",
    "ItemResult",
    "ItemResults",
    "LayoutChanged",
    "LayoutName",
    "LayoutSplit",
    "LimitError",
    "LogInfo",
    "LogMode",
    "LogStatus",
    "LogStream",
    "LogText",
    "LostPane",
    "Match",
    "MemoryStatus",
    "Modifier",
    "MouseButton",
    "NameInUseError",
    "NoServerError",
    "NoSuchTargetError",
    "Output",
    "PaletteColor",
    "Pane",
    "PaneClosed",
    "PaneClosedError",
    "PaneExpectation",
    "PaneId",
    "PaneInfo",
    "PaneSpawned",
    "Phux",
    "PhuxError",
    "PictureFormat",
    "Place",
    "ProtocolError",
    "RecordingFormat",
    "RefusedError",
    "Region",
    "Renamed",
    "RequestError",
    "Resized",
    "RgbColor",
    "RunResult",
    "RunStream",
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
    "StyleName",
    "ThemeName",
    "TimedOutError",
    "Timeline",
    "TimelineEntry",
    "TimelineKind",
    "TitleChanged",
    "TrajectoryAction",
    "TransportError",
    "Tree",
    "UncleanEnd",
    "UnderlineStyle",
    "UnsafePathError",
    "Upgraded",
    "VersionError",
    "Waited",
    "WaitingError",
    "Window",
    "WindowAdded",
    "WindowClosed",
    "WindowInfo",
    "WindowMoved",
    "__version__",
    "blocking",
    "connect",
    "embedded",
    "expect",
    "fleet",
]

CLASSES = ("EventStream", "LogStream", "Pane", "Phux", "RunStream", "Session", "Window")
FUNCTIONS = ("connect", "embedded")


def test_exactly_the_expected_names_are_exported():
    assert sorted(phux_client.__all__) == sorted(EXPORTED)


def test_every_exported_name_exists_and_is_in_dir():
    for name in EXPORTED:
        assert getattr(phux_client, name) is not None
    assert dir(phux_client) == sorted(EXPORTED)


def test_a_name_that_is_not_exported_raises_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Keeper'"):
        _ = phux_client.Keeper


def documented(name):
    """Return the docstring of an exported name, or the string after its assignment."""
    value = getattr(phux_client, name)
    if isinstance(value, (type, types.FunctionType, types.ModuleType)):
        return value.__doc__
    return documented_assignments("phux_core.shapes").get(name)


def documented_assignments(package):
    module = importlib.import_module(package)
    found = {}
    names = [package, *(part.__name__ for part in vars(module).values() if isinstance(part, types.ModuleType))]
    for name in names:
        if not name.startswith(package):
            continue
        body = ast.parse(inspect.getsource(importlib.import_module(name))).body
        for node, following in itertools.pairwise(body):
            if (
                isinstance(node, ast.Assign)
                and isinstance(following, ast.Expr)
                and isinstance(following.value, ast.Constant)
            ):
                found[node.targets[0].id] = following.value.value
    return found


def test_every_exported_name_has_a_docstring():
    assert [name for name in EXPORTED if name != "__version__" and not documented(name)] == []


def members(kind):
    return {
        name: value
        for name, value in vars(kind).items()
        if not name.startswith("_") and (callable(value) or isinstance(value, property))
    }


@pytest.mark.parametrize("client", [aio, blocking], ids=["aio", "blocking"])
@pytest.mark.parametrize("name", CLASSES)
def test_every_public_method_has_a_docstring(client, name):
    kind = getattr(client, name)
    assert kind.__doc__
    for method, value in members(kind).items():
        assert value.__doc__, f"{name}.{method}"


def test_both_clients_export_the_same_names():
    assert {*aio.__all__} == {*blocking.__all__} == {*CLASSES, *FUNCTIONS, "DEFAULT_TIMEOUT_S"}


def test_the_blocking_client_is_generated_from_the_current_async_client():
    script = Path(__file__).parents[3] / "tools" / "generate_blocking.py"
    finished = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, timeout=60)
    assert (finished.returncode, finished.stdout) == (0, "")


SHARED = [(name, method) for name in CLASSES for method in members(getattr(aio, name))]


@pytest.mark.parametrize(("name", "method"), SHARED, ids=[".".join(pair) for pair in SHARED])
def test_no_method_of_the_blocking_client_is_async(name, method):
    function = getattr(getattr(blocking, name), method, None)
    assert not inspect.iscoroutinefunction(function)
    assert not inspect.isasyncgenfunction(inspect.unwrap(function) if callable(function) else function)


# Types in signatures and fields


def annotations(kind):
    """Yield the annotations of a public function, or of all public methods of a class."""
    functions = [kind]
    if isinstance(kind, type):
        public = {name: value for base in reversed(kind.__mro__[:-1]) for name, value in vars(base).items()}
        functions = [value for name, value in public.items() if not name.startswith("_")]
    for function in functions:
        plain = inspect.unwrap(function.fget if isinstance(function, property) else function)
        yield from getattr(plain, "__annotations__", {}).values()


def names_in(annotation):
    """Yield the names in an annotation; only the last part of a dotted name."""
    for node in ast.walk(ast.parse(str(annotation), mode="eval")):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name) and node.id not in {"shapes", "flows"}:
            yield node.id


GENERAL = {"re", "Pattern", "str", "bytes", "int", "float", "bool", "list", "tuple", "dict", "type", "Self"}
GENERAL |= {"Callable", "PathLike", "datetime", "Sequence", "Mapping", "AsyncIterator", "AbstractAsyncContextManager"}
VARIABLES = {"Result", "Shape", "Item", "Value", "Exception"}


@pytest.mark.parametrize("name", [*CLASSES, *FUNCTIONS])
def test_every_type_in_a_public_signature_is_exported(name):
    mentioned = {word for annotation in annotations(getattr(aio, name)) for word in names_in(annotation)}
    assert mentioned - GENERAL - VARIABLES <= {*EXPORTED, *flows.__all__}


@pytest.mark.parametrize("name", [name for name in EXPORTED if attrs.has(getattr(phux_client, name))])
def test_every_type_of_a_shape_field_is_exported(name):
    kind = getattr(phux_client, name)
    fields = [note for base in kind.__mro__ for note in vars(base).get("__annotations__", {}).values()]
    mentioned = {word for note in fields for word in names_in(note)}
    assert mentioned - GENERAL - VARIABLES - {"Literal"} <= set(EXPORTED)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        (phux_client.State, kinds.STATES),
        (phux_client.Signal, kinds.SIGNALS),
        (phux_client.SizePolicy, [*kinds.SIZE_POLICIES, "default"]),
        (phux_client.LayoutName, layout.PRESETS),
        (phux_client.Side, kinds.SIDE.schema["enum"]),
        (phux_client.EventName, [*documents.EVENTS]),
        (phux_client.EventName, [*flows.EVENTS, "output"]),
    ],
)
def test_a_literal_type_has_the_values_that_are_checked_at_runtime(kind, values):
    assert set(get_args(kind)) == set(values)
