"""A log has every byte of the stream exactly once, or reports the missing ones, after any service or disk failure."""

from __future__ import annotations

import itertools
import os
import tempfile
from unittest import mock

from hypothesis import example, given, settings
from hypothesis import strategies as st

from phux_core.keeper import journal as journals
from phux_core.keeper.journal import Journal
from phux_core.logs.places import LogId
from phux_core.logs.stored import Stored
from phux_core.logs.writing import LogWriter
from phux_core.server.history.pane_log import PaneLog

LOG = LogId("20260101T000000Z-1-abcd", 1)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("output"), st.integers(1, 9000)),
        st.sampled_from([("die",), ("checkpoint",), ("disk fails",), ("disk works",), ("read ahead",)]),
    ),
    max_size=40,
)


class Disk:
    """A disk on which writes can fail."""

    def __init__(self):
        self.works = True
        self._write = os.write

    def write(self, fd, data):
        if not self.works:
            raise OSError(28, "No space left on device")
        return self._write(fd, data)


@given(st.lists(st.integers(0, 60), max_size=6), st.booleans())
@settings(max_examples=100, deadline=None)
def test_a_log_has_hyphens_in_place_of_the_nonce_wherever_reads_and_the_journal_are_split(cuts, restarts):
    stream = b"text \x1b]7748;5ecretN0nce;1;A\x07 5ecretN0nce \x1b]7748;5ecret\x07\x1b]7748;5ecretN0nce;2;A\x07"
    memory = journals.create()
    with tempfile.TemporaryDirectory() as home:
        root = os.path.join(home, "logs")
        journal = Journal(os.dup(memory))
        log = PaneLog(root, LOG, LogWriter(root, LOG), journal, {}, "5ecretN0nce")
        places = sorted({0, *cuts, len(stream)})
        for start, end in itertools.pairwise(places):
            data = stream[start:end]
            journal.take(lambda room, data=data: room.__setitem__(slice(0, len(data)), data) or len(data), len(data))
            log.append(start, data)
            if restarts:
                log.catch_up(at_once=True)
                journal.restart()
        log.close()
        with Stored.open(root, LOG) as stored:
            _place, written = stored.read(0, len(stream))
    os.close(memory)
    assert len(written) == len(stream)
    assert b"5ecretN0nce" not in written
    assert b"ecretN0nce" not in written.replace(b"5", b"")
    visible = [(ours, theirs) for ours, theirs in zip(written, stream, strict=True) if ours != ord("-")]
    assert all(ours == theirs for ours, theirs in visible)
    assert written.startswith(b"text \x1b]7748;-----------;1;A\x07")


@given(STEPS, st.integers(0, 2**32))
@example([("output", 1), ("disk fails",), ("output", 1), ("checkpoint",)], 0)
@settings(max_examples=80, deadline=None)
def test_a_log_equals_the_stream_except_for_its_reported_holes(steps, seed):
    import random

    chance = random.Random(seed)
    disk = Disk()
    memory = journals.create()
    stream = b""
    with tempfile.TemporaryDirectory() as home, mock.patch("phux_core.logs.writing.os.write", disk.write):
        root = os.path.join(home, "logs")

        def start_service():
            journal = Journal(os.dup(memory))
            return journal, PaneLog(root, LOG, LogWriter(root, LOG, 64 * 1024 * 1024), journal, {})

        journal, log = start_service()
        fed = 0
        for step in [*steps, ("disk works",), ("checkpoint",)]:
            if step[0] in {"output", "read ahead"}:
                data = chance.randbytes(step[1] if len(step) > 1 else 500).replace(b"\0", b"x")
                journal.take(
                    lambda room, data=data: room.__setitem__(slice(0, len(data)), data) or len(data), len(data)
                )
                stream += data
                if step[0] == "output":  # read-ahead output is not parsed yet
                    log.append(fed, journal.since(fed))
                    fed = journal.position
            elif step[0] == "die":
                journal, log = start_service()
                fed = journal.position
            elif step[0] == "checkpoint":
                log.append(fed, journal.since(fed))
                fed = journal.position
                log.catch_up(at_once=True)
                journal.restart()
            else:
                disk.works = step[0] == "disk works"
        with Stored.open(root, LOG) if stream else mock.MagicMock() as stored:
            if stream and stored.segments:
                holes = list(stored.holes(0, stored.end))
                place, rebuilt = 0, b""
                while True:
                    at, data = stored.read(place, 5000)
                    if not data:
                        break
                    rebuilt += stream[place:at] + data  # bytes in no segment must be a hole
                    assert at == place or place == 0 or (place, at) in holes
                    place = at + len(data)
                assert rebuilt == stream[:place]
                assert place == len(stream) or log.problem is not None
    os.close(memory)
