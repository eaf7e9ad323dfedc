"""Frames to a real service: it answers or disconnects, serves its other clients, and logs no traceback.

Three numbers in an input stand for ids: 1111111111 for a pane, 2222222222 for its window, 3333333333 for its session.
"""

from __future__ import annotations

import contextlib
import json
import socket
import tempfile

from mutation import mutate
from phux_core import wire
from phux_core.calls import CALLS
from rawwire import HELLO, RawClient
from servers import embedded_server

_PANE, _WINDOW, _SESSION = 1111111111, 2222222222, 3333333333
_IDS = {"pane": _PANE, "target": _PANE, "other": _PANE, "window": _WINDOW, "session": _SESSION, "id": _PANE}
_GOOD = {
    "int": (0, 1, 2, 5, 20, 80),
    "bool": (True, False),
    "str": ("x", "true", "a+", "1.1", "\udcff"),
    "list[str]": (["cat"], ["true"], ["sh", "-c", "echo x; exit 3"]),
    "list[Step]": ([], ["first"]),
    "list[dict[str, Any]]": ([{"text": "true\n"}], [{"key": "Enter"}], [{"line": "echo x"}, {"paste": "a\nb"}]),
    "dict[str, str]": ({}, {"A": "b"}),
}
_BAD = (-1, 1.5, None, "", "(", "\ud800", "\0", {}, [[]], 2**53, 10**30, 4294967295, "é" * 300, {"text": 1}, "../x")
_REST_AFTER = 50  # inputs until the sessions are killed


def _value(chance, param):
    if chance.random() < 0.04:
        return chance.choice(_BAD)
    if param.name in _IDS and "minimum" in param.kind.schema:
        return _IDS[param.name]
    if param.name == "cwd":
        return "/"
    return chance.choice(param.kind.schema.get("enum") or _GOOD.get(param.kind.annotation, _BAD))


def _request(chance, number):
    call = CALLS[chance.choice([name for name in CALLS if name != "kill_server"])]
    wanted = [param for param in call.params.values() if param.required or chance.random() < 0.2]
    params = {param.name: _value(chance, param) for param in wanted}
    if "timeout_ms" in call.params:
        params["timeout_ms"] = chance.choice((0, 1, 20))
    return json.dumps({"id": number, "call": call.name, "params": params}).encode()


def make(chance):
    headers = [_request(chance, number) for number in range(1, chance.randint(2, 7))]
    headers = [mutate(chance, header) if chance.random() < 0.1 else header for header in headers]
    stream = b"".join(wire.frame(header, chance.randbytes(chance.choice((0, 0, 9)))) for header in headers)
    return mutate(chance, stream) if chance.random() < 0.05 else stream


class _Control:
    """A well-behaved client of the same server."""

    def __init__(self, client, cwd, log):
        self.client = client
        self._cwd = cwd
        self._log = log
        self._inputs = 0
        self.ids = {}

    def rest(self):
        """Kill what the inputs have created, and create a session."""
        for session in self.client.get("tree")["sessions"]:
            self.client.get("kill", scope="session", id=session["id"])
        made = self.client.get("new_session", cwd=self._cwd, command=["sh"], cols=20, rows=4)
        self.ids = {_PANE: made["pane_id"], _WINDOW: made["window_id"], _SESSION: made["session_id"]}

    def prepare(self, data):
        """Return an input with the ids of this server."""
        if self._inputs % _REST_AFTER == 0:
            self.rest()
        self._inputs += 1
        for name, found in self.ids.items():
            data = data.replace(b"%d" % name, b"%10d" % found)
        return data

    def check(self):
        """Fail unless the server answers, has not restarted and has logged no traceback."""
        assert self.client.get("status")["service_restarts"] == 0
        report = self._log.read()
        assert b"Traceback" not in report, report.decode(errors="replace")


@contextlib.contextmanager
def checker():
    with contextlib.ExitStack() as stack:
        cwd = stack.enter_context(tempfile.TemporaryDirectory(prefix="phux-fuzz-"))
        server = stack.enter_context(embedded_server())
        log = stack.enter_context(open(f"{server.socket}.log", "rb"))
        client = stack.enter_context(RawClient(server.socket))
        control = _Control(client, cwd, log)

        def check(data):
            if b"kill_server" in data:
                return
            with RawClient(server.socket, greet=False) as client:
                client.send(HELLO)
                client.send_bytes(control.prepare(data))
                if len(data) % 5:  # the other clients disconnect without reading
                    with contextlib.suppress(OSError):  # the server may have disconnected first
                        client.sock.shutdown(socket.SHUT_WR)
                    replies = client.everything()
                    codes = [reply["error"]["code"] for reply in replies if "error" in reply]
                    assert "internal" not in codes, replies
            control.check()

        yield check
