"""Journals and checkpoints that a dying service left: each is rebuilt, at the journal's position and without an error.

An input is the journal's counts, a checkpoint and output: ``_HEAD``, then two parts of the given size.
"""

from __future__ import annotations

import contextlib
import logging
import os
import struct

from mutation import mutate
from phux_core import engine as engines
from phux_core.keeper import journal as journals
from phux_core.keeper.journal import Journal
from phux_core.server.screen import rebuild
from targets import engines as outputs

# The engine, columns, rows, base, length and limit of the journal, sizes of the note, the outbox and the checkpoint.
_HEAD = struct.Struct(">BBBQQIIII")
_LONGEST = 64 * 1024


def make(chance):
    engine = engines.create(chance.choice(engines.ENGINES), 12, 5, history=20)
    before, output = outputs.make(chance)[:400], outputs.make(chance)[:400]
    engine.feed(before)
    checkpoint = rebuild.label(engine.checkpoint(), engine.position, {"a": 1})
    # Damaging a snapshot of libghostty may end the process, which the keeper survives; see tests/e2e/test_engine_crash.
    if engine.name == "pyte" and chance.random() < 0.5:
        checkpoint = mutate(chance, checkpoint)
    engine.close()
    length, limit = len(output), chance.choice((0, 0, len(output) + 9, 2**32 - 1))
    number = engines.ENGINES.index(engine.name)
    head = _HEAD.pack(number, 12, 5, len(before), length, limit, chance.choice((0, 9, 5000)), 0, len(checkpoint))
    if chance.random() < 0.3:
        head = mutate(chance, head)[: _HEAD.size].ljust(_HEAD.size, b"\xff")
    return head + checkpoint + output


def _memory(base, length, limit, note, outbox, output):
    """Return a journal's memory with these counts."""
    fd = journals.create()
    os.pwrite(fd, journals._COUNTS.pack(base, length), 0)
    for number, at in ((limit, journals._LIMIT), (note, journals._NOTE), (outbox, journals._OUTBOX)):
        os.pwrite(fd, journals._LENGTH.pack(number), at)
    os.pwrite(fd, output, journals._START)
    return fd


@contextlib.contextmanager
def checker():

    def check(data):
        number, cols, rows, base, length, limit, note, outbox, size = _HEAD.unpack_from(data.ljust(_HEAD.size, b"\0"))
        checkpoint, output = data[_HEAD.size :][:size], data[_HEAD.size :][size:][:_LONGEST]
        if length <= journals.SIZE:  # feeding megabytes takes long
            length, limit = min(length, _LONGEST), min(limit, 2 * _LONGEST)
        journal = Journal(_memory(base, length, limit, note, outbox, output))
        assert journal.base <= journal.position
        assert len(journal.since(journal.base)) == journal.size == journal.position - journal.base
        assert len(journal.note) <= journals.NOTE_SIZE
        assert len(journal.outbox) <= journals.OUTBOX_SIZE
        name = engines.ENGINES[number % 2]
        stored = rebuild.read_stored(checkpoint, journal)
        rebuild.read_summary(journal)
        engine, _note = rebuild.rebuild(name, max(1, cols % 100), max(1, rows % 100), stored, journal, 20)
        assert engine.position == journal.position
        outputs.check_grid(engine)
        engine.feed(b"\x18\x1bcok")
        journal.restart()
        assert journal.size == 0
        engine.close()
        journal.close()

    logging.disable()  # phux reports damage in its log
    try:
        yield check
    finally:
        logging.disable(logging.NOTSET)
