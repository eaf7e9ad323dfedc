"""Writing a log without a server: segments, the size limit, holes and damaged files."""

from __future__ import annotations

import os
import random
import shutil
import stat
from functools import partial
from unittest import mock

import pytest
from pane_output import write_journal

from phux_core.keeper import journal as journals
from phux_core.keeper.journal import Journal
from phux_core.logs import ledger, places, writing
from phux_core.logs.ledger import Ledger
from phux_core.logs.listing import list_logs
from phux_core.logs.places import LogId
from phux_core.logs.reading import Query, read_log
from phux_core.logs.searching import search
from phux_core.logs.stored import Stored, line_counts
from phux_core.logs.writing import LogWriter
from phux_core.server.history.pane_log import PaneLog

LOG = LogId("20260101T000000Z-1-abcd", 3)
SMALL = 64 * 1024  # segments of 4 KiB


@pytest.fixture
def root(tmp_path):
    return str(tmp_path / "phux" / "logs")


def write_all(writer, data, place=None):
    place = writer.end if place is None else place
    while data:
        count = writer.write(place, data)
        place += count
        data = data[count:]


def stored_bytes(root):
    with Stored.open(root, LOG) as stored:
        parts, place = [], stored.first
        while True:
            at, data = stored.read(place, 1000)
            if not data:
                return stored.first, b"".join(parts)
            parts.append(data)
            place = at + len(data)


def test_written_bytes_are_read_back_unchanged(root):
    data = random.Random(1).randbytes(30_000)
    writer = LogWriter(root, LOG, SMALL)
    for start in range(0, len(data), 777):
        write_all(writer, data[start : start + 777])
    assert stored_bytes(root) == (0, data)
    assert writer.end == len(data)


def test_the_oldest_segments_are_deleted_first_and_offsets_remain_valid(root):
    data = random.Random(2).randbytes(300_000)
    writer = LogWriter(root, LOG, SMALL)
    write_all(writer, data)
    first, kept = stored_bytes(root)
    assert first > 0
    assert first + len(kept) == len(data)
    assert kept == data[first:]
    assert SMALL - 2 * 4096 <= len(kept) <= SMALL


def test_a_new_writer_resumes_where_an_unclosed_one_stopped(root):
    data = random.Random(3).randbytes(20_000)
    for end in (0, 5_000, 5_001, 12_288, 20_000):
        writer = LogWriter(root, LOG, SMALL)
        writer.resume()
        write_all(writer, data[writer.end : end])  # without closing the writer
    assert stored_bytes(root) == (0, data)


def test_files_and_directories_are_private(root):
    old = os.umask(0)
    try:
        write_all(LogWriter(root, LOG, SMALL), b"x" * 10_000)
    finally:
        os.umask(old)
    for directory, _names, files in os.walk(os.path.dirname(root)):
        assert stat.S_IMODE(os.stat(directory).st_mode) == 0o700
        for name in files:
            assert stat.S_IMODE(os.stat(os.path.join(directory, name)).st_mode) == 0o600


def test_a_directory_that_others_can_enter_is_refused(root):
    os.makedirs(root, 0o755)
    os.chmod(root, 0o755)
    with pytest.raises(places.UnsafeDirectoryError, match="open to others"):
        LogWriter(root, LOG, SMALL).write(0, b"x")


def test_nothing_is_written_through_a_symbolic_link(root, tmp_path):
    os.makedirs(os.path.join(root, LOG.server), 0o700)
    os.chmod(root, 0o700)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    os.symlink(elsewhere, os.path.join(root, LOG.server, "pane-3"))
    with pytest.raises(OSError, match=r"directory|symbolic"):
        LogWriter(root, LOG, SMALL).write(0, b"x")
    assert not list(elsewhere.iterdir())


def test_a_file_in_place_of_the_directory_raises_and_is_not_changed(root, tmp_path):
    os.makedirs(os.path.dirname(root))
    with open(root, "w") as file:
        file.write("mine")
    with pytest.raises(NotADirectoryError):
        LogWriter(root, LOG, SMALL).write(0, b"x")
    with open(root) as file:
        assert file.read() == "mine"


def test_a_gap_in_the_stream_is_reported_as_a_hole(root):
    writer = LogWriter(root, LOG, SMALL)
    write_all(writer, b"a" * 100)
    write_all(writer, b"b" * 50, place=300)
    with Stored.open(root, LOG) as stored:
        assert list(stored.holes(0, 350)) == [(100, 300)]
        assert list(stored.holes(150, 200)) == [(150, 200)]
        assert list(stored.holes(0, 100)) == []
        assert stored.read(0, 1000) == (0, b"a" * 100)
        assert stored.read(100, 1000) == (300, b"b" * 50)
        assert stored.end == 350


def test_writing_to_a_deleted_segment_raises_and_the_end_moves_back_to_its_start(root, monkeypatch):
    monkeypatch.setattr("phux_core.logs.writing._CHECK_S", 0.0)
    writer = LogWriter(root, LOG, SMALL)
    write_all(writer, b"a" * 5000)
    os.unlink(os.path.join(root, LOG.server, "pane-3", places.segment_name(4096)))
    with pytest.raises(FileNotFoundError):
        writer.write(5000, b"b")
    assert writer.end == 4096
    write_all(writer, b"a" * 904 + b"b")
    assert stored_bytes(root) == (0, b"a" * 5000 + b"b")


@pytest.mark.parametrize("seed", range(8))
def test_line_counts_and_last_lines_are_correct_across_segments(root, seed):
    chance = random.Random(seed)
    data = b"".join(b"x" * chance.randrange(200) + b"\n" for _ in range(300)) + (b"" if seed % 2 else b"unfinished")
    writer = LogWriter(root, LOG, SMALL)
    write_all(writer, data)
    expected = data.split(b"\n")
    if not expected[-1]:
        expected.pop()
    with Stored.open(root, LOG) as stored:
        assert stored.first == 0
        assert stored.count_lines(0, stored.end) == len(expected)
        for count in (0, 1, 2, 7, 100, len(expected) - 1, len(expected), len(expected) + 1, 10**9):
            start = stored.start_of_last_lines(count, 0, stored.end, 10**9)
            lines = data[start:].split(b"\n")
            if lines and not lines[-1]:
                lines.pop()
            assert lines == (expected[-count:] if count else [])


def test_line_counts_stored_by_the_writer_equal_those_of_the_segments(root):
    writer = LogWriter(root, LOG, SMALL)
    write_all(writer, b"12345\n" * 5000)
    with Stored.open(root, LOG) as stored:
        noted = {offset: stored.lines_of(offset, size) for offset, size in stored.segments}
        os.unlink(places.LINES, dir_fd=stored.directory)
    with Stored.open(root, LOG) as stored:
        assert {offset: stored.lines_of(offset, size) for offset, size in stored.segments} == noted


def test_line_counts_of_removed_segments_are_dropped(root, monkeypatch):
    monkeypatch.setattr(writing, "_LONG_COUNTS", 400)
    write_all(LogWriter(root, LOG, SMALL), b"12345\n" * 50_000)
    with Stored.open(root, LOG) as stored:
        counts = line_counts(places.read_file(places.LINES, 10_000, dir_fd=stored.directory))
        assert stored.segments[0][0] > 100_000
        assert len(counts) <= 2 * len(stored.segments)
        assert all(
            stored.lines_of(*segment) == stored._pread(segment[0], 0, segment[1]).count(b"\n")
            for segment in stored.segments
        )


def test_only_a_valid_log_id_is_parsed():
    assert LogId.parse(str(LOG)) == LOG
    for text in (
        "",
        "/",
        "a/1",
        "../1",
        "20260101T000000Z-1-abcd",
        "20260101T000000Z-1-abcd/",
        f"{LOG}/..",
        f"{LOG}9" * 9,
    ):
        assert LogId.parse(text) is None


@pytest.mark.parametrize("damage", ["deleted", "torn", "no directory"])
def test_a_damaged_ledger_file_is_rewritten(root, damage):
    journal = Journal(journals.create())
    log = PaneLog(root, LOG, LogWriter(root, LOG), journal, {})
    commands = Ledger(LOG.pane)
    path = f"{root}/{LOG.server}/pane-{LOG.pane}/{places.COMMANDS}"

    def record_command():
        entry = commands.add(place=1, command="make", cwd="/", by="typed", client=None, started_at=1.0)
        log.note_commands(ledger.line(entry), commands)

    record_command()
    record_command()
    if damage == "deleted":
        os.unlink(path)
    elif damage == "torn":
        with mock.patch.object(places, "open_file", side_effect=OSError(28, "No space left on device")):
            record_command()
        with open(path, "ab") as file:
            file.write(b'[3,"half of a li')
    else:
        shutil.rmtree(root)
    record_command()
    with open(path, "rb") as file:
        assert [entry.number for entry in ledger.load(file.read())] == list(commands.entries)
    journal.close()


@pytest.mark.parametrize("how", ["truncated", "replaced", "longer", "directory", "FIFO", "link"])
def test_a_segment_that_was_changed_is_written_again_from_the_journal(root, how):
    journal = Journal(journals.create())
    log = PaneLog(root, LOG, LogWriter(root, LOG, SMALL), journal, {})
    path = f"{root}/{LOG.server}/pane-{LOG.pane}/{0:020}.log"

    def output(data):
        place = journal.position
        write_journal(journal, data)
        log.append(place, data)

    output(b"one\n" * 100)
    log.check_files()
    if how == "truncated":
        os.truncate(path, 10)
    elif how == "longer":
        with open(path, "ab") as file:
            file.write(b"never written by the pane\n")
    else:
        os.unlink(path)
        if how == "replaced":
            with open(path, "wb") as file:
                file.write(b"x" * 400)
        elif how == "directory":
            os.mkdir(path)
        elif how == "FIFO":
            os.mkfifo(path)
        else:
            os.symlink("/etc/passwd", path)
    log.check_files()
    if how in {"directory", "FIFO", "link"}:
        assert log.problem == "it is not a regular file"
        os.rmdir(path) if how == "directory" else os.unlink(path)
        log._retry_at = 0.0
        log.check_files()
    output(b"two\n")
    assert log.problem is None
    assert stored_bytes(root) == (0, b"one\n" * 100 + b"two\n")
    journal.close()


@pytest.mark.parametrize("how", ["truncated", "longer", "directory", "FIFO", "link"])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_segment_of_an_ended_pane_that_was_changed_affects_no_other_segment(root, how, which):
    journal = Journal(journals.create())
    log = PaneLog(root, LOG, LogWriter(root, LOG, SMALL), journal, {})
    data = b"".join(b"line %05d\n" % number for number in range(800))
    write_journal(journal, data)
    log.append(0, data)
    log.ended(ended_at=1.0)
    journal.close()
    with Stored.open(root, LOG) as stored:
        segments = stored.segments
    assert len(segments) == 3
    offset, size = segments[which]
    path = f"{root}/{LOG.server}/pane-{LOG.pane}/{offset:020}.log"
    lost = []
    if how == "truncated":
        os.truncate(path, 100)
        lost = [{"start": offset + 100, "end": offset + size}]
    elif how == "longer" and which < 2:
        with open(path, "ab") as file:
            file.write(b"never written by the pane\n")
    elif how != "longer":
        os.unlink(path)
        {"directory": os.mkdir, "FIFO": os.mkfifo, "link": partial(os.symlink, "/etc/passwd")}[how](path)
        lost = [{"start": offset, "end": offset + size}] if which else []
    result = read_log(root, LOG, Query(since=0, lines=10_000, max_bytes=10**6, mode="raw"))
    assert result["holes"] == lost
    for number in range(800):
        place = number * 11
        is_lost = any(hole["start"] < place + 11 and hole["end"] > place for hole in lost) or (
            which == 0 and place < size and how in {"directory", "FIFO", "link"}
        )
        assert is_lost or f"line {number:05}" in result["content"]
    assert "passwd" not in result["content"]
    assert search(root, [LOG], "line 00799")["matches"] or which == 2
    assert list_logs(root, None, [])[0]["holes"] == lost


def test_deleted_segments_of_a_quiet_or_dead_pane_become_holes(root):
    journal = Journal(journals.create())
    log = PaneLog(root, LOG, LogWriter(root, LOG, SMALL), journal, {})
    directory = f"{root}/{LOG.server}/pane-{LOG.pane}"

    def output(data):
        place = journal.position
        write_journal(journal, data)
        log.append(place, data)

    output(b"one\n" * 3000)
    log.catch_up(at_once=True)
    journal.restart()
    output(b"two\n")
    log.check_files()
    os.unlink(f"{directory}/{4096:020}.log")  # the journal no longer has this segment
    log.check_files()
    assert list_logs(root, None, [])[0]["holes"] == [{"start": 4096, "end": 8192}]
    os.unlink(f"{directory}/{8192:020}.log")  # the segment being written
    log.check_files()
    assert stored_bytes(root)[1].endswith(b"two\n")
    assert list_logs(root, None, [])[0]["holes"] == [{"start": 4096, "end": 12000}]
    log.ended(ended_at=1.0)
    shutil.rmtree(root)
    log.check_files()
    assert stored_bytes(root) == (12000, b"two\n")
    with Stored.open(root, LOG) as stored:
        assert places.read_meta(stored.directory)["ended_at"] == 1.0
    log.check_files()
    journal.close()
