"""A terminal is rebuilt at the correct position in its output, even if its checkpoint is unusable."""

from __future__ import annotations

import logging

import pytest
from pane_output import write_journal

from phux_core import engine as engines
from phux_core.server.screen.rebuild import CLEARED, UNREADABLE, label, read_stored, read_summary, rebuild, summary

every_engine = pytest.mark.parametrize("name", engines.ENGINES)
FIRST, SECOND, THIRD = b"first\r\n", b"second\r\n\x1b]7748;cafe;B\x07", b"third\r\n"
NOTES = {"nonce": "cafe"}


@pytest.fixture(autouse=True)
def _without_logging():
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def packed_of(name, data):
    engine = engines.create(name, 20, 4)
    engine.feed(data)
    packed = engine.checkpoint()
    engine.close()
    return packed


def checkpoint_of(name, data):
    return label(packed_of(name, data), len(data), NOTES)


def shown(engine):
    return [row for row in engine.lines(0, 4).text if row]


@every_engine
def test_a_terminal_is_rebuilt_from_checkpoint_and_journal(name, journal):
    write_journal(journal, FIRST)
    journal.restart()
    write_journal(journal, SECOND)
    steps = []
    stored = read_stored(checkpoint_of(name, FIRST), journal)
    engine, note = rebuild(name, 20, 4, stored, journal, progress=lambda: steps.append(1))
    assert shown(engine) == ["first", "second"]
    assert (engine.position, stored.notes, note) == (journal.position, NOTES, None)
    assert steps


@every_engine
def test_output_included_in_the_checkpoint_is_not_replayed(name, journal):
    write_journal(journal, FIRST)
    journal.restart()
    write_journal(journal, SECOND + THIRD)
    engine, note = rebuild(name, 20, 4, read_stored(checkpoint_of(name, FIRST + SECOND), journal), journal)
    assert shown(engine) == ["first", "second", "third"]
    assert engine.position == journal.position
    assert note is None


@every_engine
def test_output_that_follows_is_not_replayed(name, journal):
    write_journal(journal, FIRST)
    stored = read_stored(None, journal)
    write_journal(journal, SECOND)
    engine, _note = rebuild(name, 20, 4, stored, journal)
    assert (shown(engine), engine.position) == (["first"], len(FIRST))


@every_engine
def test_a_mark_that_begins_before_the_checkpoint_is_found(name, journal):
    cut = SECOND.index(b"cafe")
    engine = engines.create(name, 20, 4)
    write_journal(journal, SECOND[:cut])
    engine.feed(SECOND[:cut])
    journal.restart()
    write_journal(journal, SECOND[cut:])
    (mark,) = read_stored(label(engine.checkpoint(), cut, NOTES, engine.tap.dump()), journal).marks
    assert (mark.data, mark.end) == (b"cafe;B", len(SECOND))


@every_engine
def test_a_summary_is_valid_until_more_is_written(name, journal):
    data = b"\x1b[?1049h\x1b]2;a title\x07"
    engine = engines.create(name, 20, 4)
    engine.feed(data)
    write_journal(journal, data)
    assert read_summary(journal) == {}
    journal.summary = summary(engine)
    assert read_summary(journal) == {"alt_screen": True, "title": "a title"}
    write_journal(journal, b"more")
    assert read_summary(journal) == {}


@pytest.mark.parametrize("text", [b"", b"7", b"null", b"[5]", b'[5, 1, "x"]', b"[5, true, 3]", b'["5", true, null]'])
def test_an_invalid_summary_is_ignored(text, journal):
    write_journal(journal, b"12345")
    journal.summary = text
    assert read_summary(journal) == {}


@every_engine
@pytest.mark.parametrize("kind", ["older", "newer", "garbage", "empty", "cut", "cut inside", "other version"])
def test_without_a_usable_checkpoint_the_journal_is_replayed(name, kind, journal):
    write_journal(journal, FIRST)
    journal.restart()
    write_journal(journal, SECOND)
    journal.restart()
    write_journal(journal, THIRD + SECOND)
    whole = packed_of(name, FIRST + SECOND)
    position = len(FIRST + SECOND)
    version_at = whole.index(b"\n") + 1
    labelled = {
        "older": checkpoint_of(name, FIRST),  # a suspended keeper does not receive the latest checkpoint
        "newer": checkpoint_of(name, FIRST + SECOND + THIRD + SECOND + b"more"),
        "garbage": b"\xff" * 100,
        "empty": label(b"", len(FIRST + SECOND), NOTES),
        "cut": label(whole, position, NOTES)[:-5],
        "cut inside": label(whole[:-5], position, NOTES),
        "other version": label(whole[:version_at] + b"\x63\x63" + whole[version_at + 2 :], position, NOTES),
    }[kind]
    stored = read_stored(labelled, journal)
    engine, note = rebuild(name, 20, 4, stored, journal)
    assert shown(engine) == ["third", "second"]
    assert engine.position == journal.position
    assert note == UNREADABLE
    (mark,) = stored.marks
    assert mark.end == journal.position, "the output of a run is found by this position"


@every_engine
def test_a_checkpoint_of_another_engine_is_replaced_by_a_replay_of_the_journal(name, journal):
    other = next(each for each in engines.ENGINES if each != name)
    write_journal(journal, FIRST)
    journal.restart()
    write_journal(journal, SECOND)
    stored = read_stored(checkpoint_of(other, FIRST), journal)
    engine, note = rebuild(name, 20, 4, stored, journal)
    assert (engine.name, engine.position) == (name, journal.position)
    assert stored.notes == NOTES
    assert note is None


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
    stored = read_stored(labelled, journal)
    engine, note = rebuild(name, 20, 4, stored, journal)
    assert not shown(engine)
    assert (engine.position, stored.notes, note) == (journal.position, NOTES, CLEARED)
    (mark,) = stored.marks
    assert (mark.data, mark.end) == (b"cafe;B", journal.position)


def test_an_engine_that_cannot_be_imported_is_replaced_by_pyte(journal, monkeypatch):
    create = engines.create

    def create_or_fail(name, *args, **more):
        if name == "ghostty":
            raise ImportError("no such library")
        return create(name, *args, **more)

    monkeypatch.setattr(engines, "create", create_or_fail)
    write_journal(journal, FIRST)
    engine, _note = rebuild("ghostty", 20, 4, read_stored(None, journal), journal)
    assert (engine.name, engine.position) == ("pyte", journal.position)
