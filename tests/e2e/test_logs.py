"""Logs of real panes: complete, exact, readable later, and never blocking."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import phux_client
from phux_client import blocking, flows, stored_logs
from phux_core.errors import BadRequestError, LimitError, NoSuchTargetError
from phux_core.server.history import log_workers
from rawwire import RawClient, frame
from servers import BIN, Cli, embedded_server, eventually, kill_service, process_gone

NOISE = "for i in $(seq 1 6000); do echo line $i; done"
# Writes bytes that the terminal does not change, in pieces; a key starts the next piece.
WRITER = r"""
import os, random, sys, tty
tty.setraw(1)
chance = random.Random(int(sys.argv[1]))
for piece in range(int(sys.argv[2])):
    data = chance.randbytes(2000) + b"\n" + b"text %d\n" % piece * 90000
    data = data.replace(b"\x1b", b"!").replace(b"\x9b", b"!").replace(b"\x90", b"!")
    view = memoryview(data)
    while view:
        view = view[os.write(1, view):]
    os.read(0, 1)
"""


@pytest.fixture
def phux():
    with embedded_server() as server, blocking.connect(server.socket) as connected:
        yield connected


def expected_bytes(seed, pieces):
    import random

    chance = random.Random(seed)
    parts = []
    for piece in range(pieces):
        data = chance.randbytes(2000) + b"\n" + b"text %d\n" % piece * 90000
        parts.append(data.replace(b"\x1b", b"!").replace(b"\x9b", b"!").replace(b"\x90", b"!"))
    return b"".join(parts)


def read_all(phux, target, start=0, size=1 << 20):
    """Stream a log by offsets to its end."""
    parts, place = [], start
    while True:
        text = phux.logs(target, from_byte=place, max_bytes=size, mode="raw")
        assert text.first_byte == place
        assert text.dropped == 0
        parts.append(text.content.encode("utf-8", "surrogateescape"))
        assert len(parts[-1]) <= size
        place = text.next_byte
        if text.eof:
            return b"".join(parts)


def test_the_last_200_1000_and_5000_lines_are_exact_and_stable(phux):
    pane = phux.new_session("work", command=["bash", "-c", f"{NOISE}; read x"]).pane
    pane.wait(until="line 6000", timeout_s=30)
    for count in (200, 1000, 5000):
        answers = {pane.logs(lines=count).content for _ in range(3)}
        (content,) = answers
        assert content.split("\n") == [f"line {number}" for number in range(6001 - count, 6001)]
        text = pane.logs(lines=count)
        assert (text.returned_lines, text.total_lines, text.truncated) == (count, 6000, True)
    assert not pane.logs(lines=6000).truncated


def test_a_streamed_log_equals_the_written_bytes_across_rotation_and_service_deaths(phux, tmp_path):
    (tmp_path / "writer.py").write_text(WRITER)
    command = [sys.executable, str(tmp_path / "writer.py"), "7", "8"]
    session = phux.new_session("work", command=command, log=True)
    pane = session.pane
    for round_ in range(8):
        pane.wait(state="awaiting_input", timeout_s=30)
        if round_ in {2, 6}:
            kill_service(phux)  # while the program waits, with megabytes in the journal
        pane.send_keys("x", literal=True)
        if round_ == 4:
            kill_service(phux)  # in the middle of a piece
    pane.wait(exit=True, timeout_s=30)
    expected = expected_bytes(7, 8)
    assert len(expected) > 4 * 1024 * 1024  # more than a segment
    written = read_all(phux, "@1")
    assert len(written) == len(expected)
    assert written == expected
    assert phux.log_list()[0].holes == []
    # Earlier bytes can be read again.
    text = phux.logs("@1", from_byte=100, max_bytes=50, mode="raw")
    assert text.content.encode("utf-8", "surrogateescape") == expected[100:150]


def test_a_program_that_writes_while_services_die_has_a_complete_log(phux):
    pane = phux.new_session(
        "work", command=["sh", "-c", "for i in $(seq 1 30000); do echo n$i; done; echo end; read x"]
    ).pane
    for _ in range(3):
        kill_service(phux)
    pane.wait(until="end", timeout_s=60)
    lines = read_all(phux, "@1").replace(b"\r", b"").decode().split("\n")
    assert lines == [*(f"n{number}" for number in range(1, 30001)), "end", ""]


def test_logs_are_private_and_their_bytes_can_be_read_as_files(phux):
    pane = phux.new_session("work", command=["sh", "-c", "printf 'hello\\n'; read x"]).pane
    pane.wait(until="hello", timeout_s=10)
    status = phux.status().logs
    directory = f"{status.directory}/{status.server}/pane-{pane.id}"
    with open(f"{directory}/{0:020}.log", "rb") as file:
        assert file.read() == b"hello\r\n"
    for path, _names, files in os.walk(status.directory):
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o700
        assert all(stat.S_IMODE(os.stat(os.path.join(path, name)).st_mode) == 0o600 for name in files)
    with open(f"{directory}/meta.json") as file:
        meta = json.load(file)
    assert (meta["session"], meta["command"], meta["cols"]) == ("work", "sh", 80)


def test_an_embedded_server_leaves_no_log_behind(tmp_path):
    with blocking.embedded(engine="pyte") as phux:
        phux.new_session("work").pane.run("echo hi")
        directory = phux.status().logs.directory
        assert os.listdir(directory)
    assert not os.path.exists(directory)
    assert not os.path.exists(os.path.dirname(phux.socket))


def test_the_log_of_a_killed_pane_stays_readable(phux):
    phux.new_session("other")
    session = phux.new_session("work", command=["bash"])
    session.pane.run("echo remember me")
    session.kill()
    assert "remember me" in phux.logs(f"@{session.pane.id}").content
    assert "remember me" in phux.logs("work").content
    (entry,) = [log for log in phux.log_list() if log.session == "work"]
    assert not entry.live
    assert entry.ended_at is not None
    assert "remember me" in phux.logs(entry.log).content
    assert [command.command for command in phux.commands(f"@{session.pane.id}")] == ["echo remember me"]
    assert phux.wait_command("2.1", timeout_s=5).exit_code == 0


def test_an_ended_pane_stays_ended_after_a_service_restart(phux):
    pane = phux.new_session("work", command=["sh", "-c", "echo bye; exit 3"]).pane
    pane.wait(exit=True, timeout_s=10)
    kill_service(phux)
    (entry,) = phux.log_list()
    assert (entry.live, entry.exit_status) == (False, 3)
    assert entry.ended_at is not None
    assert pane.logs().content == "bye"


RESIZED = r"""
import os, tty
tty.setraw(1)
for text in ("one\r\n$ a long prompt of two rows", "\r\x1b[A\x1b[J$ redrawn\r\ntwo\r\n", "\x1b[Gthree\r\n"):
    os.write(1, text.encode())
    os.read(0, 1)
"""


@pytest.mark.parametrize("log", [True, False])
def test_a_log_is_rendered_at_the_sizes_that_the_pane_had(phux, log):
    command = [sys.executable, "-c", RESIZED]
    pane = phux.new_session("resized", command=command, size=(20, 24), log=log).pane
    pane.wait(until="two rows", timeout_s=10)
    pane.send_keys("x", literal=True)
    pane.wait(regex="^two$", timeout_s=10)
    if log:
        kill_service(phux)
    pane.resize(100, 24)
    pane.send_keys("x", literal=True)
    pane.wait(until="three", timeout_s=10)
    expected = "one\n$ redrawn\ntwo\nthree"
    assert pane.logs().content == expected
    assert pane.logs(from_byte=0).content.rstrip("\n") == expected
    if log:
        pane.kill()
        assert phux.logs(pane.selector).content == expected


@contextlib.contextmanager
def user_server(tmp_path, monkeypatch, config=""):
    """A server as users run it: detached, with a config file and a state directory."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "config.toml").write_text(config)
    env = {"PHUX_ENGINE": "pyte", "PHUX_CONFIG": str(tmp_path / "config.toml")}
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path, env)
    os.chmod(tmp_path, 0o700)
    try:
        yield cli
    finally:
        cli("kill", "--server")


def test_logs_of_earlier_servers_are_read_with_and_without_a_server(tmp_path, monkeypatch):
    with user_server(tmp_path, monkeypatch) as cli:
        assert cli("logs", "--list").out == ""
        cli.json("new", "-s", "first")
        cli.json("run", "first", "echo of the first server")
        cli("kill", "--server")
        eventually(lambda: cli("ls").code == 1)
        # Without a server.
        listed = cli("logs", "--list").out.split("\t")
        assert listed[1:3] == ["@1", '"first"']
        assert "of the first server" in cli("logs", "@1").out
        assert "of the first server" in cli.json("logs", listed[0])["content"]
        assert "of the first server" in cli("logs", "first").out
        assert "echo of the first server" in cli("commands", "@1").out
        assert cli("commands").out == cli("commands", "@1").out
        assert cli("output", "1.1").out == "of the first server\n"
        assert json.loads(cli("wait", "--command-id", "1.1", "--json").out)["exit_code"] == 0
        assert re.fullmatch(rf"{listed[0]}:2:\d+:of the first server\n", cli("search", "^of the").out)
        assert cli("search", "^of the", "--session", "other").code == 1
        assert cli("logs", "@7").code == cli("output", "7.1").code == cli("output", "1.7").code == 1
        assert cli("output", "x", "--json").error["error"]["code"] == "no_server"
        # With another server, whose panes have other ids.
        assert cli.json("new", "-s", "second")["terminal_id"] == 2
        assert "of the first server" in cli("logs", "@1").out
        assert "of the first server" in cli("logs", listed[0]).out
        assert cli("output", "1.1").out == "of the first server\n"
        assert cli("output", f"{listed[0]}.1").out == "of the first server\n"
        assert cli("wait", "--command-id", f"{listed[0]}.1").code == 0
        assert cli("search", "^of the").code == 1
        assert cli("search", "^of the", "--all").out.startswith(f"{listed[0]}:2:")
        assert cli("search", "x", "--all", "--session", "second").code == 2
        assert len(cli("logs", "--list").out.splitlines()) == 2
        cli.json("new", "-s", "third")
        cli.json("run", "third", "echo of the third session")
        cli("kill", "third")
        assert "of the third session" in cli("logs", "@3").out


def test_the_log_of_a_killed_server_can_be_read_and_its_running_command_is_lost(tmp_path, monkeypatch):
    with user_server(tmp_path, monkeypatch) as cli:
        cli.json("new", "-s", "work")
        cli.json("start", "work", "echo before the end; sleep 1000")
        cli.json("wait", "work", "--until", "before the end", "--output-only", "--timeout", "10")
        eventually(lambda: "before the end" in cli("commands", "@1").out)
        status = cli.json("status")
        ledger = f"{status['logs']['directory']}/{status['logs']['server']}/pane-1/commands"
        eventually(lambda: os.path.exists(ledger))
        os.kill(status["keeper_pid"], signal.SIGKILL)
        eventually(lambda: process_gone(status["service_pid"]))
        assert cli("ls").code == 1
        assert cli("output", "1.1").out == "before the end\n"
        (command,) = json.loads(cli("commands", "--json").out)["commands"]
        assert (command["id"], command["state"], command["exit_code"]) == ("1.1", "lost", None)


def test_a_log_keeps_no_more_than_its_limit_and_reports_the_dropped_bytes(tmp_path, monkeypatch):
    with user_server(tmp_path, monkeypatch, "log-pane-bytes = 262144\n") as cli:
        cli.json("new", "-s", "work", "--", "sh", "-c", "seq 1 200000; echo end; read x")
        cli.json("wait", "work", "--until", "end", "--timeout", "30")
        document = cli.json("logs", "work", "--from-byte", "0", "--max-bytes", "100", "--raw")
        assert document["dropped"] == document["first_byte"] > 1_000_000
        assert cli("logs", "work", "--lines", "2").out == "200000\nend\n"
        (listed,) = json.loads(cli("logs", "--list", "--json").out)["logs"]
        assert 262144 * 14 / 16 <= listed["bytes"] <= 262144
        total = cli.json("logs", "work")["total_lines"]
        assert listed["bytes"] / 9 < total < listed["bytes"] / 7


@pytest.mark.parametrize("how", ["session", "config"])
def test_a_session_without_a_log_keeps_nothing_on_disk_and_its_latest_output_can_be_read(how, tmp_path, monkeypatch):
    with user_server(tmp_path, monkeypatch, "log = false\n" if how == "config" else "") as cli:
        flags = ["--no-log"] if how == "session" else []
        cli.json("new", "-s", "work", *flags)
        cli.json("run", "work", "echo not to be kept")
        assert "not to be kept" in cli("logs", "work").out
        assert cli("output", "1.1").out == "not to be kept\n"
        found = subprocess.run(["grep", "-r", "not to be kept", tmp_path / "state"], capture_output=True)
        assert found.returncode != 0
        assert cli("logs", "--list").out == ""


def test_old_logs_are_deleted_automatically(tmp_path, monkeypatch):
    old = tmp_path / "state" / "phux" / "logs" / "20200101T000000Z-4194999-abcd" / "pane-1"
    old.mkdir(parents=True, mode=0o700)
    (old / f"{0:020}.log").write_bytes(b"old")
    for path in (old, old.parent, old.parent.parent, tmp_path / "state" / "phux"):
        path.chmod(0o700)
        os.utime(path, (0, 0))
    os.utime(old / f"{0:020}.log", (0, 0))
    with user_server(tmp_path, monkeypatch, "log-keep-days = 1\n") as cli:
        cli.json("new", "-s", "work")
        eventually(lambda: not old.exists())
        assert len(cli("logs", "--list").out.splitlines()) == 1


# Following


def test_following_survives_a_restart_of_the_service_and_ends_with_the_pane(phux):
    pane = phux.new_session("work", command=["sh", "-c", "while read x; do echo got $x; done"]).pane
    stream = pane.follow()
    pane.send_keys("one", "Enter")
    seen = ""
    while "got one" not in seen:
        seen += stream.next(timeout_s=10).content
    kill_service(phux)
    pane.send_keys("two", "Enter")
    while "got two" not in seen:
        seen += stream.next(timeout_s=10).content
    pane.send_keys("C-d")
    seen += "".join(text.content for text in stream)
    assert re.findall("got .*", seen) == ["got one", "got two"]
    with pytest.raises(phux_client.PaneClosedError):
        stream.next(timeout_s=1)


def test_following_begins_with_the_complete_current_line(phux):
    phux.new_session("keep")
    pane = phux.new_session("work", command=["sh", "-c", "printf 'ask: '; read x; echo got $x"]).pane
    pane.wait(until="ask:", timeout_s=10)
    rendered, raw = pane.follow(), pane.follow(mode="raw")
    pane.send_keys("one", "Enter")
    assert "".join(text.content for text in rendered).splitlines() == ["ask: one", "got one"]
    assert "".join(text.content for text in raw) == "one\r\ngot one\r\n"


def test_following_from_the_beginning_returns_every_byte_once(phux):
    phux.new_session("keep")
    pane = phux.new_session("work", command=["sh", "-c", "seq 1 20000"]).pane
    raw = "".join(text.content for text in pane.follow(from_byte=0, mode="raw"))
    assert raw.replace("\r", "") == "".join(f"{number}\n" for number in range(1, 20001))


def test_the_cli_follows_until_the_pane_has_ended(cli):
    cli.json("new", "-s", "keep")
    cli.json("new", "-s", "work", "--", "sh", "-c", "echo before; read x; echo after $x")
    cli.json("wait", "work", "--until", "before", "--timeout", "10")
    process = subprocess.Popen(
        [BIN / "phux", "logs", "work", "--follow"], env=cli.env, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "before\n"
    cli("send-keys", "work", "now", "Enter")
    out, _ = process.communicate(timeout=30)
    assert out == "now\nafter now\n"
    assert process.returncode == 0


def test_following_survives_rotation(tmp_path, monkeypatch):
    with user_server(tmp_path, monkeypatch, "log-pane-bytes = 262144\n") as cli:
        code = "import time\nfor n in range(40): print(*range(n * 500, n * 500 + 500), sep='\\n', flush=True); time.sleep(0.02)"
        cli.json("new", "-s", "keep")
        cli.json("new", "-s", "work", "--", sys.executable, "-c", code)
        with blocking.connect(cli.socket) as phux:
            pieces = list(phux.pane("work").follow(from_byte=0))
        assert "".join(piece.content for piece in pieces) == "".join(f"{number}\n" for number in range(20_000))
        assert all(piece.dropped == 0 for piece in pieces)
        log = next(log for log in json.loads(cli("logs", "--list", "--json").out)["logs"] if log["session"] == "work")
        server, pane = log["log"].split("/")
        segments = os.listdir(tmp_path / "state" / "phux" / "logs" / server / f"pane-{pane}")
        assert sum(name.endswith(".log") for name in segments) > 5


def test_a_follower_gets_the_number_of_bytes_dropped_before_it_read_them(tmp_path, monkeypatch):
    with user_server(tmp_path, monkeypatch, "log-pane-bytes = 131072\n") as cli:
        cli.json("new", "-s", "keep")
        cli.json("new", "-s", "work", "--", "seq", "1", "100000")
        cli.json("wait", "work", "--exit", "--timeout", "30")
        followed = cli("logs", "work", "--follow", "--from-byte", "0").out
        assert re.match(r"\[phux: \d{6} bytes were dropped before they were read\]\n", followed)
        assert followed.endswith("\n99999\n100000\n")
        assert "[phux:" not in cli("logs", "work", "--follow", "--from-byte", "0", "--raw").out


# Search


def test_search_covers_all_panes_or_one_session(cli):
    for name in ("one", "two"):
        cli.json("new", "-s", name, "--", "sh", "-c", f"printf '\\033[31mneedle\\033[0m in {name}\\n'; read x")
        cli.json("wait", name, "--until", "needle", "--timeout", "10")
    document = cli.json("search", "^needle in")
    assert [(match["pane"], match["line"], match["offset"]) for match in document["matches"]] == [(1, 1, 0), (2, 1, 0)]
    assert cli("search", "needle", "--session", "two").out == "@2:1:0:needle in two\n"
    assert cli("search", "no such thing").code == 1
    assert cli("search", "(", "--json").error["error"]["code"] == "bad_request"
    assert cli("search", "x", "--session", "absent").code == 1


# Many panes


def test_200_panes_log_at_once(phux):
    command = ["sh", "-c", 'for i in 1 2 3 4 5 6 7 8 9 10; do echo "pane $PHUX_PANE line $i"; done; read x']
    panes = [phux.new_session(None, command=command).pane for _ in range(200)]
    for pane in panes:
        pane.wait(until="line 10", timeout_s=60)
    for pane in panes:
        lines = pane.logs().content.split("\n")
        assert lines == [f"pane @{pane.id} line {number}" for number in range(1, 11)]
    assert len(phux.log_list()) == 200


# Bad input


BAD_QUERIES = [
    ({"from_byte": -1}, "from_byte"),
    ({"from_byte": 2**53}, "from_byte"),
    ({"from_byte": 2**53 - 1}, "ends at"),
    ({"since": 10**12}, "ends at"),
    ({"lines": -5}, "lines"),
    ({"lines": 1.5}, "lines"),
    ({"max_bytes": 17 * 1024 * 1024}, "max_bytes"),
    ({"context": 1001}, "context"),
    ({"head": "x"}, "head"),
    ({"mode": "html"}, "mode"),
    ({"grep": "("}, "pattern"),
    ({"from_byte": 0, "lines": 3}, "from_byte"),
]


def test_bad_queries_are_refused_and_change_nothing(phux):
    pane = phux.new_session("work", command=["cat"]).pane
    for query, message in BAD_QUERIES:
        with pytest.raises(BadRequestError, match=message):
            pane.logs(**query)
    assert pane.logs().content == ""


BAD_FLAGS = [
    ("--from-byte", "-1"),
    ("--from-byte", "1e3"),
    ("--from-byte", str(2**53 + 1)),
    ("--lines", "-1"),
    ("--from-byte", "0", "--lines", "1"),
    ("--raw", "--rendered"),
    ("--list",),
    ("--follow", "--grep", "x"),
]


def test_bad_flags_are_refused_by_the_cli(cli):
    for words in BAD_FLAGS:
        assert cli("logs", "work", *words, "--json").code == 2


def test_unknown_targets_are_reported(phux):
    phux.new_session("work")
    for target in ("@99", "absent", "20200101T000000Z-1-abcd/1", "../../etc/1", "x/y"):
        with pytest.raises(NoSuchTargetError):
            phux.logs(target)


def test_a_catastrophic_pattern_is_an_error_for_its_sender_only(phux):
    pane = phux.new_session("work", command=["bash"]).pane
    pane.run(f"echo {'a' * 60}!")
    failed: list[BaseException] = []

    def explode():
        with blocking.connect(phux.socket) as other:
            for read in (lambda pattern: other.logs("@1", grep=pattern), other.search):
                with pytest.raises(LimitError, match="matching the pattern took") as told:
                    read(r"(a|a|aa)+$b")
                failed.append(told.value)

    threads = [threading.Thread(target=explode) for _ in range(2)]
    for thread in threads:
        thread.start()
    assert pane.run("echo still here").output == "still here"
    assert "still here" in pane.logs(lines=5).content
    assert pane.logs(grep="still here", tail=1).returned_lines == 1
    for thread in threads:
        thread.join(timeout=40)
    assert len(failed) == 4


# tests/unit/test_patterns.py has more patterns. A long line is matched in another process than a short one.
@pytest.mark.parametrize(
    ("pattern", "line"), [("(a+)+$", "a" * 60 + "!"), (r"\d+x", "1" * 300_000)], ids=["nested", "long line"]
)
def test_a_pattern_that_takes_too_long_is_stopped(cli, pattern, line):
    (cli.cwd / "line").write_text(line)
    cli.json("new", "-s", "work", "--", "sh", "-c", "cat line; echo; echo full; read x")
    cli.json("wait", "work", "--until", "full", "--timeout", "10")
    waits = [
        ("wait", "work", "--since", "0", flag, pattern, *more)
        for flag, more in (("--regex", ()), ("--stop", ("--until", "x")))
    ]
    lines = [("logs", "work", "--grep", pattern), ("search", pattern), *waits]
    with ThreadPoolExecutor() as threads:
        everything = list(threads.map(lambda words: cli(*words, "--json"), lines))
    for words, finished in zip(lines, everything, strict=True):
        assert finished.error["error"]["code"] == "limit", words
        assert "matching the pattern took" in finished.error["error"]["message"]
    root = cli.json("status")["logs"]["directory"]
    with pytest.raises(LimitError, match="matching the pattern took"):
        stored_logs.search(pattern, root=root)


@pytest.mark.parametrize("target", [None, "work", "."])
def test_without_server_and_logs_a_read_fails(tmp_path, target):
    with pytest.raises(NoSuchTargetError, match="no server is running, and there is no such log"):
        stored_logs.drive(flows.logs(stored_logs.CALLER, target), str(tmp_path))


def test_an_abandoned_search_is_ended(cli):
    cli.json("new", "-s", "work", "--", "sh", "-c", f"echo {'a' * 60}; read x")
    cli.json("wait", "work", "--until", "aaa", "--timeout", "10")
    service = cli.json("status")["service_pid"]

    def readers():
        with open(f"/proc/{service}/task/{service}/children") as file:
            return file.read().split()

    cli("search", "aaa")
    (reader,) = readers()
    os.kill(int(reader), signal.SIGSTOP)  # so that the search does not end
    process = subprocess.Popen([BIN / "phux", "search", "aaa"], env=cli.env, stderr=subprocess.DEVNULL)
    eventually(lambda: cli.json("status")["clients"] > 1)
    process.send_signal(signal.SIGINT)
    assert process.wait(10) != 0
    eventually(lambda: not readers())


def test_a_search_whose_async_caller_is_cancelled_is_ended(phux):
    import anyio

    phux.new_session("work", command=["cat"])
    phux.search("aaa")
    service = phux.status().service_pid
    children = f"/proc/{service}/task/{service}/children"
    with open(children) as file:
        (reader,) = file.read().split()
    os.kill(int(reader), signal.SIGSTOP)

    async def give_up():
        async with phux_client.connect(phux.socket) as other:
            with anyio.move_on_after(0.2):
                await other.search("aaa")
            eventually(lambda: process_gone(int(reader)))
            assert await other.search("aaa") == []

    anyio.run(give_up)


def test_a_client_may_read_any_number_of_logs_at_once(phux):
    import anyio

    pane = phux.new_session("work", command=["cat"]).pane

    async def crowd():
        async with phux_client.connect(phux.socket) as many, anyio.create_task_group() as tasks:
            for _ in range(200):
                tasks.start_soon(many.drive, flows.logs(many.caller, pane.id, lines=1))

    anyio.run(crowd)
    assert pane.logs().content == ""


def test_readers_beyond_the_limit_get_an_error(phux):
    pane = phux.new_session("work", command=["cat"]).pane
    request = frame({"id": 1, "call": "logs", "params": {"pane": pane.id, "lines": 1}})
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(RawClient(phux.socket)) for _ in range(log_workers.MOST_WAITING + 40)]
        for client in clients:
            client.send_bytes(request)
        replies = [client.receive() for client in clients]
    told = [reply["error"]["code"] for reply in replies if "error" in reply]
    assert len(replies) - len(told) >= log_workers.MOST_WAITING
    assert set(told) <= {"limit"}
    assert pane.logs().content == ""


def test_a_line_of_ten_megabytes_can_be_read_and_searched(phux):
    code = "import sys; sys.stdout.write('x' * 10_000_000); sys.stdout.flush(); input()"
    pane = phux.new_session("work", command=[sys.executable, "-c", code]).pane
    pane.wait(state="awaiting_input", timeout_s=60)
    text = pane.logs(lines=1)
    assert len(text.content) < 1_100_000
    assert text.truncated
    assert read_all(phux, "@1") == b"x" * 10_000_000
    assert phux.search("^x{100}")[0].offset == 0


def test_command_ids_are_unique_across_servers(tmp_path, monkeypatch):
    state = tmp_path / "state"
    outputs = {}
    for number in range(3):
        runtime = tmp_path / f"run{number}"
        runtime.mkdir(mode=0o700)
        cli = Cli(str(runtime / "phux.sock"), tmp_path, {"XDG_STATE_HOME": str(state)})
        try:
            cli.json("new", "-d", "-s", "work", "--", "bash")
            cli.json("run", "work", f"echo server {number}")
            (entry,) = cli.json("commands", "work")["commands"]
            outputs[entry["id"]] = f"server {number}"
        finally:
            cli("kill", "--server")
    assert len(outputs) == 3
    for command_id, output in outputs.items():
        assert cli("output", command_id).out.strip() == output
