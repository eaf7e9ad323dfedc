"""Conversion between documents and shapes."""

from __future__ import annotations

import typing

import attrs
import pytest
from cattrs import BaseValidationError
from styles import PLAIN_STYLE

from phux_core import documents, shapes
from phux_core.errors import PhuxError
from validation import to_document, validate

BOLD_COLORED = PLAIN_STYLE | {
    "bold": True,
    "fg": {"kind": "palette", "index": 200},
    "bg": {"kind": "rgb", "r": 1, "g": 2, "b": 255},
}
GRID = {
    "schema_version": 3,
    "pane": 1,
    "cols": 80,
    "rows": 2,
    "cursor": {"x": 0, "y": 1, "visible": True},
    "lines": ["日本", ""],
    "scrollback": ["old"],
}
SCREEN = GRID | {
    "soft_wrap": {"lines": [], "scrollback": []},
    "seq": 7,
    "alt_screen": False,
    "state": "prompt",
}
PANE = {"id": 1, "index": 0, "active": True, "cols": 80, "rows": 24, "title": None, "command": "sh", "cwd": "/"}
PANE |= {"pid": 7, "state": "running", "foreground": {"command": "make", "pid": 8, "cwd": None}, "exit_status": None}
LAYOUT = {
    "direction": "right",
    "ratio": 0.5,
    "first": 1,
    "second": {"direction": "down", "ratio": 0.25, "first": 2, "second": 3},
}
TIMELINE = {"schema_version": 1, "log": "20260101T000000Z-1-abcd/1", "pane": 1, "first_byte": 0, "next_byte": 9}
TIMELINE |= {"started_at": "2026-01-01T00:00:00.000Z", "ended_at": None, "next": None}
ACTION = {"schema_version": 1, "pane": 1, "kind": "command", "typed": "false", "state": "prompt", "exit_code": 1}
ACTION |= {"started_at": "2026-01-01T00:00:00.000Z", "ended_at": None, "duration_ms": None, "command_id": "1.1"}
ACTION |= {"seq": {"start": 1, "end": 9}, "changed": [{"row": 0, "text": "x"}], "output": "", "truncated": False}
TIMELINE["entries"] = [
    {"at": "2026-01-01T00:00:00.000Z", "seq": 0, "kind": "output"},
    {"at": "2026-01-01T00:00:00.010Z", "seq": 9, "kind": "command_finished", "exit_code": 1, "command_id": "1.1"},
]
WINDOW = {"id": 1, "index": 0, "name": "sh", "active": True, "cols": 80, "rows": 24, "size_policy": None, "zoomed": 2}
WINDOW |= {"layout": LAYOUT, "panes": [PANE]}
PLACE = {"schema_version": 1, "session": "work", "session_id": 1, "window": 0, "window_id": 2, "window_name": "sh"}
PLACE |= {"pane": 1, "terminal_id": 3, "cols": 80, "rows": 24, "zoomed": False}
SESSION = {"id": 1, "name": "work", "created_at": "2026-01-01T00:00:00Z", "attached_clients": 0, "windows": [WINDOW]}
LOGS = {"directory": "/logs", "server": "20260101T000000Z-1-abcd", "bytes": None}
STATUS = {"schema_version": 1, "version": "0.1.0", "protocol": "1.0", "keeper_pid": 1, "service_pid": 2}
STATUS |= {
    "service_restarts": 0,
    "engine": "pyte",
    "engine_notes": [{"terminal": "@1", "engine": "pyte", "note": "it fell back"}],
    "socket": "/s",
    "log": None,
    "uptime_s": 1.5,
    "sessions": 0,
}
STATES = dict.fromkeys(("prompt", "running", "awaiting_input", "awaiting_secret", "fullscreen", "dead"), 0)
STATUS |= {"windows": 0, "panes": 0, "dead_panes": 0, "states": STATES, "clients": 1, "logs": LOGS}
RUN = {"schema_version": 1, "command": "ls", "exit_code": 0, "output": "", "duration_ms": 3, "truncated": False}
RUN |= {"omitted_bytes": 0, "cwd": "/", "started_at": "2026-01-01T00:00:00.000Z", "seq": {"start": 1, "end": 2}}
RUN |= {"interleaved": False, "exit_known": True, "ends_with_newline": True, "command_id": "1.2"}
COMMAND = {
    "schema_version": 1,
    "command_id": "3.17",
    "id": "3.17",
    "pane": 3,
    "command": None,
    "cwd": "/",
    "by": "start",
    "client": "me/1",
}
COMMAND |= {"state": "running", "started_at": "2026-01-01T00:00:00.000Z", "ended_at": None, "exit_code": None}
COMMAND |= {"start": 5, "end": None}
TEXT = {"schema_version": 1, "log": "20260101T000000Z-1-abcd/3", "pane": 3, "content": "x", "returned_lines": 1}
TEXT |= {"total_lines": 9, "truncated": True, "omitted": 8, "first_byte": 5, "next_byte": 7, "eof": False}
TEXT |= {"dropped": 2, "holes": [{"start": 1, "end": 2}]}
LOG = {"log": "20260101T000000Z-1-abcd/3", "pane": 3, "session": "work", "command": "sh", "cwd": "/", "live": True}
LOG |= {"started_at": "2026-01-01T00:00:00.000Z", "ended_at": None, "exit_status": None, "signal": None, "bytes": 7}
LOG |= {"first_byte": 0, "next_byte": 7, "holes": []}
MATCH = {"log": "20260101T000000Z-1-abcd/3", "pane": 3, "line": 1, "offset": 0, "text": "x"}
SIGNALLED = {"schema_version": 1, "pane": "@1", "signal": "INT", "pgid": 7, "pid": 7, "command": "sleep"}
STOPPED = {"schema_version": 1, "pane": "@1", "stopped": True, "signals": ["INT"], "command": "sleep"}
CHECK = {"name": "disk", "ok": True, "message": "there is room", "remedy": ""}

CHANGES = {
    "schema_version": 1,
    "pane": 1,
    "since": 10,
    "seq": 20,
    "full": False,
    "scrolled": 2,
    "changed": [{"row": 0, "text": "42"}],
    "cols": 80,
    "rows": 24,
    "cursor": None,
    "alt_screen": False,
    "state": "prompt",
}
CAPABILITIES = {
    "schema_version": 1,
    "version": "0.1.0",
    "verbs": [{"name": "ls", "summary": "list the sessions", "json": True}],
    "schemas": ["tree.v1"],
    "conditions": ["until"],
    "states": ["prompt"],
    "events": ["bell"],
    "engines": ["pyte"],
    "shells": ["bash"],
    "formats": ["text"],
}
TREE = {"schema_version": 1, "focused_session": None, "focused_pane": None, "sessions": []}
EXAMPLES = [
    ("screen-state", shapes.ScreenState, SCREEN),
    ("screen-state", shapes.ScreenState, SCREEN | {"cursor": None}),
    (
        "screen-state",
        shapes.ScreenState,
        GRID
        | {
            "cells": [
                {"col": 0, "row": 0, "semantic": "prompt", "style": PLAIN_STYLE},
                {"col": 2, "row": 0, "style": BOLD_COLORED},
            ],
            "soft_wrap": {"lines": [0], "scrollback": []},
            "title": "",
            "seq": 0,
            "alt_screen": False,
            "state": "dead",
            "exit_status": 0,
            "met": "until",
            "met_line": "$ ls",
        },
    ),
    ("screen-changes", shapes.ScreenChanges, CHANGES),
    (
        "screen-changes",
        shapes.ScreenChanges,
        {name: CHANGES[name] for name in list(CHANGES)[:-2]}
        | {"cells": [{"col": 2, "row": 0, "style": BOLD_COLORED}], "alt_screen": True, "state": "prompt"}
        | {"outcome": "met", "met": "regex", "met_line": "42"},
    ),
    ("session-list", shapes.SessionList, {"schema_version": 1, "sessions": []}),
    (
        "session-list",
        shapes.SessionList,
        {"schema_version": 1, "sessions": [{"name": "work", "windows": 2, "attached": True}]},
    ),
    ("run-result", shapes.RunResult, RUN),
    ("tree", shapes.Tree, TREE),
    ("tree", shapes.Tree, {"schema_version": 1, "focused_session": "work", "focused_pane": 1, "sessions": [SESSION]}),
    (
        "host-list",
        shapes.HostList,
        {
            "schema_version": 1,
            "hosts": [
                {"host": "local", "tree": TREE, "error": None, "remedy": ""},
                {"host": "box", "tree": None, "error": {"code": "host", "message": "cannot connect"}, "remedy": "look"},
            ],
        },
    ),
    ("status", shapes.Status, STATUS),
    ("command-info", shapes.CommandInfo, COMMAND),
    ("command-list", shapes.CommandList, {"schema_version": 1, "commands": [COMMAND]}),
    ("timeline", shapes.Timeline, TIMELINE),
    ("trajectory-action", shapes.TrajectoryAction, ACTION),
    ("log-text", shapes.LogText, TEXT),
    ("log-text", shapes.LogText, TEXT | {"log": None, "command": COMMAND}),
    ("log-list", shapes.LogList, {"schema_version": 1, "logs": [LOG]}),
    ("matches", shapes.Matches, {"schema_version": 1, "matches": [MATCH], "truncated": False}),
    (
        "matches",
        shapes.Matches,
        {"schema_version": 1, "matches": [MATCH | {"before": [], "after": ["y"]}], "truncated": True},
    ),
    ("started", shapes.Started, {"schema_version": 1, "command_id": "3.17", "command": "3.17", "pane": "@3", "seq": 5}),
    ("signalled", shapes.Signalled, SIGNALLED | {"through": "tty"}),
    ("stopped", shapes.Stopped, STOPPED | {"duration_ms": 3}),
    ("capabilities", shapes.Capabilities, CAPABILITIES),
    ("checks", shapes.Checks, {"schema_version": 1, "ok": True, "checks": [CHECK]}),
    (
        "error",
        shapes.Error,
        {"schema_version": 1, "error": {"code": "x", "message": "y"}, "remedy": "", "exit_code": 1},
    ),
    ("created", shapes.Created, {"session": "work", "terminal_id": 3}),
    ("sent", shapes.Sent, {"schema_version": 1, "sent": True, "pane": "@1", "bytes": 2}),
    ("detached", shapes.Detached, {"schema_version": 1, "detached": 2}),
    ("place", shapes.Place, PLACE),
    (
        "upgraded",
        shapes.Upgraded,
        {"schema_version": 1, "replaced": True, "version": "2", "previous_version": "1", "keeper_version": None},
    ),
    ("swapped", shapes.Swapped, {"schema_version": 1, "places": [PLACE, PLACE | {"zoomed": True}]}),
    ("killed", shapes.Killed, {"schema_version": 1, "killed": 2}),
]
EVENTS = [
    {"event": "dirty", "terminal": "@1", "seq": 5},
    {"event": "idle", "terminal": "@1", "seq": 5},
    {"event": "bell", "terminal": "@1", "seq": 5},
    {"event": "title_changed", "terminal": "@1", "title": "vim", "seq": 5},
    {"event": "pane_spawned", "terminal": "@1", "seq": 0},
    {"event": "pane_closed", "terminal": "@1", "exit_status": 0, "seq": 5},
    {"event": "pane_closed", "terminal": "@1", "exit_status": None, "signal": "SIGKILL", "seq": 5},
    {"event": "command_started", "terminal": "@1", "command": "make", "command_id": "1.1", "seq": 5},
    {"event": "command_started", "terminal": "@1", "command": None, "command_id": "1.1", "seq": 5},
    {"event": "command_finished", "terminal": "@1", "exit_code": 2, "command_id": "1.1", "command": "ls x", "seq": 5},
    {"event": "command_finished", "terminal": "@1", "exit_code": None, "command_id": None, "seq": 5},
    {"event": "state_changed", "terminal": "@1", "state": "awaiting_secret", "command": "sudo", "pid": 7, "seq": 5},
    {"event": "state_changed", "terminal": "@1", "state": "dead", "command": None, "pid": None, "seq": 5},
    {"event": "cwd_changed", "terminal": "@1", "cwd": "/tmp", "seq": 5},
    {"event": "resized", "terminal": "@1", "cols": 80, "rows": 24, "seq": 5},
    {"event": "renamed", "what": "session", "id": 3, "name": "work"},
    {"event": "session_added", "session": 1, "name": "work"},
    {"event": "session_closed", "session": 1, "name": "work"},
    {"event": "window_added", "window": 2, "session": 1, "index": 0},
    {"event": "window_moved", "window": 2, "session": 1, "index": 5},
    {"event": "window_closed", "window": 2, "session": 1},
    {"event": "layout_changed", "window": 2},
    {"event": "focus_changed", "session": 1, "window": 2, "pane": 3},
    {"event": "output", "terminal": "@1", "text": ["one", "tw"], "resume": 5, "seq": 7},
    {"event": "output", "terminal": "@1", "text": [], "gap": True, "resume": 7, "seq": 7},
    {"event": "dropped", "count": 3},
]

every_example = pytest.mark.parametrize(("name", "kind", "document"), EXAMPLES)


@every_example
def test_a_document_is_unchanged_after_conversion_to_a_shape_and_back(name, kind, document):
    validate(name, document)
    shape = documents.load(kind, document)
    assert type(shape) is kind
    assert to_document(shape) == document


@every_example
def test_unknown_keys_are_ignored_at_every_depth(name, kind, document):
    assert documents.load(kind, _with_unknown_keys(document)) == documents.load(kind, document)


def _with_unknown_keys(node):
    if isinstance(node, dict):
        return {key: _with_unknown_keys(value) for key, value in node.items()} | {"from_the_future": {"x": 1}}
    return [_with_unknown_keys(item) for item in node] if isinstance(node, list) else node


@every_example
def test_a_document_without_a_required_field_is_refused(name, kind, document):
    required = [field.name for field in attrs.fields(kind) if field.default is attrs.NOTHING]
    assert required
    for field in required:
        with pytest.raises((PhuxError, BaseValidationError)):
            documents.load(kind, {key: value for key, value in document.items() if key != field})


def test_the_examples_cover_every_schema():
    from phux_core import schema

    names = {name for name, _kind, _document in EXAMPLES} | {"event"}
    assert names == {name.partition(".")[0] for name in schema.names()}


def test_optional_fields_without_a_value_are_omitted_from_the_document():
    screen = documents.load(shapes.ScreenState, SCREEN)
    assert screen.title is screen.cells is screen.exit_status is None
    assert {"title", "cells", "exit_status"}.isdisjoint(to_document(screen))


def test_required_fields_that_are_none_become_null_in_the_document():
    tree = shapes.Tree(focused_session=None, focused_pane=None, sessions=[])
    assert to_document(tree)["focused_pane"] is None
    closed = shapes.PaneClosed(terminal="@1", exit_status=None, seq=1)
    assert to_document(closed) == {"event": "pane_closed", "terminal": "@1", "exit_status": None, "seq": 1}


def test_empty_and_zero_values_are_not_omitted():
    screen = documents.load(shapes.ScreenState, SCREEN | {"title": "", "seq": 0, "alt_screen": False, "cells": []})
    assert (screen.title, screen.seq, screen.alt_screen, screen.cells) == ("", 0, False, [])
    assert to_document(screen)["cells"] == []


@pytest.mark.parametrize("document", EVENTS, ids=lambda document: document["event"])
def test_every_event_is_unchanged_after_conversion_to_a_shape_and_back(document):
    validate("event", document)
    event = documents.load_event(document)
    assert type(event) is documents.EVENTS[document["event"]]
    assert to_document(event) == document


def test_every_event_class_is_registered_by_name():
    assert set(documents.EVENTS.values()) == set(typing.get_args(shapes.Event))
    assert set(documents.EVENTS) == {document["event"] for document in EVENTS}


def test_an_unknown_event_is_loaded_as_none():
    assert documents.load_event({"event": "from_the_future", "terminal": "@1"}) is None


def test_colors_are_loaded_by_their_kind():
    cells = [{"col": 0, "row": 0, "style": BOLD_COLORED}]
    style = documents.load(shapes.ScreenState, SCREEN | {"cells": cells}).cells[0].style
    assert style.fg == shapes.PaletteColor(index=200)
    assert style.bg == shapes.RgbColor(r=1, g=2, b=255)
    assert style.bold is True


def test_cells_with_the_same_style_share_one_style_object():
    shared = dict(BOLD_COLORED)
    cells = [{"col": col, "row": 0, "style": shared} for col in range(3)]
    loaded = documents.load(shapes.ScreenState, SCREEN | {"cells": cells}).cells
    assert loaded[0].style is loaded[1].style is loaded[2].style


def test_shapes_are_immutable_and_compare_by_value():
    screen = documents.load(shapes.ScreenState, SCREEN)
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        screen.cols = 1
    assert screen == documents.load(shapes.ScreenState, SCREEN)
    assert screen.text == "日本"
