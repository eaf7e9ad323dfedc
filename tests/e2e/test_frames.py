"""The call ``frame``: a pane's screen as styled rows, and what changed since, without attaching."""

from __future__ import annotations

import time

import pytest

from rawwire import RawClient
from servers import embedded_server, eventually


@pytest.fixture(scope="module", params=["ghostty", "pyte"])
def server(request):
    with embedded_server(request.param) as started:
        yield started


class Viewer(RawClient):
    """A client that keeps the rows of one pane up to date by polling."""

    def __init__(self, path):
        super().__init__(path)
        made = self.get("new_session", cwd="/", command=["sh"], cols=40, rows=10, extra_env={"PS1": "$ "})
        self.pane, self.session = made["pane_id"], made["session_id"]
        self.version = None
        self.rows = {}

    def poll(self):
        frame = self.get("frame", pane=self.pane, version=self.version)
        self.version = frame["version"]
        if frame["whole"]:
            self.rows = {}
        self.rows |= {y: "".join("".join(run[2]) for run in runs) for y, runs in frame["rows"]}
        return frame

    def type(self, text):
        self.get("input", pane=self.pane, items=[{"text": text}])


@pytest.fixture
def viewer(server):
    with Viewer(server.socket) as viewer:
        eventually(lambda: viewer.poll() and "$" in viewer.rows.get(0, ""))
        yield viewer
        viewer.ask("kill", scope="session", id=viewer.session)


def shows(viewer, text):
    eventually(lambda: viewer.poll() and any(text in row for row in viewer.rows.values()))


def test_a_frame_has_only_the_rows_that_changed(viewer):
    eventually(lambda: not viewer.poll()["writing"])
    assert viewer.poll()["rows"] == []
    viewer.type("\033[1;31m")
    viewer.type("x")
    shows(viewer, "x")
    frame = viewer.get("frame", pane=viewer.pane, version=viewer.version)
    assert (frame["whole"], frame["rows"], frame["size"]) == (False, [], [40, 10])


def test_a_frame_has_styles_the_cursor_modes_and_the_title(viewer):
    viewer.type("clear; printf '\\033[1;38;5;200mred\\033[m \\033]2;hello\\007\\033[?1000h'; cat\r")
    eventually(lambda: viewer.poll()["title"] == "hello")
    whole = viewer.get("frame", pane=viewer.pane)
    assert whole["rows"][0] == [0, [[0, 1, "red", "1;38;5;200"]]]
    assert whole["cursor"][:3] == [4, 0, True]
    assert whole["modes"]["mouse"] == "normal"


def test_the_screen_built_from_changes_equals_a_whole_frame(viewer):
    viewer.type("for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.02; done; printf '\\033[2J\\033[5Hmiddle'; echo end\r")
    shows(viewer, "end")
    eventually(lambda: not viewer.poll()["writing"])
    shown = {y: row for y, row in viewer.rows.items() if row}
    viewer.version = None
    viewer.poll()
    assert shown == viewer.rows


@pytest.mark.parametrize("version", [0, 1, 2**53 - 1])
def test_an_unknown_version_gets_a_whole_frame(viewer, version):
    frame = viewer.get("frame", pane=viewer.pane, version=version)
    assert frame["whole"]
    assert frame["rows"]


def test_a_frame_after_a_resize_is_whole(viewer):
    viewer.get("resize", pane=viewer.pane, cols=30, rows=5)
    frame = viewer.poll()
    assert (frame["whole"], frame["size"]) == (True, [30, 5])


def test_reading_frames_neither_attaches_nor_changes_what_other_clients_read(viewer):
    seq = viewer.get("snapshot", pane=viewer.pane)["seq"]
    for _ in range(600):
        viewer.poll()
    changes = viewer.get("snapshot", pane=viewer.pane, since=seq)["changes"]
    assert changes == {"full": False, "scrolled": 0, "rows": []}
    (session,) = [one for one in viewer.get("tree")["sessions"] if one["id"] == viewer.session]
    assert session["attached_clients"] == 0


def test_a_synchronized_update_is_read_when_it_is_complete(viewer):
    viewer.type("clear; printf '\\033[?2026h%d' $((40 + 2)); sleep 0.1; printf ' end\\033[?2026l'; sleep 9\r")
    shows(viewer, "42")
    assert "42 end" in viewer.rows.values()


def test_an_update_that_is_never_complete_is_read_soon(viewer):
    viewer.type("clear; printf '\\033[?2026h%d' $((40 + 2)); sleep 9\r")
    shows(viewer, "42")
    began = time.monotonic()
    viewer.poll()
    assert time.monotonic() - began < 2


def test_a_connection_without_an_attachment_can_freeze_a_pane(viewer):
    viewer.type("seq 1 50\r")
    shows(viewer, "49")
    frozen = viewer.get("freeze", pane=viewer.pane)
    rows = viewer.get("frozen_rows", first=0, count=1000)["rows"]
    assert len(rows) == frozen["total"] > 50
    viewer.get("thaw")
    assert viewer.ask("frozen_rows", first=0, count=1)["error"]["code"] == "no_such_target"


def test_a_dead_pane_and_an_unknown_one(viewer):
    ended = viewer.get("new_window", session=viewer.session, command=["sh", "-c", "echo last words"])["pane_id"]
    eventually(lambda: viewer.get("snapshot", pane=ended)["state"] == "dead")
    frame = viewer.get("frame", pane=ended)
    assert frame["rows"][0][1][0][2].startswith("last words")
    eventually(lambda: not viewer.get("frame", pane=ended)["writing"])
    assert viewer.ask("frame", pane=4_000_000_000)["error"]["code"] == "no_such_target"
