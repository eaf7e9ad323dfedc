"""Call handlers match the registry of calls; a handler that does not match is refused at import."""

from __future__ import annotations

import types

import pytest

from phux_core.calls import CALLS
from phux_core.errors import BadRequestError
from phux_core.server.api import handlers
from phux_core.server.api.dispatch import dispatch
from phux_core.server.api.handlers import HANDLERS, handles


@pytest.fixture
def no_handlers(monkeypatch):
    """Replace the table of handlers with an empty one, and return it."""
    monkeypatch.setattr(handlers, "HANDLERS", {})
    return handlers.HANDLERS


class Server:
    def __init__(self, **parts):
        self.__dict__.update(parts)
        self.turns = types.SimpleNamespace(note_activity=lambda: None)
        self.attachments = types.SimpleNamespace(check_allowed=lambda _connection, _call: None)


def test_every_call_has_a_handler():
    assert HANDLERS.keys() == CALLS.keys()


@pytest.mark.parametrize(
    ("handler", "registry", "declared"),
    [
        (lambda server, pane: None, "on: bool | None", ""),
        (lambda server, pane, on, off: None, "", "off: "),
    ],
    ids=["missing", "unknown"],
)
def test_a_handler_with_missing_or_unknown_parameters_is_refused(no_handlers, handler, registry, declared):
    handler.__annotations__ = {"pane": "int", "on": "bool | None"}
    with pytest.raises(TypeError, match="does not match the call zoom") as caught:
        handles("zoom")(handler)
    assert f"the registry has ({registry})" in str(caught.value)
    assert f"the handler has ({declared}" in str(caught.value)
    assert no_handlers == {}


def test_a_handler_with_a_different_parameter_type_is_refused(no_handlers):
    def zoom(server, pane: int, on: bool):
        """Do nothing."""

    with pytest.raises(TypeError) as caught:
        handles("zoom")(zoom)
    assert "the registry has (on: bool | None), the handler has (on: bool)" in str(caught.value)


def test_a_second_handler_for_a_call_is_refused(no_handlers):
    def thaw(server, attachment: int | None):
        """Do nothing."""

    handles("thaw")(thaw)
    with pytest.raises(TypeError, match="has a handler already"):
        handles("thaw")(thaw)


def test_a_handler_for_an_unknown_call_is_refused(no_handlers):
    with pytest.raises(TypeError, match="there is no call 'zooom'"):
        handles("zooom")


def test_a_handler_receives_the_connection_the_defaults_and_other_parameters(monkeypatch):
    def search(server, connection, pattern: str, max_matches: int, **rest):
        return {"got": (server, connection, pattern, max_matches, rest)}

    monkeypatch.delitem(HANDLERS, "search")
    handles("search")(search)
    server = Server()
    reply = dispatch(server, "someone", "search", {"pattern": "x", "session": 3})
    rest = {"session": 3, "everywhere": False, "context": 0}
    assert reply["got"] == (server, "someone", "x", 1000, rest)


def test_a_method_of_a_server_part_receives_the_parameters(monkeypatch):
    class Windows:
        def resize(self, window_id: int, **rest):
            return {"got": (self, window_id, rest)}

    monkeypatch.delitem(HANDLERS, "resize_window")
    handles("resize_window", part="windows")(Windows.resize)
    windows = Windows()
    reply = dispatch(Server(windows=windows), None, "resize_window", {"window": 2, "cols": 80})
    assert reply["got"] == (windows, 2, {"cols": 80})


def test_an_invalid_request_does_not_reach_the_handler():
    with pytest.raises(BadRequestError):
        dispatch(Server(), None, "unsubscribe", {})
