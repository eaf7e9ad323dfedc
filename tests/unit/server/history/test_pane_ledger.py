"""The ledger of a live pane stays complete, whenever the service dies."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace

import pytest

from phux_core.server.history.pane_ledger import PaneLedger
from phux_core.server.run.record import Run
from phux_core.server.shell.events import CommandFinished, CommandStarted


class Keeper:
    """A fake keeper that stores lines, and creates the pane's ledger as each new service does."""

    def __init__(self, pane):
        self.pane = pane
        self.kept = b""

    def keep(self, data, anew):
        self.kept = data if anew else self.kept + data

    def ledger(self):
        return PaneLedger(self.pane.record, self.pane.journal, self.pane.log, self.kept, self.keep)


@pytest.fixture
def pane(journal):
    return SimpleNamespace(
        journal=journal,
        record=SimpleNamespace(id=7, nonce="", command="bash", shell="bash", dead=True, cwd="/src"),
        log=SimpleNamespace(note_commands=lambda _lines, _all_of_them: None),
    )


@pytest.fixture
def keeper(pane):
    return Keeper(pane)


def a_run(number, *, command="make", client="agent/1"):
    return Run("id", 1000, False, None, "bash", [], 90, time.monotonic(), 5.0, number, "run", client, command=command)


def run_in_event_loop(steps):
    async def run():
        steps()

    asyncio.run(run())


def test_a_typed_run_is_stored_at_once_for_the_next_service(keeper):
    def steps():
        ledger = keeper.ledger()
        run = a_run(ledger.next_number)
        ledger.typed(run)
        assert keeper.kept == b"", "the keeper receives the run later"
        [entry] = keeper.ledger().entries
        assert (entry.command, entry.by, entry.client, entry.place, entry.started_at) == (
            "make",
            "run",
            "agent/1",
            90,
            5,
        )

    run_in_event_loop(steps)


def test_a_run_is_recorded_if_the_service_died_before_storing_it(keeper):
    def steps():
        first = keeper.ledger()
        # The note does not contain the command itself.
        restored = Run.from_note(a_run(first.next_number).to_note())
        ledger = keeper.ledger()
        ledger.typed(restored)
        # The next service records the start of the run, and then the shell's marks.
        ledger.began(restored.number, 95)
        ledger.take(CommandStarted(None, 95, 80, 90), "make -j2")
        ledger.take(CommandFinished(2, 95, 99), None)
        [entry] = ledger.entries
        assert (entry.command, entry.by, entry.client, entry.state) == ("make -j2", "run", "agent/1", "finished")
        assert (entry.start, entry.end, entry.exit_code) == (95, 99, 2)

    run_in_event_loop(steps)


def test_the_note_of_a_recorded_run_adds_no_entry(keeper):
    def steps():
        ledger = keeper.ledger()
        run = a_run(ledger.next_number)
        ledger.typed(run)
        ledger.flush()
        again = keeper.ledger()
        again.typed(Run.from_note(run.to_note()))
        assert len(again.entries) == 1
        assert again.entries[0].command == "make"

    run_in_event_loop(steps)


def test_the_longest_note_fits_in_the_journal(pane):
    run = a_run(2**40, client="\U0001f600" * 100)
    run.id, run.shell, run.nonce = "i" * 64, "zsh", "f" * 8
    run.files = ["/run/user/1000/" + "d" * 93 + f"/runs/{name}" for name in ("0123456789ab", "0123456789ac")]
    pane.journal.note = run.to_note()
    assert Run.from_note(pane.journal.note).client == run.client


def test_a_note_preserves_a_path_that_is_not_utf8(pane):
    run = a_run(1)
    run.files = ["/tmp/\udcff/x"]
    pane.journal.note = run.to_note()
    assert Run.from_note(pane.journal.note).files == run.files
