"""The past of a pane: screens as they were and the timeline, also of panes and servers that are gone."""

from __future__ import annotations

import os
import shutil
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from phux_client import blocking, flows, stored_logs
from phux_core.errors import BadRequestError, NoSuchTargetError
from servers import Cli, embedded_server, eventually, kill_service

GETPASS = "import getpass; getpass.getpass(); print('thanks')"


@pytest.fixture
def phux():
    with embedded_server() as server, blocking.connect(server.socket) as connected:
        yield connected


@pytest.fixture
def pane(phux):
    return phux.new_session("work", command=["bash"]).pane


def log_directory(phux, pane):
    logs = phux.status().logs
    return Path(logs.directory, logs.server, f"pane-{pane.id}")


def stored_screen(target, at, root):
    return stored_logs.drive(flows.past_screen(stored_logs.CALLER, target, at), root)


def screen_of(screen):
    return screen.lines, screen.cells, screen.cursor, screen.soft_wrap, screen.title, screen.alt_screen


def remember(pane, shown):
    screen = pane.snapshot(cells=True)
    shown[screen.seq] = screen_of(screen)


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_screens_of_the_past_are_those_that_were_shown(engine):
    with embedded_server(engine) as server, blocking.connect(server.socket) as phux:
        pane = phux.new_session("work", command=["bash"]).pane
        shown = {}
        pane.run("ls --color=always /usr /etc")
        remember(pane, shown)
        pane.send_keys("vim -u NONE -N -n /etc/passwd", "Enter")
        pane.wait(until="root:", timeout_s=20)
        remember(pane, shown)
        pane.resize(cols=50, rows=12)
        pane.act("G", "i", "日本語", "Escape", timeout_s=5)
        remember(pane, shown)
        kill_service(phux)
        pane.resize(cols=90, rows=30)
        pane.send_keys(":q!", "Enter")
        pane.wait(state="prompt", timeout_s=20)
        remember(pane, shown)
        pane.run("seq 1000000", timeout_s=60)
        remember(pane, shown)
        resized = {entry.seq for entry in pane.timeline().entries if entry.kind == "resized"}
        shown = {seq: screen for seq, screen in shown.items() if seq not in resized}  # there were two screens
        assert len(shown) >= 3
        for seq in (*shown, *reversed(shown)):
            assert screen_of(pane.snapshot(at=seq, cells=True)) == shown[seq]
        directory = phux.status().logs.directory
        pane.kill()
        for seq, screen in shown.items():
            assert screen_of(phux.past_screen(pane.selector, seq, cells=True)) == screen
            found = stored_screen(pane.selector, seq, directory)
            assert found["lines"] == screen[0]


def test_the_timeline_says_what_was_typed_and_which_commands_ran(phux, pane):
    pane.wait(state="prompt", timeout_s=20)
    pane.act("false", "Enter", state="prompt", timeout_s=10)
    entries = phux.timeline(pane.selector).entries
    kinds = [entry.kind for entry in entries]
    assert kinds.index("typed") < kinds.index("command_started") < kinds.index("command_finished")
    by_kind = {entry.kind: entry for entry in entries}
    assert by_kind["typed"].text == "false\r"
    assert by_kind["command_started"].command == "false"
    assert by_kind["command_finished"].exit_code == 1
    assert by_kind["command_finished"].command_id == by_kind["command_started"].command_id
    assert by_kind["state_changed"].state == "prompt"
    times = [entry.at for entry in entries]
    assert times == sorted(times)
    now = datetime.now(UTC)
    assert now - timedelta(minutes=1) < datetime.fromisoformat(times[0]) < now


def test_the_screens_at_the_start_and_the_end_of_a_command_lack_and_have_its_output(pane):
    for number in range(3):
        pane.run(f"printf 'result %d\\n' {number}")
    entries = pane.timeline().entries
    started = [entry.seq for entry in entries if entry.kind == "command_started"]
    finished = [entry.seq for entry in entries if entry.kind == "command_finished"]
    for number, (start, end) in enumerate(zip(started, finished, strict=True)):
        before, after = pane.snapshot(at=start).lines, pane.snapshot(at=end).lines
        assert any(line.endswith(f"printf 'result %d\\n' {number}") for line in before)
        assert f"result {number}" not in before
        assert f"result {number}" in after
        assert not any(line.endswith(f"printf 'result %d\\n' {number + 1}") for line in after)


def test_a_time_names_the_screen_that_was_shown_then(pane):
    pane.run("echo before")
    pane.run("sleep 0.2")
    between = datetime.now(UTC)
    pane.run("sleep 0.2; clear; echo after")
    lines = pane.snapshot(at=between).lines
    assert "before" in lines
    assert "after" not in lines
    assert pane.snapshot(at="-0s").lines == pane.snapshot().lines
    assert pane.snapshot(at="+0s").seq <= pane.snapshot(at="+0.1s").seq


@pytest.mark.parametrize(
    ("asker", "more"),
    [("read -s x", ()), (f'{sys.executable} -c "{GETPASS}"', ()), ("stty -echo; cat; stty echo", ("C-d",))],
    ids=["read", "getpass", "cat"],
)
def test_input_that_is_not_echoed_is_not_recorded(phux, pane, asker, more):
    pane.wait(state="prompt", timeout_s=20)
    pane.act(asker, "Enter", state="awaiting_secret", timeout_s=20)
    pane.act("h1dden", "Enter", *more, state="prompt", timeout_s=20)
    pane.act("echo shown", "Enter", until="shown", timeout_s=10)
    assert "echo shown\r" in [entry.text for entry in pane.timeline().entries if entry.kind == "typed"]
    stored = b"".join(path.read_bytes() for path in log_directory(phux, pane).glob("*.time"))
    assert b"h1dden" not in stored


def stored_timeline(phux, pane):
    return b"".join(path.read_bytes() for path in log_directory(phux, pane).glob("*.time"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_secret_that_is_typed_ahead_is_not_recorded(phux, shell):
    """The shell's editor does not echo it, and the program that reads it has turned the echo off."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    pane = phux.new_session("ahead", command=[shell]).pane
    pane.wait(state="prompt", timeout_s=20)

    def is_back():
        state = pane.snapshot().state
        if state == "awaiting_secret":  # in the mode of the shell's editor, Enter has ended no line
            pane.send_keys("Enter")
        return state == "prompt"

    pane.send_keys("read -s x", "Enter", "h1dden", "Enter")
    eventually(lambda: "read -s x" in stored_timeline(phux, pane).decode() and is_back())
    assert b"read -s x" in stored_timeline(phux, pane)
    assert b"h1dden" not in stored_timeline(phux, pane)
    pane.send_keys("read -s x", "Enter")
    pane.send_keys("s3cond", "Enter")  # possibly before the shell has read the line
    eventually(is_back)
    is_shown = "s3cond" in pane.logs(mode="raw").content
    assert is_shown or b"s3cond" not in stored_timeline(phux, pane)


def test_a_paste_of_lines_is_recorded_as_one_piece(phux, pane):
    pane.wait(state="prompt", timeout_s=20)
    pane.paste("for i in 1 2; do\necho $i\ndone")
    pane.send_keys("Enter")
    pane.wait(state="prompt", timeout_s=20)
    assert any("done" in (entry.text or "") for entry in pane.timeline().entries if entry.kind == "typed")


def test_input_that_waits_for_a_program_that_turns_the_echo_off_is_not_recorded(phux, pane):
    """The terminal's buffer is full, so the end of the input is written after the program has turned the echo off."""
    pane.wait(state="prompt", timeout_s=20)
    code = "import os,time,termios,tty; time.sleep(0.5); tty.setraw(0, 0); n = 0\nwhile n < 20006: n += len(os.read(0, 9999))"
    pane.send_keys(f'{sys.executable} -c "{code}"', "Enter")
    pane.wait(state="running", timeout_s=20)
    pane.send_keys("x\n" * 10000 + "h1dden")
    pane.wait(state="prompt", timeout_s=20)
    assert b"h1dden" not in stored_timeline(phux, pane)


def test_the_timeline_survives_the_death_of_the_service(phux, pane):
    pane.run("echo one")
    kill_service(phux)
    pane.run("echo two")
    commands = [entry.command for entry in pane.timeline().entries if entry.kind == "command_started"]
    assert commands == ["echo one", "echo two"]
    assert len([name for name in os.listdir(log_directory(phux, pane)) if name.endswith(".time")]) == 1


def test_pages_of_a_timeline_follow_each_other(pane):
    for number in range(20):
        pane.run(f"echo {number}")
    whole = pane.timeline().entries
    pages, cursor = [], None
    while True:
        page = pane.timeline(cursor=cursor, most=7) if cursor is not None else pane.timeline(most=7)
        assert len(page.entries) <= 7
        pages += page.entries
        cursor = page.next
        if cursor is None:
            break
    assert pages == whole
    later = pane.timeline(from_seq=whole[-5].seq).entries
    assert later == [entry for entry in whole if entry.seq >= whole[-5].seq]


def damage(path):
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 3] + b"\0\xff garbage [" + data[len(data) // 3 + 20 :])


def test_a_damaged_timeline_or_checkpoint_does_not_hide_the_past(phux, pane):
    pane.run("seq 3000000", timeout_s=60)
    seen = pane.snapshot(cells=True)
    directory = log_directory(phux, pane)
    checkpoints = list(directory.glob("*.screen"))
    assert checkpoints
    for path in checkpoints:
        damage(path)
    assert screen_of(pane.snapshot(at=seen.seq, cells=True)) == screen_of(seen)
    for path in directory.glob("*.time"):
        damage(path)
    root = str(directory.parents[1])
    assert stored_screen(pane.selector, seen.seq, root)["lines"] == seen.lines
    for path in directory.glob("*.time"):
        path.write_bytes(b"")
    assert stored_screen(pane.selector, seen.seq, root)["lines"] == seen.lines
    with pytest.raises(NoSuchTargetError, match="no times"):
        stored_screen(pane.selector, "-1s", root)


def test_sizes_are_known_without_the_part_of_the_timeline_that_has_them(phux, pane):
    pane.run("seq 30")
    pane.resize(cols=50, rows=10)
    pane.run("echo small")
    pane.wait(state="prompt", timeout_s=20)
    seen = pane.snapshot()
    directory = log_directory(phux, pane)
    pane.kill()
    (path,) = directory.glob("*.time")
    lines = path.read_bytes().split(b"\n")
    resized = next(number for number, line in enumerate(lines) if b"resized" in line)
    for part in (lines[:resized], lines[resized + 2 :]):
        path.write_bytes(b"\n".join([*part, b""]))
        found = stored_screen(pane.selector, seen.seq, str(directory.parents[1]))
        assert (found["cols"], found["rows"], found["lines"]) == (50, 10, seen.lines)


def test_moments_that_are_not_in_the_log_are_refused_with_those_that_are(phux, pane):
    pane.run("echo hi")
    end = pane.snapshot().seq
    with pytest.raises(BadRequestError, match=f"the log ends at {end}") as caught:
        pane.snapshot(at=end + 1)
    assert f"0 to {end}" in caught.value.remedy
    with pytest.raises(BadRequestError, match="before the start") as caught:
        pane.snapshot(at=datetime(2020, 1, 1, tzinfo=UTC))
    assert "use a time from 20" in caught.value.remedy
    with pytest.raises(BadRequestError, match="in the future"):
        pane.snapshot(at=datetime.now(UTC) + timedelta(days=1))
    for wrong in (-1, "yesterday", True, 1.5):
        with pytest.raises(BadRequestError):
            pane.snapshot(at=wrong)
    quiet = phux.new_session("quiet", command=["bash"], log=False).pane
    quiet.run("echo hi")
    for read in (lambda: quiet.snapshot(at=0), quiet.timeline):
        with pytest.raises(NoSuchTargetError, match="not logged"):
            read()


def test_a_screen_after_missing_output_is_refused(phux, pane):
    pane.run("seq 2000000", timeout_s=60)
    end = pane.snapshot().seq
    directory = log_directory(phux, pane)
    pane.kill()
    segments = sorted(directory.glob("*.log"))
    segments[1].unlink()
    for path in directory.glob("*.screen"):
        path.unlink()
    root = str(directory.parents[1])
    assert stored_screen(pane.selector, 1000, root)["seq"] == 1000
    with pytest.raises(NoSuchTargetError, match="not in the log"):
        stored_screen(pane.selector, end, root)
    segments[0].unlink()
    with pytest.raises(NoSuchTargetError, match="cannot be rebuilt"):
        stored_screen(pane.selector, 1000, root)
    shutil.rmtree(directory)
    with pytest.raises(NoSuchTargetError):
        stored_logs.drive(flows.timeline(stored_logs.CALLER, pane.selector), root)


def test_the_command_shows_the_past(phux, pane, tmp_path):
    pane.run("echo before")
    seq = pane.snapshot().seq
    pane.run("clear")
    cli = Cli(phux.socket, tmp_path)
    assert "before" in cli("snapshot", "work", "--at", str(seq)).out
    assert cli.json("snapshot", "work", "--at", str(seq))["at"].endswith("Z")
    assert "before" in cli("snapshot", "work", "--format", "svg", "--at", str(seq)).out
    refused = cli("snapshot", "work", "--at", "-1d")
    assert (refused.code, "before the start" in refused.err) == (2, True)
    assert cli("snapshot", "work", "--at", "1", "--since", "0").code == 2
