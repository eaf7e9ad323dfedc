"""The limits on the age and the total size of all logs."""

from __future__ import annotations

import json
import os
import time

import pytest

from phux_core.logs import cleaning, places
from phux_core.logs.places import LogId
from phux_core.logs.writing import LogWriter

OWN = places.server_name("/s", time.time(), os.getpid())
GONE = "20200101T000000Z-4194999-abcd"
SMALL = 64 * 1024


@pytest.fixture
def root(tmp_path):
    return str(tmp_path / "logs")


def make_log(root, log, size, *, ended_at=None, age_s=0.0):
    writer = LogWriter(root, log, SMALL)
    data = b"x" * size
    while data:
        data = data[writer.write(writer.end, data) :]
    directory = places.open_log(root, log)
    places.replace_file(places.META, json.dumps({"ended_at": ended_at}).encode(), dir_fd=directory)
    for position, name in enumerate(sorted(os.listdir(directory))):
        moment = time.time() - age_s + position / 1000
        os.utime(name, (moment, moment), dir_fd=directory)
    os.utime(directory, (time.time() - age_s,) * 2)
    os.close(directory)


def clean(root, *, most=10**9, days=7.0, live=frozenset()):
    return cleaning.clean(root, most=most, keep_days=days, now=time.time(), server=OWN, live=live)


def segment_counts(root):
    return {
        log: sum(name.endswith(".log") for name in os.listdir(os.path.join(root, log.server, f"pane-{log.pane}")))
        for log in places.logs(root)
    }


def test_the_log_of_a_pane_that_ended_long_ago_is_deleted(root):
    now = time.time()
    make_log(root, LogId(OWN, 1), 100, ended_at=now - 8 * 86400)
    make_log(root, LogId(OWN, 2), 100, ended_at=now - 6 * 86400)
    make_log(root, LogId(OWN, 3), 100, age_s=30 * 86400)
    clean(root, live=frozenset({3}))
    assert set(segment_counts(root)) == {LogId(OWN, 2), LogId(OWN, 3)}


def test_logs_of_a_crashed_server_expire_by_the_time_of_their_last_byte(root):
    make_log(root, LogId(GONE, 1), 100, age_s=8 * 86400)
    make_log(root, LogId(GONE, 2), 100, age_s=1 * 86400)
    clean(root)
    assert set(segment_counts(root)) == {LogId(GONE, 2)}
    clean(root, days=0.5)
    assert not os.path.exists(os.path.join(root, GONE))


def test_the_total_size_is_limited_and_the_oldest_segments_are_deleted_first(root):
    make_log(root, LogId(GONE, 1), 20_000, age_s=3000)
    make_log(root, LogId(OWN, 1), 20_000, age_s=2000)
    make_log(root, LogId(OWN, 2), 20_000, age_s=10)
    total = clean(root, most=30_000, live=frozenset({1, 2})).total_bytes
    assert total <= 30_000
    assert total == sum(os.path.getsize(os.path.join(path, name)) for path, _, names in os.walk(root) for name in names)
    left = segment_counts(root)
    assert left[LogId(GONE, 1)] == 0
    assert left[LogId(OWN, 2)] == 5


def test_the_newest_segment_of_a_live_pane_is_never_deleted(root):
    make_log(root, LogId(OWN, 1), 20_000)
    clean(root, most=0, live=frozenset({1}))
    assert segment_counts(root) == {LogId(OWN, 1): 1}


def test_unrelated_files_and_symbolic_links_are_not_deleted(root, tmp_path):
    make_log(root, LogId(OWN, 1), 100, ended_at=1.0)
    for name in ("notes", "20200101T000000Z-1-abcd.txt"):
        os.makedirs(os.path.join(root, name))
    os.symlink(tmp_path, os.path.join(root, GONE))
    clean(root, most=0, days=0)
    assert set(os.listdir(root)) == {"notes", "20200101T000000Z-1-abcd.txt", GONE}
    assert clean(str(tmp_path / "nowhere")) == (0, 0)


def test_the_number_of_logs_is_limited_and_those_that_ended_first_are_deleted(root, monkeypatch):
    monkeypatch.setattr(cleaning, "MOST_LOGS", 2)
    now = time.time()
    for pane in range(1, 5):
        make_log(root, LogId(GONE, pane), 100, ended_at=now - 1000 * pane)
    for pane in (1, 2, 3):
        make_log(root, LogId(OWN, pane), 100, age_s=5000)
    assert clean(root, live=frozenset({1, 2, 3})).logs == 5
    assert set(segment_counts(root)) == {LogId(GONE, 1), LogId(GONE, 2), *(LogId(OWN, pane) for pane in (1, 2, 3))}
