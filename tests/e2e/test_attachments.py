"""Attached clients on the wire: pushed frames and allowed requests (docs/wire.md, "Attaching")."""

from __future__ import annotations

import time

import pytest

from rawwire import RawClient
from servers import embedded_server, eventually


@pytest.fixture(scope="module", params=["ghostty", "pyte"])
def server(request):
    with embedded_server(request.param) as started, RawClient(started.socket) as client:
        client.get("new_session", name="keep", cwd="/", command=["cat"])
        yield started


@pytest.fixture
def raw(server):
    with RawClient(server.socket) as client:
        yield client


@pytest.fixture
def place(raw, request):
    """A separate session for each test."""
    made = raw.get("new_session", cwd="/", command=["sh"], cols=40, rows=10, extra_env={"PS1": "$ "})
    yield made
    raw.ask("kill", scope="session", id=made["session_id"])


class Watcher(RawClient):
    """An attached client that keeps the current screen."""

    def __init__(self, path, session, cols=40, rows=10, **more):
        super().__init__(path)
        self.view = None
        self.rows = {}
        self.frames = []
        self.detached = None
        self.number = self.get("attach", session=session, cols=cols, rows=rows, **more)["attachment"]

    def take(self, pushed):
        assert pushed["attachment"] == self.number
        if "view" in pushed:
            self.view = pushed["view"]
        elif "detached" in pushed:
            self.detached = pushed["detached"]
        elif "frame" in pushed:
            frame = pushed["frame"]
            self.frames.append(frame)
            rows = self.rows.setdefault(frame["pane"], {})
            if "size" in frame:
                rows.clear()
            rows.update({y: "".join("".join(run[2]) for run in runs) for y, runs in frame.get("rows", [])})

    def until(self, probe, within_s=10):
        deadline = time.monotonic() + within_s
        while True:
            while self.events:
                self.take(self.events.pop(0))
            if probe():
                return
            assert time.monotonic() < deadline, (self.view, self.rows)
            pushed = self.receive()
            assert pushed is not None
            self.take(pushed)

    def sees(self, pane, text):
        self.until(lambda: any(text in line for line in self.rows.get(pane, {}).values()))


@pytest.fixture
def watcher(server, place):
    with Watcher(server.socket, place["session_id"]) as client:
        client.until(lambda: client.view is not None and client.frames)
        yield client


def test_a_client_receives_the_session_and_the_screens_of_its_panes(watcher, place):
    assert watcher.view["session"] == {"id": place["session_id"], "name": place["session"]}
    assert [window["active"] for window in watcher.view["windows"]] == [True]
    assert watcher.view["window"] | {"layout": place["pane_id"]} == watcher.view["window"]
    watcher.get("input", pane=place["pane_id"], items=[{"text": "echo $((6 * 7))\r"}])
    watcher.sees(place["pane_id"], "42")


def test_only_changed_rows_are_sent(watcher, place):
    watcher.sees(place["pane_id"], "$")
    watcher.frames.clear()
    watcher.get("input", pane=place["pane_id"], items=[{"text": "x"}])
    watcher.until(lambda: watcher.frames)
    (frame,) = watcher.frames
    assert "size" not in frame
    assert "title" not in frame
    assert [y for y, _runs in frame["rows"]] == [0]


def test_the_view_is_sent_before_the_reply_to_the_request_that_changed_it(watcher, place):
    made = watcher.get("split", pane=place["pane_id"], direction="right", select=True)
    watcher.until(lambda: watcher.view["window"]["active_pane"] == made["pane_id"])
    watcher.events.clear()
    watcher.get("select", scope="pane", id=place["pane_id"])
    views = [pushed["view"] for pushed in watcher.events if "view" in pushed]
    # The new pane may have had news of its own before.
    assert [view["window"]["active_pane"] for view in views][-1:] == [place["pane_id"]]


def test_clients_are_counted_and_determine_the_size(server, raw, watcher, place):
    def session():
        return next(one for one in raw.get("tree")["sessions"] if one["id"] == place["session_id"])

    assert session()["attached_clients"] == 1
    with Watcher(server.socket, place["session_id"], cols=30, rows=20) as other:
        other.until(lambda: other.view is not None)
        assert (session()["windows"][0]["cols"], session()["windows"][0]["rows"]) == (30, 10)
        for policy, size in (("largest", (40, 20)), ("manual", (40, 20)), ("latest", (30, 20)), ("smallest", (30, 10))):
            raw.get("resize_window", window=place["window_id"], policy=policy)
            assert (session()["windows"][0]["cols"], session()["windows"][0]["rows"]) == size, policy
        raw.get("resize_window", window=place["window_id"], policy="latest")
        watcher.get("input", pane=place["pane_id"], items=[{"text": "x"}])
        assert (session()["windows"][0]["cols"], session()["windows"][0]["rows"]) == (40, 10)
        other.get("resize_attachment", attachment=other.number, cols=25, rows=9)
        assert (session()["windows"][0]["cols"], session()["windows"][0]["rows"]) == (25, 9)
        raw.get("resize_window", window=place["window_id"], policy="default")
        assert (session()["windows"][0]["cols"], session()["windows"][0]["rows"]) == (25, 9)
        assert session()["windows"][0]["size_policy"] is None
    eventually(lambda: session()["attached_clients"] == 1)
    assert (session()["windows"][0]["cols"], session()["windows"][0]["rows"]) == (40, 10)


def test_a_window_without_a_name_is_named_after_its_program(raw, watcher, place):
    def shown():
        return watcher.view["windows"][0]["name"]

    watcher.until(lambda: shown() == "sh")
    watcher.get("input", pane=place["pane_id"], items=[{"text": "cat"}, {"key": "Enter"}])
    watcher.until(lambda: shown() == "cat")
    (window,) = next(one for one in raw.get("tree")["sessions"] if one["id"] == place["session_id"])["windows"]
    assert window["name"] == "sh"  # selectors still use the first name
    raw.get("rename", scope="window", id=place["window_id"], name="mine")
    watcher.until(lambda: shown() == "mine")


def test_the_focus_follows_the_client_in_use(server, raw, watcher, place):
    def focused():
        return raw.get("tree")["focused_session"]

    other = raw.get("new_session", cwd="/", command=["cat"])
    raw.get("subscribe")
    assert focused() == other["session"]
    with Watcher(server.socket, place["session_id"], read_only=True):
        assert focused() == other["session"]  # a read-only client does not change the focus
    with Watcher(server.socket, place["session_id"]):
        assert focused() == place["session"]
    told = [event["event"] for event in raw.events if event["event"]["event"] == "focus_changed"]
    assert [event["session"] for event in told] == [place["session_id"]]
    raw.get("select", scope="session", id=other["session_id"])
    watcher.get("input", pane=place["pane_id"], items=[{"text": "x"}])
    assert focused() == place["session"]
    raw.get("input", pane=other["pane_id"], items=[{"text": "x"}])  # this connection is not attached
    assert focused() == place["session"]
    raw.get("kill", scope="session", id=other["session_id"])


def test_a_read_only_client_may_only_watch(server, place):
    with Watcher(server.socket, place["session_id"], read_only=True) as client:
        client.until(lambda: client.view is not None)
        assert client.view["read_only"] is True
        for call, params in (
            ("input", {"pane": place["pane_id"], "items": [{"text": "x"}]}),
            ("kill", {"scope": "pane", "id": place["pane_id"]}),
            ("select", {"scope": "pane", "id": place["pane_id"]}),
            ("split", {"pane": place["pane_id"], "direction": "right"}),
            ("kill_server", {}),
        ):
            assert client.ask(call, **params)["error"]["code"] == "refused"
        assert client.get("snapshot", pane=place["pane_id"])["cols"] == 40
        assert client.get("timeline", pane=place["pane_id"])["pane"] == place["pane_id"]


@pytest.mark.parametrize("policy", ["smallest", "largest", "latest", "manual"])
def test_a_read_only_client_never_changes_a_size(server, raw, place, policy):
    def session():
        return next(one for one in raw.get("tree")["sessions"] if one["id"] == place["session_id"])

    def size():
        (window,) = session()["windows"]
        return window["cols"], window["rows"]

    raw.get("resize_window", window=place["window_id"], cols=60, rows=15, policy=policy)
    for cols, rows in ((20, 5), (200, 50)):
        with Watcher(server.socket, place["session_id"], cols=cols, rows=rows, read_only=True) as watching:
            watching.until(lambda: watching.view is not None)
            assert size() == (60, 15), "with only a read-only client"
            raw.get("resize_window", window=place["window_id"], cols=61, rows=16)
            raw.get("resize_window", window=place["window_id"], cols=60, rows=15)
            with Watcher(server.socket, place["session_id"], cols=50, rows=12) as using:
                using.until(lambda: using.view is not None)
                taken = (60, 15) if policy == "manual" else (50, 12)
                assert size() == taken, "with another client"
                watching.get("resize_attachment", attachment=watching.number, cols=30, rows=9)
                assert size() == taken
                using.get("input", pane=place["pane_id"], items=[{"text": "x"}])
                assert size() == taken
                with Watcher(server.socket, place["session_id"], cols=10, rows=4, read_only=True) as second:
                    second.until(lambda: second.view is not None)
                    assert size() == taken
            eventually(lambda: session()["attached_clients"] == 1)
            assert size() == taken, "after the other client left"
        raw.get("resize_window", window=place["window_id"], cols=60, rows=15)


def test_detach_ends_all_attachments_except_the_one_to_keep(server, raw, watcher, place):
    with Watcher(server.socket, place["session_id"]) as other:
        assert raw.get("detach", session=place["session_id"], keep=watcher.number) == {"detached": 1}
        other.until(lambda: other.detached is not None)
        assert other.detached["reason"] == "detached"
        assert (
            other.ask("resize_attachment", attachment=other.number, cols=9, rows=9)["error"]["code"] == "no_such_target"
        )
    assert raw.get("detach", attachment=watcher.number) == {"detached": 1}
    watcher.until(lambda: watcher.detached is not None)


def test_the_end_of_a_session_is_reported(raw, watcher, place):
    raw.get("input", pane=place["pane_id"], items=[{"text": "exit\r"}])
    watcher.until(lambda: watcher.detached is not None)
    assert watcher.detached == {"reason": "ended", "message": "the session has ended"}


def test_a_bell_in_a_hidden_window_is_marked_until_it_is_selected(raw, watcher, place):
    other = raw.get("new_window", session=place["session_id"], command=["sh", "-c", "printf '\\a'; exec cat"])
    watcher.until(
        lambda: any(window["id"] == other["window_id"] and window["bell"] for window in watcher.view["windows"])
    )
    raw.get("select", scope="window", id=other["window_id"])
    watcher.until(lambda: not any(window["bell"] for window in watcher.view["windows"]))


def test_synchronized_output_delays_an_update_for_a_limited_time(watcher, place):
    pane = place["pane_id"]
    watcher.sees(pane, "$")
    watcher.get("input", pane=pane, items=[{"text": "printf '\\033[?2026hHALF'; sleep 3\r"}])
    watcher.sees(pane, "HALF")


def test_a_client_that_did_not_read_gets_the_current_screen_in_few_frames(server, raw, watcher, place):
    pane = place["pane_id"]
    raw.get(
        "input", pane=pane, items=[{"text": "i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); echo line-$i-$i-$i; done\r"}]
    )
    raw.see(pane, "line-20000", within_s=60)
    watcher.sees(pane, "line-20000")
    assert len(watcher.frames) < 1500


def test_a_frozen_copy_does_not_change(raw, watcher, place):
    pane = place["pane_id"]
    raw.get("input", pane=pane, items=[{"text": "seq 1 100\r"}])
    raw.see(pane, "99")
    frozen = watcher.get("freeze", attachment=watcher.number, pane=pane)
    raw.get("input", pane=pane, items=[{"text": "clear; echo gone\r"}])
    raw.see(pane, "gone")
    rows = watcher.get("frozen_rows", attachment=watcher.number, first=0, count=1000)
    texts = ["".join("".join(run[2]) for run in row) for row in rows["rows"]]
    assert frozen["total"] == len(texts) == len(rows["wrapped"])
    assert "50" in texts
    assert "gone" not in texts
    assert watcher.get("frozen_rows", attachment=watcher.number, first=frozen["total"], count=5)["rows"] == []
    watcher.get("thaw", attachment=watcher.number)
    assert watcher.ask("frozen_rows", attachment=watcher.number, first=0, count=1)["error"]["code"] == "no_such_target"


def test_mouse_and_focus_events_are_sent_only_to_programs_that_enabled_them(raw, place):
    pane = place["pane_id"]
    mouse = {"mouse": {"kind": "press", "button": "left", "x": 4, "y": 2, "ctrl": True}}
    assert raw.get("input", pane=pane, items=[mouse, {"focus": True}]) == {"bytes": 0}
    raw.get("input", pane=pane, items=[{"text": "printf '\\033[?1000h\\033[?1006h\\033[?1004h'; cat -v\r"}])
    raw.see(pane, "cat -v")
    while not raw.get("input", pane=pane, items=[{"focus": False}])["bytes"]:
        time.sleep(0.01)
    raw.get("input", pane=pane, items=[mouse, {"focus": True}, {"text": "\r"}])
    raw.see(pane, "^[[<16;5;3M^[[I")


@pytest.mark.parametrize(
    ("call", "params", "code"),
    [
        ("attach", {"session": 99999, "cols": 80, "rows": 24}, "no_such_target"),
        ("attach", {"session": 1, "cols": 0, "rows": 24}, "bad_size"),
        ("attach", {"session": 1, "cols": 80, "rows": 100000}, "bad_size"),
        ("attach", {"session": 1, "cols": "80", "rows": 24}, "bad_request"),
        ("resize_attachment", {"attachment": 1, "cols": 80, "rows": 24}, "no_such_target"),
        ("detach", {"session": 99999}, "no_such_target"),
        ("freeze", {"attachment": 7, "pane": 1}, "no_such_target"),
        ("frozen_rows", {"attachment": 7, "first": 0, "count": 1}, "no_such_target"),
        ("frozen_rows", {"attachment": 7, "first": -1, "count": 1}, "bad_request"),
        ("input", {"pane": 1, "items": [{"mouse": {"kind": "poke", "x": 1, "y": 1}}]}, "bad_request"),
        ("input", {"pane": 1, "items": [{"mouse": {"kind": "press", "x": -1, "y": 1}}]}, "bad_request"),
        ("input", {"pane": 1, "items": [{"mouse": {"kind": "press", "x": 1, "y": 1, "z": 1}}]}, "bad_request"),
        ("input", {"pane": 1, "items": [{"mouse": "left"}]}, "bad_request"),
        ("input", {"pane": 1, "items": [{"focus": 1}]}, "bad_request"),
    ],
)
def test_bad_requests_are_rejected_and_affect_no_other_client(raw, call, params, code):
    assert raw.ask(call, **params)["error"]["code"] == code
    assert raw.get("status")["sessions"] >= 1
