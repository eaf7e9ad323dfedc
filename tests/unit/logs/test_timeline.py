"""The timeline of a log: writing and reading its files, damaged or not."""

from __future__ import annotations

import os

import pytest

from phux_core.logs import places, timeline
from phux_core.logs.places import LogId
from phux_core.logs.timeline import FILE_BYTES, Entry, Timeline, event_line, output_line, parse
from phux_core.logs.timeline_writing import TimelineWriter

LOG = LogId("20260101T000000Z-1-abcd", 3)
LARGE = 64 * 1024 * 1024


@pytest.fixture
def root(tmp_path):
    return str(tmp_path / "phux" / "logs")


@pytest.fixture
def writer(root):
    writer = TimelineWriter(root, LOG, LARGE)
    yield writer
    writer.close()


def entries(root):
    with places.log_directory(root, LOG) as directory:
        return [entry for _cursor, entry in Timeline(directory).entries()]


def files(root):
    directory = os.path.join(root, LOG.server, f"pane-{LOG.pane}")
    return sorted(os.path.join(directory, name) for name in os.listdir(directory) if timeline.file_number(name))


def test_written_entries_are_read_back(root, writer):
    writer.write(output_line(1.0, 0))
    writer.write(event_line(1.5, 10, "typed", {"text": "ä\n\udcff"}))
    assert entries(root) == [Entry(1.0, 0, "output", {}), Entry(1.5, 10, "typed", {"text": "ä\n\udcff"})]


def test_a_writer_continues_the_last_file_and_knows_its_last_entry(root, writer):
    assert writer.resume() == []
    writer.write(output_line(1.0, 0))
    following = TimelineWriter(root, LOG, LARGE)
    assert following.resume() == [Entry(1.0, 0, "output", {})]
    following.write(output_line(2.0, 5))
    following.close()
    assert len(files(root)) == 1
    assert [entry.seq for entry in entries(root)] == [0, 5]


def test_an_incomplete_line_is_skipped_and_the_next_entry_begins_a_file(root, writer):
    writer.write(output_line(1.0, 0))
    with open(files(root)[0], "ab") as file:
        file.write(b"[2000,7,")
    following = TimelineWriter(root, LOG, LARGE)
    following.write(output_line(3.0, 9))
    following.close()
    assert len(files(root)) == 2
    assert [entry.seq for entry in entries(root)] == [0, 9]


def test_the_oldest_files_are_removed(root):
    writer = TimelineWriter(root, LOG, 4 * 8 * FILE_BYTES)
    line = event_line(1.0, 0, "typed", {"text": "x" * 1000})
    for _ in range(6 * FILE_BYTES // len(line)):
        writer.write(line)
    writer.close()
    assert len(files(root)) == 4
    assert all(os.path.getsize(file) <= FILE_BYTES for file in files(root))


def test_a_deleted_file_is_begun_again(root, writer):
    writer.write(output_line(1.0, 0))
    os.unlink(files(root)[0])
    writer.close_deleted()
    writer.write(output_line(2.0, 5))
    assert [entry.seq for entry in entries(root)] == [5]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/etc/passwd", path)])
def test_a_file_that_is_not_regular_is_left_alone(root, writer, make):
    with places.log_directory(root, LOG, create=True):
        make(os.path.join(root, LOG.server, f"pane-{LOG.pane}", "00000001.time"))
    writer.write(output_line(1.0, 0))
    assert [entry.seq for entry in entries(root)] == [0]


@pytest.mark.parametrize(
    "damage",
    [
        b"\0" * 30,
        b"x y",
        b"[1]",
        b"[" * 100_000,
        b'["a",1,"bell",{}]',
        b"9" * 5000 + b" 1",
        b"-5 3",
        b'[1,2,"bell",[]]',
    ],
)
def test_damaged_lines_are_skipped(damage):
    assert [entry.seq for entry in parse(b"1000 1\n" + damage + b"\n2000 2\n")] == [1, 2]


def test_entries_that_go_back_are_skipped():
    assert [entry.at for entry in parse(b"2000 5\n1000 6\n3000 4\n4000 7\n")] == [2.0, 4.0]


def test_times_and_offsets_are_found_across_files(root):
    writer = TimelineWriter(root, LOG, LARGE)
    for number in range(30_000):
        writer.write(output_line(1000 + number / 100, 10 * number))
    writer.close()
    assert len(files(root)) > 1
    with places.log_directory(root, LOG) as directory:
        read = Timeline(directory)
        assert (read.first.seq, read.last.seq) == (0, 299_990)
        for number in (1, 15_000, 29_998):
            assert read.time_at(10 * number + 1) == pytest.approx(1000 + number / 100)
            assert read.time_at(10 * number) == pytest.approx(1000 + (number - 1) / 100)
            assert read.seq_at(1000 + number / 100) == 10 * number + 10
            cursor = read.cursor_at(10 * number)
            assert next(read.entries(cursor))[1].seq == 10 * number
        assert read.time_at(0) is not None
        assert read.seq_at(2000.0) is None


def test_a_cursor_continues_after_its_entry(root):
    writer = TimelineWriter(root, LOG, LARGE)
    for number in range(20_000):
        writer.write(output_line(1000 + number / 100, 10 * number))
    writer.close()
    with places.log_directory(root, LOG) as directory:
        cursor, seen = 0, []
        while True:
            page = list(zip(range(999), Timeline(directory).entries(cursor), strict=False))
            if not page:
                break
            seen += [entry.seq for _, (_cursor, entry) in page]
            cursor = page[-1][1][0]
    assert seen == [10 * number for number in range(20_000)]


def test_checkpoints_close_to_others_are_removed_if_there_are_too_many(root):
    writer = TimelineWriter(root, LOG, 1000)
    writer.write(output_line(1.0, 0))
    for offset in (10, 20, 25, 40, 80, 85, 160, 320):
        writer.add_checkpoint(offset, b"x" * 100, first=10)
    with places.log_directory(root, LOG) as directory:
        kept = sorted(filter(None, map(timeline.checkpoint_offset, os.listdir(directory))))
    assert kept == [10, 40, 85, 160, 320]
    writer.close()


def test_a_checkpoint_that_is_larger_than_the_limit_is_kept(root):
    writer = TimelineWriter(root, LOG, 100)
    writer.write(output_line(1.0, 0))
    for offset in (10, 20, 30):
        writer.add_checkpoint(offset, b"x" * 1000, first=0)
    with places.log_directory(root, LOG) as directory:
        assert sorted(filter(None, map(timeline.checkpoint_offset, os.listdir(directory)))) == [10, 30]
