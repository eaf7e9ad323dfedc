"""Every reply has exactly the keys in docs/wire.md: the test reads the document and makes every call."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from rawwire import RawClient
from servers import embedded_server, eventually
from validation import validate

DOCUMENT = (Path(__file__).parents[2] / "docs" / "wire.md").read_text()
_CALL = re.compile(r"^### `(\w+)`\n\n.* Returns (.*?)\.(?: May be repeated after a lost reply\.)?$", re.MULTILINE)
GIVES = dict(_CALL.findall(DOCUMENT))


def examples(section: str) -> list[dict]:
    """Return the JSON examples in a section of the document."""
    (text,) = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", DOCUMENT, re.MULTILINE | re.DOTALL)
    blocks = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    return [json.loads(block) for block in blocks if block.lstrip().startswith("{")]


(PLACE,) = examples("place")
SCREEN, CELLS, CHANGES = examples("screen")
FINISHED, TIMED_OUT = examples("Running")
LOG_TEXT, LOG, ENTRY, MATCH, TIMELINE, FILM = examples("Logs")


def documented(call: str) -> set[str]:
    """Return the documented keys of a reply."""
    gives = GIVES[call]
    keys = set(re.findall(r"`(\w+)`", gives))
    if gives.startswith("a log text"):
        return keys | set(LOG_TEXT)
    if gives.startswith("a page of the timeline"):
        return set(TIMELINE)
    if gives.startswith("a page of the film"):
        return set(FILM)
    if gives.startswith("a screen (below) with"):
        return keys | set(SCREEN) - {"foreground"}
    return set(PLACE) if gives.startswith("the place") else keys


class Reader(RawClient):
    """A client that compares replies with the document."""

    made: set[str]

    def get(self, call, **params):
        result = super().get(call, **params)
        self.made.add(call)
        schema = re.search(r"schemas/(\w+)\.v1\.json", GIVES[call])
        if schema is not None:
            validate(schema[1], result)
        elif call not in {"run", "snapshot"}:  # they have several forms, each with a test
            assert set(result) == documented(call), call
        return result


@pytest.fixture
def reader():
    with embedded_server(engine="pyte") as server, Reader(server.socket) as reader:
        reader.made = set()
        yield reader


@pytest.fixture
def shell(reader, tmp_path):
    """The place of a pane with bash at its prompt."""
    made = reader.get("new_session", cwd="/", command=["bash"], extra_env={"HOME": str(tmp_path)}, name="work")
    eventually(lambda: reader.get("snapshot", pane=made["pane_id"])["state"] == "prompt")
    return made


def test_every_reply_has_the_documented_keys(reader, shell, tmp_path):
    pane, window, session = shell["pane_id"], shell["window_id"], shell["session_id"]
    reader.get("status")
    reader.get("tree")
    reader.get("run", pane=pane, id="one", command="echo hello")
    reader.get("start", pane=pane, id="two", command="sleep 100")
    reader.get("signal", pane=pane, signal="TERM")
    reader.get("stop", pane=pane)
    reader.get("commands", pane=pane)
    for call in ("logs", "output", "past_screen", "timeline"):
        reader.get(call, pane=pane)
    reader.get("film", pane=pane, seq=0, at=0, to_seq=100, to_at=2**33)
    reader.get("log_list")
    path, nothing = str(tmp_path / "copied"), hashlib.sha256(b"").hexdigest()
    reader.get("file_info", path=path, pane=pane, sha256=nothing)
    reader.get("file_write", path=path, sha256=nothing, offset=0, data="")
    reader.get("file_commit", path=path, sha256=nothing, mode=0o600)
    reader.get("file_read", path=path, offset=0, version=reader.get("file_info", path=path)["version"])
    reader.get("search", pattern="hello")
    reader.get("history_limit", pane=pane, rows=100)
    reader.get("input", pane=pane, items=[{"key": "Enter"}])
    reader.get("frame", pane=pane)

    other = reader.get("new_window", session=session, command=["sleep", "100"])
    beside = reader.get("split", pane=pane, direction="right", command=["sleep", "100"])["pane_id"]
    reader.get("select", scope="pane", id=pane)
    reader.get("resize", pane=pane, cols=30)
    reader.get("push_divider", pane=pane, side="right", by=1)
    reader.get("resize_window", window=window, cols=100)
    reader.get("move_divider", window=window, path=[], by=1)
    reader.get("zoom", pane=pane)
    reader.get("layout", window=window, name="tiled")
    swapped = reader.get("swap", scope="pane", id=pane, other=beside)
    assert [set(place) for place in swapped["places"]] == [set(PLACE)] * 2
    reader.get("move_pane", pane=beside, session=session)
    reader.get("move_window", window=other["window_id"], session=session, index=9)
    reader.get("rename", scope="window", id=window, name="editor")

    reader.get("unsubscribe", subscription=reader.get("subscribe", pane=pane)["subscription"])
    reader.get("cancel", request=2**40)
    attachment = reader.get("attach", session=session, cols=80, rows=24)["attachment"]
    reader.get("resize_attachment", attachment=attachment, cols=90, rows=24)
    reader.get("freeze", attachment=attachment, pane=pane)
    reader.get("frozen_rows", attachment=attachment, first=0, count=1)
    reader.get("thaw", attachment=attachment)
    reader.get("detach", attachment=attachment)
    reader.get("kill", scope="pane", id=other["pane_id"])
    reader.get("upgrade", python="/usr/bin/python3", version="1", service_pid=2**30)
    reader.get("kill_server")
    assert reader.made == set(GIVES)


def test_a_screen_has_the_requested_parts_and_the_exit_status(reader, shell):
    pane = shell["pane_id"]
    assert set(reader.get("snapshot", pane=pane)) == set(SCREEN)
    reader.get("run", pane=pane, id="red", command=r"printf '\033[1;31mred\033[m\n'")
    screen = reader.get("snapshot", pane=pane, cells=True, since=0)
    assert set(screen) == set(SCREEN) | {"cells", "changes"}
    for key in ("cursor", "soft_wrap", "foreground"):
        assert set(screen[key]) == set(SCREEN[key])
    assert screen["title"] is None
    assert set(screen["cells"]) == set(CELLS)
    assert all(set(style) == set(CELLS["styles"][0]) for style in screen["cells"]["styles"])
    assert set(screen["changes"]) == set(CHANGES)

    for command, ending in (("exit 3", {"exit_status": 3}), ("kill -9 $$", {"exit_status": None, "signal": "SIGKILL"})):
        ended = reader.get("new_window", session=shell["session_id"], command=["sh", "-c", command])["pane_id"]
        eventually(lambda pane=ended: reader.get("snapshot", pane=pane)["state"] == "dead")
        dead = reader.get("snapshot", pane=ended)
        assert {key: dead[key] for key in dead if key not in SCREEN} == ending
        assert dead["foreground"] is None


def test_a_run_reports_its_end_or_a_timeout(reader, shell):
    pane = shell["pane_id"]
    finished = reader.get("run", pane=pane, id="one", command="echo hi")
    assert set(finished) == set(FINISHED)
    assert set(finished["seq"]) == set(FINISHED["seq"])
    assert isinstance(finished["started_at"], float)

    went_on = reader.get("run", pane=pane, id="two", command="sleep 100", timeout_ms=100)
    assert set(went_on) == set(TIMED_OUT)
    assert (went_on["outcome"], went_on["started"], went_on["ended"]) == ("timed_out", True, False)
    never = reader.get("run", pane=pane, id="three", command="true", queue=True, timeout_ms=50)
    assert set(never) == set(TIMED_OUT) - {"ended", "command_id", "start"}
    assert never["started"] is False
    reader.get("input", pane=pane, items=[{"key": "C-c"}])
    assert set(reader.get("run", pane=pane, id="two", command="sleep 100")) == set(FINISHED)
    stopped = reader.get("run", pane=pane, id="four", command="sleep 100", timeout_ms=100, interrupt=True)
    assert stopped["ended"] is True
    waiting = reader.get("run", pane=pane, id="five", command="cat", until_waiting=True)
    assert set(waiting) == set(TIMED_OUT) - {"ended"}
    assert (waiting["outcome"], waiting["state"]) == ("waiting", "awaiting_input")
    reader.get("input", pane=pane, items=[{"key": "C-d"}])
    assert set(reader.get("run", pane=pane, id="five", command="cat")) == set(FINISHED)


def test_logs_matches_and_the_ledger_have_the_keys_of_the_examples(reader, shell):
    pane = shell["pane_id"]
    reader.get("run", pane=pane, id="one", command="echo needle")
    assert set(reader.get("output", pane=pane)["command"]) == set(ENTRY)
    (entry,) = reader.get("commands", pane=pane)["commands"]
    assert set(entry) == set(ENTRY)
    assert reader.get("commands", id=entry["id"])["commands"] == [entry]
    (log,) = reader.get("log_list")["logs"]
    assert set(log) == set(LOG)
    assert isinstance(log["started_at"], float)
    (match,) = reader.get("search", pattern="^needle$")["matches"]
    assert set(match) == set(MATCH)
    (around,) = reader.get("search", pattern="^needle$", context=1)["matches"]
    assert set(around) == set(MATCH) | {"before", "after"}

    # The server ends with its last pane.
    reader.get("new_window", session=shell["session_id"], command=["sleep", "100"])
    reader.get("kill", scope="pane", id=pane)
    (kept,) = reader.get("commands", pane=pane)["commands"]
    assert kept == entry | {"log": log["log"]}
    (over,) = [each for each in reader.get("log_list")["logs"] if each["log"] == log["log"]]
    assert set(over) == set(LOG)
    assert (over["live"], over["exit_status"], over["signal"]) == (False, None, "SIGHUP")
