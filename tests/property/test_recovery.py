"""Panes are restored from any checkpoint, journal, note or ledger, damaged or not, and other panes are not affected.

The tests create the state of an earlier service from program output, and damage it. To search further, remove
``derandomize`` and raise ``max_examples``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import random
import socket
import struct
import time
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from phux_core import engine as engines
from phux_core.engine import CHECKPOINT_MAGIC
from phux_core.engine.protocol import PrivateOsc
from phux_core.engine.resting import Rest, RestingEngine
from phux_core.keeper import journal as journals
from phux_core.keeper.channel import Channel
from phux_core.keeper.feed_mark import FeedMark
from phux_core.keeper.journal import Journal
from phux_core.server.api.dispatch import dispatch
from phux_core.server.documents import tree_document
from phux_core.server.keeper_link import receive_inheritance
from phux_core.server.pane_record import PaneRecord
from phux_core.server.screen.rebuild import blank, label, read_stored, read_summary, rebuild, summary
from phux_core.server.service import Service
from phux_core.server.settings import Settings
from phux_core.server.shell.marks import ShellMarks
from phux_core.server.tree.records import Tree

# Use the same examples on every run, so that builds are reproducible.
EXAMPLES = settings(
    max_examples=120,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
FEW = settings(EXAMPLES, max_examples=40)
every_engine = pytest.mark.parametrize("name", engines.ENGINES)
COLS, ROWS, NONCE = 30, 6, "cafe"
# End any unfinished sequence, reset the terminal and show a text.
RESET = b"\x18\x1b\\\x1bcstill here"


@pytest.fixture(autouse=True)
def _quiet():
    """Disable logging, because each damaged input would log a traceback."""
    pytest.importorskip("pyghostty")
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


_NUMBER = st.sampled_from(["", "0", "3", "-1", "99999999999", "9" * 4301, "9" * 9000, "\u0663", "1_0", "x"])
_MARK = st.builds(
    lambda nonce, kind, number, rest: f"\x1b]7748;{nonce};{number};{kind};{number};{rest}\x07".encode(),
    st.sampled_from([NONCE, NONCE, "beef", ""]),
    st.sampled_from("ABCDELRZ"),
    _NUMBER,
    st.sampled_from(["", "command", "more", "\\n\\t\\\\"]),
)
_PIECES = st.one_of(
    _MARK,
    st.sampled_from(
        [
            b"text\r\n",
            "日本語 e\u0301\r\n".encode(),
            b"\x1b[?1049h\x1b[2Jfull",
            b"\x1b[?1049l",
            b"\x1b[31mred\x1b[0m",
            b"\x1b]2;title\x07",
            b"\x1b]7;file://host/tmp\x07",
            b"\x1b]133;A\x07$ \x1b]133;B\x07",
            b"\x1b[6n",
            b"\x1b[?6h\x1b[2;4r\x1b[4h",
            b"\x1b]7748;cafe;L;",
            b"\x1bP$q",
            b"\xe6\x97",
            b"\x1b[" + b"9" * 5000 + b"H",
            b"a" * 200,
            b"\n" * 40,
        ]
    ),
    st.binary(max_size=30),
)
STREAMS = st.lists(_PIECES, max_size=12).map(b"".join)
_DAMAGE = st.tuples(
    st.sampled_from(["set", "cut", "put", "end", "repeat"]), st.floats(0, 1, exclude_max=True), st.binary(max_size=8)
)
DAMAGES = st.lists(_DAMAGE, min_size=1, max_size=5)


def damage(data, damages):
    """Return the data with the given changes applied."""
    changed = bytearray(data)
    for kind, where, new in damages:
        at = int(where * len(changed))
        if kind == "set":
            changed[at : at + len(new)] = new
        elif kind == "cut":
            del changed[at : at + 1 + len(new)]
        elif kind == "put":
            changed[at:at] = new
        elif kind == "end":
            del changed[at:]
        else:
            changed += changed[at : at + 1000]
    return bytes(changed)


def damage_state(checkpoint, seed):
    """Change values in a pyte checkpoint and compress it again, so that the checksum is valid."""
    chosen = random.Random(seed)
    head = CHECKPOINT_MAGIC + b"pyte\n"
    state = json.loads(zlib.decompress(checkpoint[len(head) :]))
    for _ in range(chosen.randint(1, 3)):
        place, key = state, chosen.choice(list(state))
        while isinstance(place[key], (dict, list)) and place[key] and chosen.random() < 0.8:
            place = place[key]
            key = chosen.choice(list(place)) if isinstance(place, dict) else chosen.randrange(len(place))
        place[key] = chosen.choice(
            [None, 0, -1, 10**9, 10**30, 1.5, "", "xyz", "\ud800", [], {}, [1, 2], True, "9" * 5000]
        )
    return head + zlib.compress(json.dumps(state).encode(), 1)


def write(journal, data):
    def read_into(room):
        room[: len(data)] = data
        return len(data)

    if data:
        journal.take(read_into, len(data))


@contextlib.contextmanager
def stored_state(name, before, since):
    """Yield the state of an ended service: a journal, the checkpoint of the output before it, and the shell marks."""
    journal = Journal(journals.create())
    engine = engines.create(name, COLS, ROWS, history=50)
    try:
        write(journal, before)
        commands = ShellMarks(NONCE)
        for effect in engine.feed(before):
            if isinstance(effect, PrivateOsc):
                take(commands, effect)
        packed = engine.checkpoint()
        journal.restart()
        write(journal, since)
        yield journal, packed, commands.dump()
    finally:
        engine.close()
        journal.close()


def take(commands, mark):
    new = commands.parse(mark)
    if new is not None:
        commands.take(new)


def assert_restored(name, labelled, journal):
    """Check that the restored terminal has the right stream position and size, and works; return the note."""
    stored = read_stored(labelled, journal)
    rebuilt, note = rebuild(name, COLS, ROWS, stored, journal, 50)

    def successor(_error, position):
        return blank(name, COLS, ROWS, position, 50)

    engine = RestingEngine(rebuilt, lambda: None, successor)
    try:
        assert (engine.position, engine.cols, engine.rows) == (journal.position, COLS, ROWS)
        commands = ShellMarks(NONCE)
        if stored.notes is not None:
            with contextlib.suppress(Exception):  # the pane handles this error
                commands = ShellMarks.load(stored.notes)
        for mark in stored.marks:
            assert journal.base <= mark.end <= journal.position
            with contextlib.suppress(*(() if note is None else (Exception,))):
                take(commands, mark)
        engine.lines(-60, 60 + ROWS)
        engine.spans(0, ROWS)
        engine.cursor()
        engine.modes()
        engine.feed(RESET)
        if engine.lines(0, 1).text != ["still here"]:  # the engine failed, and a blank one replaced it
            assert stored.notes is not None
            engine.feed(RESET)
        assert (engine.position - journal.position) % len(RESET) == 0
        assert engine.lines(0, 1).text == ["still here"]
        again = engines.restore(engine.checkpoint())
        assert again.lines(0, 1).text == ["still here"]
        again.close()
    finally:
        engine.close()
    return note


@every_engine
@EXAMPLES
@given(before=STREAMS, since=STREAMS)
def test_undamaged_state_is_restored_unchanged(name, before, since):
    live = engines.create(name, COLS, ROWS, history=50)
    live.feed(before)
    live.feed(since)
    with stored_state(name, before, since) as (journal, packed, notes):
        stored = read_stored(label(packed, journal.base, notes), journal)
        rebuilt, note = rebuild(name, COLS, ROWS, stored, journal, 50)
        assert note is None
        assert rebuilt.lines(-50, 50 + ROWS) == live.lines(-50, 50 + ROWS)
        assert rebuilt.cursor() == live.cursor()
        rebuilt.close()
        assert assert_restored(name, label(packed, journal.base, notes), journal) is None
    live.close()


READS = {
    "title": lambda engine: engine.title,
    "alt_screen": lambda engine: engine.alt_screen,
    "history_rows": lambda engine: engine.history_rows,
    "lines": lambda engine: engine.lines(-50, 50 + ROWS),
    "modes": lambda engine: engine.modes(),
    "cursor": lambda engine: engine.cursor(),
}


@every_engine
@EXAMPLES
@given(before=STREAMS, since=STREAMS, later=STREAMS, reads=st.lists(st.sampled_from(list(READS)), max_size=4))
def test_a_terminal_rebuilt_on_first_use_equals_one_that_lived_on(name, before, since, later, reads):
    live = engines.create(name, COLS, ROWS, history=50)
    tap = engines.create(name, COLS, ROWS)
    tap.feed(before)
    live.feed(before)
    marks = [effect for effect in live.feed(since) if isinstance(effect, PrivateOsc)]
    with stored_state(name, before, since) as (journal, packed, notes):
        journal.summary = summary(live)
        stored = read_stored(label(packed, journal.base, notes, tap.tap.dump()), journal)
        assert stored.marks == marks
        known = {"name": name, "cols": COLS, "rows": ROWS, "position": stored.end, **read_summary(journal)}
        assert {"alt_screen", "title"} <= known.keys() or len(live.title) > 100
        rest = Rest(lambda: rebuild(name, COLS, ROWS, stored, journal, 50)[0], known, 0)
        lazy = RestingEngine(rest, lambda: None, lambda error, _position: pytest.fail(str(error)))
        for read in reads:
            assert READS[read](lazy) == READS[read](live), read
        write(journal, later)
        assert lazy.feed(later) == live.feed(later)
        assert {name: read(lazy) for name, read in READS.items()} == {name: read(live) for name, read in READS.items()}
        lazy.close()
    tap.close()
    live.close()


@every_engine
@EXAMPLES
@given(before=STREAMS, since=STREAMS, damages=DAMAGES)
def test_a_pane_is_restored_from_a_damaged_checkpoint(name, before, since, damages):
    with stored_state(name, before, since) as (journal, packed, notes):
        assert_restored(name, damage(label(packed, journal.base, notes), damages), journal)
        assert_restored(name, label(damage(packed, damages), journal.base, notes), journal)


@EXAMPLES
@given(before=STREAMS, since=STREAMS, seed=st.integers(0, 2**32))
def test_a_pane_is_restored_from_a_checkpoint_with_changed_values(before, since, seed):
    with stored_state("pyte", before, since) as (journal, packed, notes):
        assert_restored("pyte", label(damage_state(packed, seed), journal.base, notes), journal)


@every_engine
@EXAMPLES
@given(before=STREAMS, since=STREAMS, damages=DAMAGES, shift=st.integers(-3, 3))
def test_a_pane_is_restored_from_a_damaged_journal(name, before, since, damages, shift):
    with stored_state(name, before, damage(since, damages)) as (journal, packed, notes):
        assert_restored(name, label(packed, journal.base, notes), journal)
        assert_restored(name, label(packed, max(0, journal.base + shift), notes), journal)
        assert_restored(name, None, journal)
        assert_restored(name, label(b"", journal.base, notes), journal)


@every_engine
@EXAMPLES
@given(before=STREAMS, since=STREAMS)
def test_a_pane_is_restored_with_the_other_engine(name, before, since):
    other = next(each for each in engines.ENGINES if each != name)
    with stored_state(other, before, since) as (journal, packed, notes):
        assert assert_restored(name, label(packed, journal.base, notes), journal) is None


# The whole service

NOTE = json.dumps(
    [*("id", 1000, False, None, "bash", [], 0, 0.0, 0.0, 1, "run", None, None, None, False, 5, False, False, None)]
).encode()
LEDGER = b'[1,1,0,"true","/","run",null,0.0,5,1.0,9,0,false]\n'


def start_service(tree, kept):
    """Start a service with inherited panes; return their screens, and the tree and status documents."""
    mark = FeedMark.create()
    ours, theirs = socket.socketpair()
    keeper, service_end = Channel(ours), Channel(theirs)
    slaves = []
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            hello = {
                "op": "hello",
                "restarts": 1,
                "keeper_pid": 1,
                "keeper_version": "0",
                "started_at": 0.0,
                "started_on_clock": 0.0,
                "suspect": None,
                "set_aside": [],
            }
            keeper.send(hello, fds=[listener.fileno(), mark.fd, listener.fileno()])
        for pane, (memory, _blobs) in kept.items():
            keeper.send({"op": "journal", "pane": pane}, fds=[memory])
            master, slave = os.openpty()
            slaves.append(slave)
            keeper.send({"op": "child", "pane": pane, "pid": os.getpid(), "status": None}, fds=[master])
            os.close(master)
        keeper.send({"op": "blob", "key": "tree"}, tree.dump())
        for pane, (_memory, blobs) in kept.items():
            for what, blob in zip(("checkpoint", "ledger"), blobs, strict=True):
                keeper.send({"op": "blob", "key": journals.blob_key(what, pane)}, blob)
        keeper.send({"op": "begin"})
        inheritance = receive_inheritance(service_end)

        async def serve():
            loop = asyncio.get_running_loop()
            service = Service(Settings("/s", engine="pyte", log_panes=False), service_end, inheritance, loop, dispatch)
            await asyncio.sleep(0)
            seen = {pane.id: (pane.seq, pane.engine.lines(0, ROWS).text) for pane in service.panes.values()}
            document = tree_document(service.tree, service.panes, {}), service.status_document()
            service.clients.stop_listening()
            for pane in list(service.panes.values()):
                pane.close()
            return seen, document

        return asyncio.run(asyncio.wait_for(serve(), 30))
    finally:
        os.close(mark.fd)
        with contextlib.suppress(UnboundLocalError):
            os.close(inheritance.feed_mark.fd)
            inheritance.questions._end.close()
        for slave in slaves:
            os.close(slave)
        keeper.close()
        service_end.close()


@FEW
@given(
    before=STREAMS,
    since=STREAMS,
    damages=DAMAGES,
    what=st.sampled_from(["checkpoint", "journal", "note", "ledger", "all"]),
)
def test_a_service_starts_if_the_state_of_one_pane_is_damaged(before, since, damages, what):
    def maybe_damage(kind, data):
        return damage(data, damages) if what in {kind, "all"} else data

    tree = Tree()
    kept, positions = {}, {}
    for name in ("well", "ill"):
        record = PaneRecord(tree.take_pane_id(), COLS, ROWS, "bash", "/", os.getpid(), time.time(), nonce=NONCE)
        tree.add_session(name, "bash", record)
        memory = journals.create()
        journal = Journal(os.dup(memory))
        engine = engines.create("pyte", COLS, ROWS)
        damaged = name == "ill"
        first = before if damaged else b"well before\r\n"
        engine.feed(first)
        write(journal, first)
        journal.restart()
        write(journal, maybe_damage("journal", since) if damaged else b"well since\r\n")
        journal.note = maybe_damage("note", NOTE)[: journals.NOTE_SIZE] if damaged else b""
        labelled = label(engine.checkpoint(), journal.base, ShellMarks(NONCE).dump())
        kept[record.id] = (
            memory,
            (maybe_damage("checkpoint", labelled), maybe_damage("ledger", LEDGER)) if damaged else (labelled, b""),
        )
        positions[record.id] = journal.position
        journal.close()
    try:
        seen, (document, status) = start_service(tree, kept)
    finally:
        for memory, _blobs in kept.values():
            os.close(memory)
    assert {pane: seq for pane, (seq, _text) in seen.items()} == positions
    assert seen[1][1][:2] == ["well before", "well since"]
    assert [note["terminal"] for note in status["engine_notes"]] in ([], ["@2"])
    assert [session["name"] for session in document["sessions"]] == ["well", "ill"]


def write_header(memory, place, *numbers, size="Q"):
    os.pwrite(memory, struct.pack(f"@{len(numbers)}{size}", *numbers), place)


MOST = 2**64 - 1
INVALID = {
    "a length beyond the end": ("journal", lambda memory: write_header(memory, 8, journals.SIZE + 1)),
    "an endless length": ("journal", lambda memory: write_header(memory, 8, 2**40)),
    "an impossible base": ("journal", lambda memory: write_header(memory, 0, MOST)),
    "impossible counts": ("journal", lambda memory: write_header(memory, 0, MOST, MOST)),
    "a random first page": ("journal", lambda memory: os.pwrite(memory, random.Random(1).randbytes(4096), 0)),
    "an impossible limit": ("journal", lambda memory: write_header(memory, journals._LIMIT, 2**32 - 1, size="I")),
    "an impossible note": ("journal", lambda memory: write_header(memory, journals._NOTE, 2**32 - 1, size="I")),
    "an impossible outbox": ("journal", lambda memory: write_header(memory, journals._OUTBOX, 2**32 - 1, size="I")),
    "nested lines of the ledger": ("ledger", b"[" * 100_000 + b"\n" + LEDGER),
    "names as numbers of the ledger": ("ledger", LEDGER.replace(b"[1,1,", b'[1,"x",') + LEDGER),
    "lists as places of the ledger": ("ledger", LEDGER.replace(b",5,1.0,", b",[5],1.0,") + LEDGER),
    "names as places of the marks": ("marks", {"input_start": "x", "start": "y", "at_prompt": True, "editor": "none"}),
    "lists as nonce of the marks": ("marks", {"nonce": [1]}),
    "names as spans of the marks": ("marks", {"outputs": [["a", "b"]]}),
    "numbers as spans of the marks": ("marks", {"outputs": 7}),
    "a list as marks": ("marks", [1, 2]),
}


@pytest.mark.parametrize("case", INVALID)
def test_a_service_starts_with_invalid_state_of_one_pane(case):
    what, value = INVALID[case]
    tree, kept = Tree(), {}
    for name in ("well", "ill"):
        record = PaneRecord(tree.take_pane_id(), COLS, ROWS, "bash", "/", os.getpid(), time.time(), nonce=NONCE)
        tree.add_session(name, "bash", record)
        memory = journals.create()
        journal = Journal(os.dup(memory))
        engine = engines.create("pyte", COLS, ROWS)
        engine.feed(b"before\r\n")
        write(journal, b"before\r\n")
        journal.restart()
        write(journal, b"since\r\n")
        marks = ShellMarks(NONCE).dump()
        if name == "ill" and what == "marks":
            marks = {**marks, **value} if isinstance(value, dict) else value
        labelled = label(engine.checkpoint(), journal.base, marks)
        kept[record.id] = (memory, (labelled, value if name == "ill" and what == "ledger" else LEDGER))
        journal.close()
    if what == "journal":
        value(kept[2][0])
    try:
        began = time.monotonic()
        seen, (_document, status) = start_service(tree, kept)
    finally:
        for memory, _blobs in kept.values():
            os.close(memory)
    assert time.monotonic() - began < 10
    assert seen[1] == (len(b"before\r\nsince\r\n"), ["before", "since", *[""] * (ROWS - 2)])
    assert seen[2][0] <= journals._LAST_BASE
    is_lost = what == "marks" or "base" in case or "length" in case or "counts" in case or "page" in case
    assert [note["terminal"] for note in status["engine_notes"]] == (["@2"] if is_lost else [])
