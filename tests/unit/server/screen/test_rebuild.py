"""A terminal is rebuilt at the correct position in its output, even if its checkpoint is unusable."""

from __future__ import annotations

import logging

import pytest
from pane_output import write_journal

from phux_core import engine as engines
from phux_core.engine.protocol import PrivateOsc
from phux_core.server.screen.rebuild import CLEARED, UNREADABLE, label, rebuild

every_engine = pytest.mark.parametrize("name", engines.ENGINES)
FIRST, SECOND, THIRD = b"first\r\n", b"second\r\n\x1b]7748;cafe;B\x07", b"third\r\n"
NOTES = {"nonce": "cafe"}


@pytest.fixture(autouse=True)
def _without_logging():
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def checkpoint_of(name, data):
    engine = engines.create(name, 20, 4)
    engine.feed(data)
    packed = engine.checkpoint()
    engine.close()
    return label(packed, len(data), NOTES)


def shown(rebuilt):
    return [row for row in rebuilt.engine.lines(0, 4).text if row]


@every_engine
def test_a_terminal_is_rebuilt_from_checkpoint_and_journal(name, journal):
    write_journal(journal, FIRST)
    journal.restart()
    write_journal(journal, SECOND)
    steps = []
    rebuilt = rebuild(name, 20, 4, checkpoint_of(name, FIRST), journal, progress=lambda: steps.append(1))
    assert shown(rebuilt) == ["first", "second"]
    assert (rebuilt.engine.position, rebuilt.notes, rebuilt.note) == (journal.position, NOTES, None)
    assert steps


@every_engine
def test_output_included_in_the_checkpoint_is_not_replayed(name, journal):
    write_journal(journal, FIRST)
    journal.restart()
    write_journal(journal, SECOND + THIRD)
    rebuilt = rebuild(name, 20, 4, checkpoint_of(name, FIRST + SECOND), journal)
    assert shown(rebuilt) == ["first", "second", "third"]
    assert rebuilt.engine.position == journal.position
    assert rebuilt.note is None


@every_engine
@pytest.mark.parametrize("kind", ["older", "newer", "garbage", "empty", "cut", "other version"])
def test_without_a_usable_checkpoint_the_journal_is_replayed(name, kind, journal):
    write_journal(journal, FIRST)
    journal.restart()
    write_journal(journal, SECOND)
    journal.restart()
    write_journal(journal, THIRD + SECOND)
    whole = checkpoint_of(name, FIRST + SECOND)
    version_at = whole.index(b"\n", whole.index(b"phux-engine ")) + 1
    labelled = {
        "older": checkpoint_of(name, FIRST),  # a suspended keeper does not receive the latest checkpoint
        "newer": checkpoint_of(name, FIRST + SECOND + THIRD + SECOND + b"more"),
        "garbage": b"\xff" * 100,
        "empty": label(b"", len(FIRST + SECOND), NOTES),
        "cut": whole[:-5],
        "other version": whole[:version_at] + b"\x63\x63" + whole[version_at + 2 :],
    }[kind]
    rebuilt = rebuild(name, 20, 4, labelled, journal)
    assert shown(rebuilt) == ["third", "second"]
    assert rebuilt.engine.position == journal.position
    assert rebuilt.note == UNREADABLE
    (mark,) = (effect for effect in rebuilt.effects if isinstance(effect, PrivateOsc))
    assert mark.end == journal.position, "the output of a run is found by this position"


@every_engine
def test_a_checkpoint_of_another_engine_is_replaced_by_a_replay_of_the_journal(name, journal):
    other = next(each for each in engines.ENGINES if each != name)
    write_journal(journal, FIRST)
    journal.restart()
    write_journal(journal, SECOND)
    rebuilt = rebuild(name, 20, 4, checkpoint_of(other, FIRST), journal)
    assert (rebuilt.engine.name, rebuilt.engine.position) == (name, journal.position)
    assert rebuilt.notes == NOTES
    assert rebuilt.note is None


@every_engine
def test_a_failed_replay_results_in_a_blank_terminal_and_preserves_the_marks(name, journal, monkeypatch):
    write_journal(journal, FIRST)
    journal.restart()
    write_journal(journal, SECOND)
    labelled = checkpoint_of(name, FIRST)

    def fail(_self, _data):
        raise RuntimeError("a fault of the engine")

    kind = type(engines.create(name, 20, 4))
    monkeypatch.setattr(kind, "feed", fail)
    rebuilt = rebuild(name, 20, 4, labelled, journal)
    assert not shown(rebuilt)
    assert (rebuilt.engine.position, rebuilt.notes, rebuilt.note) == (journal.position, NOTES, CLEARED)
    (mark,) = (effect for effect in rebuilt.effects if isinstance(effect, PrivateOsc))
    assert (mark.data, mark.end) == (b"cafe;B", journal.position)


def test_an_engine_that_cannot_be_imported_is_replaced_by_pyte(journal, monkeypatch):
    create = engines.create

    def create_or_fail(name, *args, **more):
        if name == "ghostty":
            raise ImportError("no such library")
        return create(name, *args, **more)

    monkeypatch.setattr(engines, "create", create_or_fail)
    write_journal(journal, FIRST)
    rebuilt = rebuild("ghostty", 20, 4, None, journal)
    assert (rebuilt.engine.name, rebuilt.engine.position) == ("pyte", journal.position)
