"""Reading a PTY: the start and end of floods, and reports of output, pauses and the end of output."""

from __future__ import annotations

import asyncio
import os
import tty

from phux_core.keeper import journal as journals
from phux_core.server.pty.intake import Intake
from phux_core.server.pty.read_order import After, ReadTurns


def on_terminal(scenario):
    """Run a synchronous scenario with an intake and the slave of its PTY."""

    async def run(intake, slave, _reports):
        scenario(intake, slave)

    in_loop(run)


def in_loop(scenario):
    """Run a scenario with an intake, the slave of its PTY, and a queue of the events that the intake reports."""

    async def run():
        loop = asyncio.get_running_loop()
        master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(master, False)
        journal = journals.Journal(journals.create())
        taken = bytearray()
        reports = asyncio.Queue()
        intake = Intake(
            master,
            journal,
            loop=loop,
            turns=ReadTurns(loop),
            take=taken.extend,
            make_room=journal.restart,
            on_busy=lambda: reports.put_nowait("busy"),
            on_idle=lambda: reports.put_nowait("idle"),
            on_end=lambda: reports.put_nowait("end"),
        )
        try:
            await scenario(intake, slave, reports)
            assert len(taken) == intake.position
        finally:
            intake.close()
            os.close(master)
            os.close(slave)
            journal.close()

    asyncio.run(run())


def read(intake, slave, size):
    """Write the given number of bytes and read them all; the kernel delivers them with a delay."""
    end = intake.position + size
    os.write(slave, b"x" * size)
    while intake.position < end:
        assert intake.read_slice() is After.QUIET


def test_a_flood_ends_after_several_short_reads():
    def scenario(intake, slave):
        intake.begin()
        read(intake, slave, 100)
        assert not intake.floods
        while not intake.floods:
            read(intake, slave, 4095)
        for _ in range(3):
            read(intake, slave, 100)
        assert intake.floods
        read(intake, slave, 100)
        assert not intake.floods

    on_terminal(scenario)


def test_read_now_reads_available_output():
    def scenario(intake, slave):
        intake.begin()
        os.write(slave, b"question")
        while intake.position < 8:
            intake.read_now()
        intake.read_now()
        assert intake.position == 8

    on_terminal(scenario)


def test_the_last_output_of_the_reader_thread_is_parsed_before_the_end():
    class Ending:
        """A reader thread that reads its last output and ends when ``done`` is checked."""

        ended = True

        @property
        def done(self):
            if journal.position == 0:
                journal.take(lambda room: room.__setitem__(slice(4), b"last") or 4, 4)
            return True

        def parsed(self, position):
            pass

        def stop(self):
            pass

    def scenario(intake, _slave):
        nonlocal journal
        journal = intake._journal
        intake._turns.flooding.add(intake)
        intake._ahead = Ending()
        assert intake.read_slice() is After.MORE
        assert (intake.position, intake.ended) == (4, False)
        intake.read_slice()
        assert intake.ended

    journal = None
    on_terminal(scenario)


def test_each_change_between_output_and_pause_is_reported_once():
    async def scenario(intake, slave, reports):
        for _ in range(2):
            read(intake, slave, 10)
            read(intake, slave, 10)
            assert [await reports.get(), await reports.get()] == ["busy", "idle"]
        assert reports.empty()

    in_loop(scenario)


def test_the_output_ends_even_if_a_process_keeps_the_terminal_open(monkeypatch):
    monkeypatch.setattr("phux_core.server.pty.intake._DRAIN_S", 0.01)

    async def scenario(intake, slave, reports):
        intake.begin()
        os.write(slave, b"last")
        intake.expect_end()
        while await reports.get() != "end":
            pass
        assert (intake.position, intake.ended) == (4, True)

    in_loop(scenario)
