"""Every public name has a docstring with an example, and every example runs."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import doctest
import importlib
import inspect
import io
import itertools
import re
import sys
import types
from types import UnionType
from typing import Literal, get_args, get_origin

import attrs
import pytest

import phux_client
from phux_client import aio, blocking, fleets
from phux_core.errors import ERRORS
from phux_core.shapes import events, tree
from servers import embedded_server, server_without_sessions

PURE = [
    "phux_core.logs.places",
    "phux_core.logs.searching",
    "phux_core.logs.text",
    "phux_core.engine.plain",
    "phux_core.server.run.output_capture",
    "phux_core.server.run.command_text",
    "phux_core.server.shell.marks",
    "phux_core.server.shell.output_bounds",
    "phux_core.keys",
    "phux_core.width",
    "phux_core.errors",
    "phux_client.tui.canvas",
    "phux_client.tui.status",
    "phux_core.layout._arrange",
    "phux_core.schema",
    "phux_client.flows._documents",
    "phux_client.flows.sending",
]


@pytest.mark.parametrize("name", PURE)
def test_examples_that_need_no_server_run(name):
    __import__(name)
    found = doctest.testmod(sys.modules[name])
    assert found.attempted > 0
    assert found.failed == 0


def _exported(module):
    yield from ((name, getattr(module, name)) for name in module.__all__)
    yield "PaneExpectation", importlib.import_module(f"{module.__name__}.expecting").PaneExpectation
    if module is blocking:
        yield "expect", phux_client.expect


def _members(module):
    for name, thing in _exported(module):
        if inspect.isclass(thing):
            yield name, thing
            own = {name: member for kind in reversed(thing.__mro__[:-1]) for name, member in vars(kind).items()}
            for member_name, member in own.items():
                if not member_name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                    yield f"{name}.{member_name}", member
        elif inspect.isfunction(thing):
            yield name, thing


EXAMPLES = [
    pytest.param(module, name, member, id=f"{module.__name__}.{name}")
    for module in (aio, blocking)
    for name, member in _members(module)
]


# Examples that end the server, or depend on ids or on all its logs and commands.
WITH_A_SERVER_OF_THEIR_OWN = {
    "EventStream.next",
    "LogStream.next",
    "Pane.select",
    "Pane.selector",
    "Pane.watch",
    "Phux.commands",
    "Phux.kill_server",
    "Phux.log_list",
    "Phux.logs",
    "Phux.pane",
    "Phux.search",
    "Phux.watch",
    "Session.new_window",
    "Session.pane",
    "Window",
    "Window.info",
    "Window.pane",
    "Window.panes",
    "Window.split",
}


@pytest.fixture
def socket(request, name):
    """A server without sessions."""
    own = name in WITH_A_SERVER_OF_THEIR_OWN
    with server_without_sessions(None if own else request.getfixturevalue("shared_server")) as server:
        yield server.socket


@pytest.mark.parametrize(("module", "name", "member"), EXAMPLES)
def test_the_example_of_each_public_name_runs(module, name, member, socket):
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(member) or "")
    assert examples, f"{name} has no example"
    if module is aio:
        asyncio.run(_run_async(socket, examples))
        return
    with blocking.connect(socket) as phux:
        session = phux.new_session("work", command=["sh"])
        session.pane.wait(until="$", timeout_s=10)
        session.pane.wait(state="prompt", timeout_s=10)
        if _watches(examples):
            session.pane.wait(idle_ms=100, timeout_s=10)
        (window,) = session.windows()
        names = {"phux": phux, "session": session, "window": window, "pane": session.pane}
        names |= _module_names(module, socket)
        for example in examples:
            assert _run(example, names) == example.want, example.source


def _fleet_members():
    for name in fleets.__all__:
        thing = getattr(fleets, name)
        yield name, thing
        if inspect.isclass(thing):
            public = (member for member in vars(thing) if not member.startswith("_"))
            yield from ((f"{name}.{member}", vars(thing)[member]) for member in public)


OF_FLEETS = [
    (name, member) for name, member in _fleet_members() if inspect.isclass(member) or inspect.isfunction(member)
]


@pytest.mark.parametrize(("name", "member"), OF_FLEETS, ids=[name for name, _member in OF_FLEETS])
def test_the_example_of_each_name_of_fleets_runs(name, member, socket, monkeypatch):
    monkeypatch.setenv("PHUX_SOCKET", socket)
    examples = doctest.DocTestParser().get_examples(inspect.getdoc(member) or "")
    assert examples, f"{name} has no example"
    names = {kind: getattr(fleets, kind) for kind in fleets.__all__} | {"phux_client": phux_client}

    async def run():
        async with fleets.fleet(["local"]) as fleet:
            await _run_async(socket, examples, **names | {"fleet": fleet})

    asyncio.run(run())


async def _run_async(socket, examples, **more):
    async with aio.connect(socket) as phux:
        session = await phux.new_session("work", command=["sh"])
        await session.pane.wait(until="$", timeout_s=10)
        await session.pane.wait(state="prompt", timeout_s=10)
        if _watches(examples):
            await session.pane.wait(idle_ms=100, timeout_s=10)
        (window,) = await session.windows()
        names = {"phux": phux, "session": session, "window": window, "pane": session.pane}
        names |= _module_names(aio, socket) | more
        for example in examples:
            code = compile(example.source, "<example>", "single", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            with _captured() as out:
                coroutine = types.FunctionType(code, names)()
                if inspect.iscoroutine(coroutine):
                    await coroutine
            assert out.getvalue() == example.want, example.source


def _watches(examples):
    """Return True if the examples watch a pane, which must then be idle: only new output causes a ``dirty`` event."""
    return any(".watch(" in example.source for example in examples)


def _module_names(module, socket):
    return {"connect": lambda: module.connect(socket), "embedded": lambda: module.embedded(engine="pyte")}


def _run(example, names):
    with _captured() as out:
        exec(compile(example.source, "<example>", "single"), names)
    return out.getvalue()


@contextlib.contextmanager
def _captured():
    out = io.StringIO()
    old_hook = sys.displayhook
    sys.displayhook = lambda value: None if value is None else print(repr(value))
    try:
        with contextlib.redirect_stdout(out):
            yield out
    finally:
        sys.displayhook = old_hook


# A NewType and a union cannot have a docstring; a string after the definition documents them in the source.
NAMES_OF_TYPES = {"PaneId": tree, "Event": events}
# Literal types and unions of shapes, which have no examples.
VOCABULARY = {name for name in phux_client.__all__ if get_origin(getattr(phux_client, name)) in {Literal, UnionType}}
HANDLES = {*aio.__all__, *fleets.__all__, "PaneExpectation", "expect"} - {"DEFAULT_TIMEOUT_S"}
SHAPES_AND_ERRORS = [
    name
    for name in phux_client.__all__
    if inspect.isclass(getattr(phux_client, name)) and name not in {*HANDLES, *NAMES_OF_TYPES, *VOCABULARY}
]


@pytest.fixture
def names(shared_names):
    """The names used in examples of shapes; the pane is at its prompt."""
    shared_names["pane"].wait(state="prompt", timeout_s=10)
    return shared_names


@pytest.fixture(scope="module")
def shared_names():
    """A session called work, with a bold green word on its screen."""
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        session = phux.new_session("work", command=["sh", "-c", r"printf '\033[1;32mgreen\033[m'; exec sh"])
        session.pane.wait(until="green", timeout_s=10)
        everything = {name: getattr(phux_client, name) for name in (*SHAPES_AND_ERRORS, *NAMES_OF_TYPES)}
        yield {"phux": phux, "session": session, "pane": session.pane, **everything}


def parts():
    """Return names that other examples show: shapes in fields of other shapes, events, and all errors but the base."""
    found = {kind.__name__ for kind in get_args(phux_client.Event)}
    found |= {kind.__name__ for kind in ERRORS.values() if kind is not phux_client.PhuxError}
    for name in SHAPES_AND_ERRORS:
        kind = getattr(phux_client, name)
        if attrs.has(kind):
            hints = " ".join(str(field.type) for field in attrs.fields(attrs.resolve_types(kind)))
            found |= {other for other in SHAPES_AND_ERRORS if re.search(rf"\b{other}\b", hints)}
    return found | {kind.__name__ for kind in get_args(phux_client.CellColor)}


PARTS = parts()


@pytest.mark.parametrize("name", SHAPES_AND_ERRORS)
def test_the_example_of_each_shape_and_error_runs(name, names):
    thing = getattr(phux_client, name)
    if name not in PARTS or ">>>" in thing.__doc__:
        _run_all(thing.__doc__, name, names)
    for member_name, member in vars(thing).items():
        if not member_name.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
            _run_all(inspect.getdoc(member), f"{name}.{member_name}", names)


@pytest.mark.parametrize("name", NAMES_OF_TYPES)
def test_the_example_of_each_type_name_runs(name, names):
    statements = ast.parse(inspect.getsource(NAMES_OF_TYPES[name])).body
    (text,) = (
        text.value.value
        for statement, text in itertools.pairwise(statements)
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == name
    )
    _run_all(text, name, names)


def _run_all(text, name, names):
    examples = doctest.DocTestParser().get_examples(text or "")
    assert examples, f"{name} has no example"
    for example in examples:
        assert _run(example, names) == example.want, example.source


def test_the_examples_of_every_exported_name_are_tested():
    plain = {"__version__", "blocking"}
    assert {*phux_client.__all__} == {*HANDLES, *SHAPES_AND_ERRORS, *NAMES_OF_TYPES, *VOCABULARY, *plain}
    assert {*blocking.__all__} == {*aio.__all__}
