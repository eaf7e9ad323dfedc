"""Logs on a full disk, in a directory that cannot be written, or with deleted files; and input that is never stored."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from mcp_host import Host
from outers import attached
from phux_client import blocking, doctor
from phux_core.errors import BusyError
from servers import SHELL, Cli, embedded_server, eventually, kill_service
from validation import validate

SECRET = "hunter2-Tr0ub4dor"
WRITES = (
    "import sys\nfor line in sys.stdin:\n    sys.stdout.write(('y' * 99 + '\\n') * int(line)); print('wrote', line)"
)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of one mebibyte, and a function to enlarge it."""
    place = tmp_path / "disk"
    place.mkdir(mode=0o700)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", place], capture_output=True)
    if mounted.returncode:
        pytest.skip(f"file systems cannot be mounted here: {mounted.stderr.decode().strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@pytest.fixture
def cli(tmp_path, monkeypatch):
    os.chmod(tmp_path, 0o700)
    cli = Cli(str(tmp_path / "phux.sock"), tmp_path, {"PHUX_ENGINE": "pyte", "XDG_STATE_HOME": str(tmp_path / "disk")})
    yield cli
    cli("kill", "--server")


def write(cli, lines):
    """Make the program in the session write some lines."""
    with blocking.connect(cli.socket) as phux:
        pane = phux.pane("work")
        pane.send_keys(str(lines), "Enter")
        pane.wait(until=f"wrote {lines}", timeout_s=60)


def holes(cli):
    return json.loads(cli("logs", "--list", "--json").out)["logs"][0]["holes"]


def write_until_logged(cli, lines):
    """Write until the log is written again."""
    with blocking.connect(cli.socket) as phux:
        eventually(lambda: write(cli, lines) or phux.status().logs.problem is None)


def kill(cli):
    with blocking.connect(cli.socket) as phux:
        kill_service(phux)


def test_a_full_disk_does_not_stop_a_pane_and_the_journal_is_written_later(small_disk, cli):
    cli.json("new", "-s", "work", "--", sys.executable, "-u", "-c", WRITES)
    write(cli, 30_001)  # three megabytes
    written = json.loads(cli("logs", "--list", "--json").out)["logs"][0]["next_byte"]
    assert 500_000 < written < 1_048_576
    assert "panes are not logged: No space left on device" in cli("status").out
    read = cli.json("logs", "@1", "--from-byte", str(written - 100), "--max-bytes", "5000000")
    assert read["content"].count("y" * 99 + "\n") * 101 > read["next_byte"] - written - 200
    assert (read["holes"], read["eof"]) == ([], True)
    assert cli.json("logs", "@1")["total_lines"] == 30_004  # with the typed line, its echo and the answer
    assert cli.json("status")["logs"]["problem"] == "No space left on device"
    checked = cli("doctor")
    assert checked.code == 1
    assert "BAD  logs: the server cannot write logs" in checked.out
    assert "ok   holes" in checked.out  # everything can still be written
    assert cli.json("logs", "work", "--from-byte", "0", "--max-bytes", "100")["returned_lines"] > 0
    tail = cli.json("logs", "work", "--tail", "2")  # from the journal
    assert tail["content"].splitlines()[0] == "wrote 30001"
    assert (tail["holes"], tail["next_byte"] > 3_000_000) == ([], True)
    (listed,) = json.loads(cli("logs", "--list", "--json").out)["logs"]
    assert cli.json("logs", listed["log"], "--tail", "2") == tail
    with blocking.connect(cli.socket) as phux:
        following = phux.pane("work").follow(from_byte=written - 100)
        while "wrote 30001" not in (part := following.next(timeout_s=20)).content:
            assert part.holes == []
    assert cli.json("logs", "work", "--since", "0", "--grep", "^wrote")["holes"] == []
    for words in (["--all"], ["--session", "work"], []):
        (match,) = cli.json("search", "^wrote 3000[1]$", "--context", "1", *words)["matches"]
        assert (match["pane"], match["line"], match["before"]) == (1, 30_003, ["y" * 99])
    assert cli.json("search", "^y+$", "--max-matches", "30000")["truncated"]
    kill(cli)
    write(cli, 1)  # the pane and the next service continue
    assert cli.json("status")["logs"]["problem"] == "No space left on device"
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    write_until_logged(cli, 2)
    assert cli.json("logs", "work", "--tail", "100000")["holes"] == []
    text = cli("logs", "work", "--since", "0", "--grep", "^y+$", "--head", "40000", "--max-bytes", "16000000").out
    assert text.count("y" * 99) >= 30_002


def test_output_beyond_the_journal_is_a_hole_with_a_beginning_and_an_end(small_disk, cli):
    cli.json("new", "-s", "work", "--", sys.executable, "-u", "-c", WRITES)
    write(cli, 200_001)  # more than the journal holds
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    write_until_logged(cli, 3)
    (hole,) = holes(cli)
    assert f"BAD  holes: the log of @1 lacks bytes {hole['start']} to {hole['end']}" in cli("doctor").out
    assert hole["start"] < 1_048_576 < 16_000_000 < hole["end"]
    kill(cli)
    assert holes(cli) == [hole]
    document = cli.json("logs", "work", "--since", "0", "--grep", "not logged|wrote")
    assert f"[phux: bytes {hole['start']} to {hole['end']} were not logged]" in document["content"]
    assert document["holes"] == [{"start": hole["start"], "end": hole["end"]}]
    assert "wrote 3" in document["content"]


def test_a_directory_that_cannot_be_written_does_not_affect_the_pane(small_disk, cli):
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    assert "BAD  logs" in cli("doctor").out  # even without a server
    cli.json("new", "-s", "silent", "--", "sleep", "1000")
    assert cli.json("status")["logs"]["problem"] == "Read-only file system"  # even before anything is written
    assert "panes are not logged: Read-only file system" in cli("status").out
    assert "BAD  logs: the server cannot write logs" in cli("doctor").out
    cli("kill", "silent")
    cli.json("new", "-s", "work")
    assert cli.json("run", "work", "echo it goes on")["output"] == "it goes on"
    assert cli.json("status")["logs"]["problem"] == "Read-only file system"
    assert "it goes on" in cli("logs", "work").out
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    eventually(lambda: cli.json("run", "work", "true") and "problem" not in cli.json("status")["logs"])
    assert "it goes on" in cli("logs", "work").out
    assert holes(cli) == []


@pytest.mark.parametrize("place", ["disk", "disk/phux", "disk/phux/logs"])
def test_a_file_in_place_of_a_directory_is_reported_and_does_not_affect_the_pane(tmp_path, cli, place):
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text("")
    assert "BAD  logs" in cli("doctor").out
    cli.json("new", "-s", "work")
    assert cli.json("run", "work", "echo it goes on")["output"] == "it goes on"
    assert cli.json("status")["logs"]["problem"] in {"Not a directory", "File exists"}
    assert "BAD  logs: the server cannot write logs" in cli("doctor").out


def test_a_directory_that_is_not_private_is_refused_and_reported(tmp_path, cli):
    os.makedirs(tmp_path / "disk" / "phux" / "logs")
    os.chmod(tmp_path / "disk" / "phux" / "logs", 0o755)
    cli.json("new", "-s", "work")
    assert cli.json("run", "work", "echo fine")["output"] == "fine"
    assert "open to others" in cli.json("status")["logs"]["problem"]
    assert "BAD  logs" in cli("doctor").out
    assert list((tmp_path / "disk" / "phux" / "logs").iterdir()) == []


@pytest.mark.parametrize("what", ["file", "directory"])
def test_deleted_log_files_are_created_again(tmp_path, cli, what):
    cli.json("new", "-s", "work", "--", sys.executable, "-u", "-c", WRITES)
    write(cli, 10)
    logs = cli.json("status")["logs"]
    pane = f"{logs['directory']}/{logs['server']}/pane-1"
    if what == "file":
        os.unlink(f"{pane}/{0:020}.log")
    else:
        subprocess.run(["rm", "-r", logs["directory"]], check=True)
    eventually(lambda: write(cli, 5) or os.path.exists(f"{pane}/{0:020}.log"))
    text = cli("logs", "work", "--since", "0", "--grep", "wrote").out
    assert text.startswith("wrote 10\n")  # from the journal
    assert holes(cli) == []


def test_bad_files_of_one_log_affect_no_other_log(tmp_path, cli):
    cli.json("new", "-s", "work", "--shell", SHELL)
    cli.json("run", "work", "echo needle")
    (good,) = (tmp_path / "disk/phux/logs").glob("*/pane-1")
    for number, name in enumerate(("meta.json", "commands", "lines", f"{0:020}.log"), 2):
        for more, spoil in enumerate((os.mkdir, os.mkfifo, lambda path: os.symlink("/etc/passwd", path), _fill)):
            bad = good.parent / f"pane-{10 * number + more}"
            bad.mkdir(mode=0o700)
            spoil(bad / name)
    (bad / "meta.json").write_text('{"session": 5, "started_at": "x", "ended_at": [], "exit_status": "", "end": "y"}')
    names = {f"{good.parent.name}/{int(path.name[5:])}" for path in good.parent.iterdir()}
    assert len(names) == 17
    listed = json.loads(cli("logs", "--list", "--json").out)
    validate("log-list", listed)
    assert {log["log"] for log in listed["logs"]} == names
    assert {match["pane"] for match in cli.json("search", "needle", "--all")["matches"]} == {1}
    assert "needle" in cli("logs", "work").out
    assert cli("output", "1.1").out == "needle\n"
    assert cli("doctor").code == 0
    for name in names:
        assert cli("logs", name, timeout_s=10).code == 0
        assert cli("commands", name, timeout_s=10).code == 0
    assert "Traceback" not in (tmp_path / "phux.sock.log").read_text()


def _fill(path):
    """Write bytes that are neither UTF-8 nor, up to any sensible depth, JSON."""
    with open(path, "wb") as file:
        file.write(b"[" * 100_000 + b"\xff\xc3")


def test_doctor_reports_no_problem_with_a_healthy_server_or_none(tmp_path, cli):
    assert cli("doctor").code == 0
    cli.json("new", "-s", "work")
    document = cli.json("doctor")
    assert document["ok"]
    assert [check["name"] for check in document["checks"]] == [
        *("socket", "server", "versions", "logs", "disk", "engine", "processes", "shell", "config", "holes")
    ]
    assert cli("doctor", SHELL="/no/such/shell").code == 1
    (tmp_path / "config.toml").write_text("color = 1\n")
    assert "BAD  config" in cli("doctor", PHUX_CONFIG=str(tmp_path / "config.toml")).out


def test_doctor_can_be_called_from_python(tmp_path):
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        assert all(check["message"] for check in doctor.examine(phux)["checks"])


# Secrets

GETPASS = "import getpass; getpass.getpass(); print('thanks')"


@pytest.mark.parametrize("how", ["keys", "paste"])
@pytest.mark.parametrize(
    "asker", ["read -s x; echo thanks", f'{sys.executable} -c "{GETPASS}"'], ids=["read", "getpass"]
)
def test_input_typed_without_echo_is_stored_nowhere(tmp_path, asker, how):
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("work", command=["bash"]).pane
        started = pane.start(asker)
        pane.wait(state="awaiting_secret", timeout_s=20)
        if how == "keys":
            pane.send_keys(SECRET, "Enter")
        else:
            pane.paste(SECRET)
            pane.send_keys("Enter")
        phux.wait_command(started.command_id, timeout_s=20)
        pane.run("echo a command after it")
        assert "thanks" in pane.logs().content
        _assert_secret_is_nowhere(phux)


def test_no_way_of_sending_a_secret_stores_it(tmp_path):
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("work", command=["bash"]).pane
        cli = Cli(server.socket, tmp_path)
        with Host(cli.env, cli.cwd) as host, attached(server.socket, "work") as terminal:
            host.begin("2025-11-25")
            terminal.shows("[work]")
            ways = (
                lambda: cli("send-keys", "work", SECRET, "Enter"),
                lambda: host.call("phux_send_keys", target="work", keys=[SECRET, "Enter"]),
                lambda: pane.act(SECRET, "Enter"),
                lambda: terminal.type(f"{SECRET}\r"),
            )
            for send in ways:
                started = pane.start("stty -echo; head -n 1 >/dev/null; stty echo")
                pane.wait(state="awaiting_secret", timeout_s=20)
                with pytest.raises(BusyError, match="secret"):
                    pane.run(f"echo {SECRET}")
                send()
                assert phux.wait_command(started.command_id, timeout_s=20).exit_code == 0
        _assert_secret_is_nowhere(phux)


def _assert_secret_is_nowhere(phux):
    assert _files_with_secret(phux) == b""
    assert all(SECRET not in str(command) for command in phux.commands())
    assert not _memory_has(phux.status().keeper_pid, SECRET.encode())  # journals, checkpoints, ledgers


def _files_with_secret(phux):
    """Return the names of the server's files that contain the secret."""
    return subprocess.run(["grep", "-rla", SECRET, os.path.dirname(phux.socket)], capture_output=True).stdout


def _memory_has(pid, what):
    """Search the memory of a process, including the shared memory it holds."""
    for name in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{name}"
        if os.readlink(path).startswith("/memfd:"):
            with open(path, "rb") as file:
                if what in file.read():
                    return True
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            span, modes, *_rest = line.split()
            if modes.startswith("rw") and "[v" not in line and "memfd" not in line:
                start, end = (int(part, 16) for part in span.split("-"))
                memory.seek(start)
                try:
                    if what in memory.read(end - start):
                        return True
                except OSError:
                    continue
    return False


def test_the_search_for_secrets_finds_a_stored_text():
    with embedded_server() as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("work", command=["bash"]).pane
        pane.run(f"echo {SECRET}")
        assert _memory_has(phux.status().keeper_pid, SECRET.encode())
        assert _files_with_secret(phux) != b""
