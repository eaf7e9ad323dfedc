"""Files of stored logs, with any content: they are listed, read, searched, continued and cleaned.

An input is several files, each after a line ``=== NAME``.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import tempfile
import time
import zlib
from unittest import mock

from mutation import mutate
from phux_client.flows import log_reading, past_reading
from phux_client.replay import film
from phux_core import documents, shapes
from phux_core import engine as engines
from phux_core.errors import PhuxError
from phux_core.keeper import journal as journals
from phux_core.keeper.journal import Journal
from phux_core.logs import cleaning, pane_ids, worker
from phux_core.logs.ledger import Ledger
from phux_core.logs.places import LogId
from phux_core.logs.writing import LogWriter
from phux_core.server.history.pane_log import PaneLog
from targets import engines as outputs
from validation import validate

_LOG = LogId("20260101T000000Z-1-abcd", 1)
_FILE = re.compile(rb"(?m)^=== ([\w.-]{1,40})\n")
_META = {
    "session": "work",
    "command": ["sh"],
    "cwd": "/",
    "cols": 20,
    "rows": 4,
    "started_at": 1.5,
}
_META |= {"ended_at": 2.5, "exit_status": 3, "signal": None, "end": 90}
_ENTRY = [1, 1, 0, "make", "/", "typed", None, 1.5, 3, 2.5, 9, 0, False]
_TIMELINE = (
    b'[1000,0,"terminal",{"engine":"pyte","cols":20,"rows":4,"history":10}]\n',
    b"1000 0\n",
    b'[1500,5,"typed",{"text":"x"}]\n',
    b'[1500,5,"resized",{"cols":9,"rows":3}]\n',
    b'[1600,7,"screen",{}]\n',
    b"2000 20\n",
    b'[2500,30,"command_finished",{"exit_code":1,"command_id":"1.1"}]\n',
    b'[3000,40,"pane_closed",{"exit_status":0}]\n',
)
_TOKENS = (
    b"null",
    b"true",
    b"[]",
    b"{}",
    b'"x"',
    b"NaN",
    b"1e999",
    b"-1",
    b"9" * 5000,
    b"\xff",
    b"\n",
    b"[" * 50,
    b"\xd9\xa3",
)
_QUERIES = (
    {"mode": "rendered"},
    {"mode": "stripped", "grep": "a", "context": 1},
    {"mode": "raw", "since": 3, "until": 50, "whole_lines": True},
    {"mode": "rendered", "from_byte": 2, "max_bytes": 30},
    {"mode": "rendered", "lines": 2, "head": 1, "tail": 1},
)


def make(chance):
    start = chance.choice((0, 40, 100))
    files = {
        f"{0:020}.log": outputs.make(chance)[:300],
        f"{start:020}.log": outputs.make(chance)[:300],
        "meta.json": json.dumps(_META).encode(),
        "lines": b"0 3\n%d 2\n" % start,
        "commands": b"".join(json.dumps([1, number, *_ENTRY[2:]]).encode() + b"\n" for number in (1, 2, 1)),
        "next-pane": b"0000000007\n",
    }
    files |= {
        "00000001.time": b"".join(_TIMELINE),
        f"{7:020}.screen": zlib.compress(_checkpoint(chance)) if chance.random() < 0.8 else b"damaged",
    }
    names = chance.sample(list(files), chance.randint(1, len(files)))
    spoiled = {name: mutate(chance, files[name], _TOKENS) if chance.random() < 0.5 else files[name] for name in names}
    return b"".join(b"=== %b\n%b\n" % (name.encode(), content) for name, content in spoiled.items())


def _checkpoint(chance):
    """Return a checkpoint after seven bytes, whose content may be damaged."""
    engine = engines.create("pyte", 20, 4)
    engine.feed(b"abc\r\nde")
    data = engine.checkpoint()
    engine.close()
    return mutate(chance, data, _TOKENS) if chance.random() < 0.5 else data


def _write(root, data):
    """Write the files of an input below an empty directory."""
    directory = os.path.join(root, _LOG.server, f"pane-{_LOG.pane}")
    for path in (root, os.path.dirname(directory), directory):
        os.mkdir(path, 0o700)
    _, *parts = _FILE.split(data)
    for name, content in zip(parts[::2], parts[1::2], strict=True):
        if name.strip(b"."):
            path = os.path.join(root if name == b"next-pane" else directory, name.decode())
            with open(path, "wb") as file:
                file.write(content.removesuffix(b"\n"))


def _read(root):
    """Read everything, as the CLI and the library do."""

    def ask(**request):
        return worker.answer({"root": root, "log": str(_LOG), **request})

    listed = log_reading.list_document(ask(do="list", live=[]))
    validate("log-list", listed)
    documents.load(shapes.LogList, listed)
    commands = log_reading.commands_document(
        ask(do="select_commands", newest=True, selection={}, stored=True, most=1000)
    )
    validate("command-list", commands)
    documents.load(shapes.CommandList, commands)
    for query in _QUERIES:
        with contextlib.suppress(PhuxError):
            validate("log-text", log_reading.text_document(ask(do="read", query=query)))
    with contextlib.suppress(PhuxError):
        ask(do="output", id=f"{_LOG}.1", query={})
    for moment in ({"seq": 0}, {"seq": 7}, {"seq": 20}, {"seq": 5}, {}, {"moment": 2.0}, {"moment": 1e12}):
        with contextlib.suppress(PhuxError):
            screen = past_reading.past_screen_document(
                ask(do="screen", query={**moment, "cells": True, "scrollback": 0})
            )
            validate("screen-state", screen)
    with contextlib.suppress(PhuxError):
        document = past_reading.timeline_document(ask(do="timeline", query={}))
        validate("timeline", document)
        documents.load(shapes.Timeline, document)
    for start, end in ((0, 20), (7, 8)):
        with contextlib.suppress(PhuxError):
            page = ask(do="film", query={"seq": start, "at": 0, "to_seq": end, "to_at": 1e12})
            assert list(film.frames_of(page))
    for pattern in ("o r", "\udcff"):
        ask(do="search", logs=None, pattern=pattern, context=1, most=10)


def _continue(root):
    """Continue the log and its ledger, as the next service does."""
    journal = Journal(journals.create())
    journal.take(lambda room: room.__setitem__(slice(0, 5), b"more\n") or 5, 5)
    log = PaneLog(root, _LOG, LogWriter(root, _LOG), journal, {})
    log.timeline.read(0)
    log.append(0, b"more\n")
    log.timeline.happened("resized", 5, {"cols": 9, "rows": 3})
    log.check_files()
    ledger = Ledger.of(_LOG.pane, b"")
    ledger.add(place=1, command="x", cwd=None, by="run", client=None, started_at=1.0)
    log.note_commands(ledger.dump(), ledger)
    log.ended(ended_at=3.5)
    log.timeline.close()
    journal.close()
    writer = LogWriter(root, _LOG)
    with contextlib.suppress(OSError), mock.patch("phux_core.logs.writing._LONG_COUNTS", 20):
        writer.resume()
        writer.write(writer.end + 10, b"after a hole\n")
        writer.write(writer.end + 10, b"after a hole\n")
    writer.close()


@contextlib.contextmanager
def checker():
    with tempfile.TemporaryDirectory(prefix="phux-fuzz-") as base:
        count = 0

        def check(data):
            nonlocal count
            count += 1
            root = os.path.join(base, str(count))  # safe paths are cached
            _write(root, data)
            with contextlib.suppress(PhuxError):
                pane_ids.take(root, 1)
            _read(root)
            _continue(root)
            _read(root)
            cleaning.clean(root, most=50, keep_days=7, now=time.time(), server=_LOG.server, live=frozenset({1}))
            cleaning.clean(root, most=0, keep_days=0, now=time.time(), server=None, live=frozenset())

        logging.disable()  # phux reports damage in its log
        try:
            yield check
        finally:
            logging.disable(logging.NOTSET)
