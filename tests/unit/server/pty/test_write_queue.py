"""Typing into a real PTY: all input in order, and never a line longer than the kernel's limit."""

from __future__ import annotations

import asyncio
import os
import sys
import termios
import tty

import pytest

from phux_core.errors import InputBlockedError, InputTooLongError, PaneClosedError
from phux_core.keeper.journal import TYPED_SIZE
from phux_core.server.kernel.line_discipline import LINE_LIMIT
from phux_core.server.pty import write_queue
from phux_core.server.pty.write_queue import WriteQueue

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the limits are specific to Linux")


class Terminal:
    """A PTY with a queue on its master. Nothing reads the master, so the slave does not echo."""

    def __init__(self):
        self.master, self.slave = os.openpty()
        os.set_blocking(self.master, False)
        attributes = termios.tcgetattr(self.slave)
        attributes[3] &= ~(termios.ECHO | termios.ECHONL)
        termios.tcsetattr(self.slave, termios.TCSANOW, attributes)
        self.typed = memoryview(bytearray(TYPED_SIZE))
        self.queue = WriteQueue(asyncio.get_running_loop(), self.master, "@1", self.typed)

    def raw(self):
        tty.setraw(self.slave)

    def waiting(self):
        """Return the input available to the program, without waiting for more."""
        os.set_blocking(self.slave, False)
        got = b""
        try:
            while piece := os.read(self.slave, 65536):
                got += piece
        except BlockingIOError:
            pass
        os.set_blocking(self.slave, True)
        return got

    async def read(self, size):
        """Read the given number of bytes as a program would, in another thread."""

        def read():
            got = b""
            while len(got) < size:
                got += os.read(self.slave, 65536)
            return got

        return await asyncio.to_thread(read)

    def close(self):
        self.queue.close()
        os.close(self.slave)
        os.close(self.master)


def on_terminal(scenario):
    """Run a scenario with a new terminal."""

    async def run():
        terminal = Terminal()
        try:
            await asyncio.wait_for(scenario(terminal), 20)
        finally:
            terminal.close()

    asyncio.run(run())


def test_typed_input_reaches_the_program():
    async def scenario(terminal):
        await terminal.queue.type(b"hello\r")
        assert terminal.waiting() == b"hello\n"

    on_terminal(scenario)


def test_empty_input_is_accepted():
    async def scenario(terminal):
        await terminal.queue.type(b"")
        await terminal.queue.type(b"a\n")
        assert terminal.waiting() == b"a\n"

    on_terminal(scenario)


def test_a_line_of_the_maximum_length_is_delivered_completely():
    async def scenario(terminal):
        line = b"x" * LINE_LIMIT
        await terminal.queue.type(line + b"\r")
        assert terminal.waiting() == line + b"\n"

    assert LINE_LIMIT == 4095
    on_terminal(scenario)


def test_a_line_that_is_too_long_is_refused():
    async def scenario(terminal):
        for text in (b"x" * 4096, b"x" * 4096 + b"\r", b"ok\r" + b"x" * 4096 + b"\r", b"x" * 100_000):
            with pytest.raises(InputTooLongError, match="4095") as caught:
                terminal.queue.type(text)
            assert "nothing was typed" in caught.value.message
        await terminal.queue.type(b"\n")
        assert terminal.waiting() == b"\n"

    on_terminal(scenario)


def test_terminal_replies_count_toward_the_line_limit():
    async def scenario(terminal):
        terminal.queue.reply(b"\x1b[1;1R")
        with pytest.raises(InputTooLongError):
            terminal.queue.type(b"x" * 4095)
        await terminal.queue.type(b"x" * 4089 + b"\r")
        assert terminal.waiting() == b"\x1b[1;1R" + b"x" * 4089 + b"\n"

    on_terminal(scenario)


def test_the_line_limit_applies_to_each_line_separately():
    async def scenario(terminal):
        text = b"".join(b"%04d" % number + b"x" * 500 + b"\n" for number in range(100))
        reading = asyncio.ensure_future(terminal.read(len(text)))
        await terminal.queue.type(text)
        assert await reading == text

    on_terminal(scenario)


def test_the_line_limit_applies_across_calls():
    async def scenario(terminal):
        await terminal.queue.type(b"a" * 4000)
        with pytest.raises(InputTooLongError, match="4096"):
            terminal.queue.type(b"b" * 96)
        await terminal.queue.type(b"b" * 95)
        with pytest.raises(InputTooLongError):
            terminal.queue.type(b"c")
        await terminal.queue.type(b"\r")
        assert terminal.waiting() == b"a" * 4000 + b"b" * 95 + b"\n"

    on_terminal(scenario)


def test_refused_input_does_not_count_toward_the_line_limit():
    async def scenario(terminal):
        await terminal.queue.type(b"a" * 10)
        for _ in range(3):
            with pytest.raises(InputTooLongError):
                terminal.queue.type(b"b" * 4090)
        await terminal.queue.type(b"c" * 4085 + b"\n")
        assert terminal.waiting() == b"a" * 10 + b"c" * 4085 + b"\n"

    on_terminal(scenario)


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\r\n", b"\x04", b"\x15", b"\x03", b"\x1c"])
def test_a_finished_or_erased_line_no_longer_counts_toward_the_limit(end):
    async def scenario(terminal):
        await terminal.queue.type(b"a" * 4000 + end)
        terminal.waiting()
        await terminal.queue.type(b"b" * 4095 + b"\n")
        assert terminal.waiting() == b"b" * 4095 + b"\n"

    on_terminal(scenario)


def test_input_after_an_erased_line_counts_toward_the_limit():
    async def scenario(terminal):
        await terminal.queue.type(b"mistake\x15" + b"a" * 4000)
        with pytest.raises(InputTooLongError):
            terminal.queue.type(b"b" * 200)
        await terminal.queue.type(b"\n")
        assert terminal.waiting() == b"a" * 4000 + b"\n"

    on_terminal(scenario)


def test_lines_are_not_limited_in_raw_mode():
    async def scenario(terminal):
        terminal.raw()
        text = bytes(range(256)) * 1000
        reading = asyncio.ensure_future(terminal.read(len(text)))
        await terminal.queue.type(text)
        assert await reading == text

    on_terminal(scenario)


def test_queued_input_is_written_completely_and_in_order():
    async def scenario(terminal):
        terminal.raw()
        texts = [bytes([65 + number]) * 30_000 for number in range(10)]
        typed = [terminal.queue.type(text) for text in texts]
        assert not typed[-1].done(), "the test needs more input than the terminal accepts at once"
        done = []
        for number, one in enumerate(typed):
            one.add_done_callback(lambda _future, number=number: done.append(number))
        got = await terminal.read(300_000)
        await asyncio.gather(*typed)
        assert got == b"".join(texts)
        assert done == sorted(done)

    on_terminal(scenario)


def test_a_terminal_reply_does_not_split_typed_input():
    async def scenario(terminal):
        terminal.raw()
        typed = terminal.queue.type(b"a" * 50_000)
        terminal.queue.reply(b"\x1b[0n")
        assert await terminal.read(50_004) == b"a" * 50_000 + b"\x1b[0n"
        await typed

    on_terminal(scenario)


def test_input_that_is_never_read_fails_with_the_number_of_written_bytes(monkeypatch):
    monkeypatch.setattr(write_queue, "DEADLINE_S", 0.05)

    async def scenario(terminal):
        terminal.raw()
        first = terminal.queue.type(b"a" * 200_000)
        second = terminal.queue.type(b"b" * 10)
        with pytest.raises(InputBlockedError) as caught:
            await first
        written = int(caught.value.message.split(";")[1].split()[0])
        assert 0 < written < 200_000
        assert "of 200000 bytes" in caught.value.message
        with pytest.raises(InputBlockedError, match="nothing was typed"):
            await second
        assert await terminal.read(written) == b"a" * written
        assert terminal.waiting() == b""

    on_terminal(scenario)


def test_input_that_is_read_slowly_does_not_fail(monkeypatch):
    monkeypatch.setattr(write_queue, "DEADLINE_S", 0.6)

    async def scenario(terminal):
        terminal.raw()
        typed = terminal.queue.type(b"a" * 40_000)
        read = 0
        while read < 40_000:
            read += len(await terminal.read(min(4000, 40_000 - read)))
            await asyncio.sleep(0.08)  # the ten pauses together exceed the deadline
        await typed

    on_terminal(scenario)


def test_typing_works_again_after_a_failure(monkeypatch):
    monkeypatch.setattr(write_queue, "DEADLINE_S", 0.05)

    async def scenario(terminal):
        terminal.raw()
        blocked = terminal.queue.type(b"a" * 200_000)
        with pytest.raises(InputBlockedError):
            await blocked
        while terminal.waiting():
            await asyncio.sleep(0)
        await terminal.queue.type(b"fresh")
        assert await terminal.read(5) == b"fresh"

    on_terminal(scenario)


def test_input_that_fails_does_not_count_toward_the_line_limit(monkeypatch):
    monkeypatch.setattr(write_queue, "DEADLINE_S", 0.05)

    async def scenario(terminal):
        terminal.raw()
        blocked = terminal.queue.type(b"a" * 200_000)
        # Only the queue sees canonical mode. In that mode, the kernel would accept the blocked input, because it
        # discards bytes beyond the line limit.
        raw = termios.tcgetattr(terminal.slave)
        monkeypatch.setattr(termios, "tcgetattr", lambda fd: [*raw[:3], raw[3] | termios.ICANON, *raw[4:]])
        queued = terminal.queue.type(b"b" * 4000)
        for one in (blocked, queued):
            with pytest.raises(InputBlockedError):
                await one
        terminal.queue.type(b"c" * 4000).cancel()

    on_terminal(scenario)


def test_input_that_does_not_fit_in_the_queue_is_refused(monkeypatch):
    monkeypatch.setattr(write_queue, "MAX_QUEUED", 100_000)

    async def scenario(terminal):
        terminal.raw()
        with pytest.raises(InputTooLongError, match="100001 bytes"):
            terminal.queue.type(b"a" * 100_001)
        blocked = terminal.queue.type(b"a" * 90_000)
        with pytest.raises(InputBlockedError, match="nothing was typed"):
            terminal.queue.type(b"b" * 99_000)
        assert await terminal.read(90_000) == b"a" * 90_000
        await blocked
        again = terminal.queue.type(b"c" * 99_000)
        assert await terminal.read(99_000) == b"c" * 99_000
        await again

    on_terminal(scenario)


def test_terminal_replies_beyond_the_limit_are_dropped():
    async def scenario(terminal):
        terminal.raw()
        for _ in range(10_000):
            terminal.queue.reply(b"\x1b[0n" * 10)
        assert terminal.queue._queued <= write_queue.MAX_QUEUED_REPLIES
        got = 0
        while terminal.queue._queued or got == 0:
            got += len(await asyncio.to_thread(os.read, terminal.slave, 65536))
        assert got < 400_000

    on_terminal(scenario)


def test_closing_the_queue_fails_all_queued_input():
    async def scenario(terminal):
        terminal.raw()
        waiting = [terminal.queue.type(b"a" * 100_000) for _ in range(3)]
        terminal.queue.close()
        for one in waiting:
            with pytest.raises(PaneClosedError):
                await one
        terminal.queue.close()

    on_terminal(scenario)


def test_a_failed_write_raises_pane_closed():
    async def scenario(terminal):
        terminal.raw()
        reader, _writer = os.pipe()
        os.set_blocking(reader, False)
        queue = WriteQueue(
            asyncio.get_running_loop(), reader, "@1", memoryview(bytearray(TYPED_SIZE))
        )  # every write to the read end fails
        with pytest.raises(PaneClosedError):
            await queue.type(b"a")
        os.close(reader)
        os.close(_writer)

    on_terminal(scenario)


def test_input_of_a_cancelled_caller_is_written_completely():
    async def scenario(terminal):
        terminal.raw()
        first = terminal.queue.type(b"a" * 50_000)
        second = terminal.queue.type(b"b" * 50_000)
        third = terminal.queue.type(b"c")
        first.cancel()
        second.cancel()
        assert await terminal.read(100_001) == b"a" * 50_000 + b"b" * 50_000 + b"c"
        await third

    on_terminal(scenario)


# Unread input


def test_typed_bytes_are_unread_until_the_program_has_read_them():
    async def scenario(terminal):
        terminal.raw()
        assert not terminal.queue.is_unread()
        for _ in range(200):  # the kernel delivers typed bytes with a delay
            await terminal.queue.type(b"a\r")
            assert terminal.queue.is_unread()
            assert terminal.waiting() == b"a\r"
            assert not terminal.queue.is_unread()

    on_terminal(scenario)


def test_an_unfinished_line_does_not_count_as_unread():
    async def scenario(terminal):
        await terminal.queue.type(b"half")
        assert not terminal.queue.is_unread()
        await terminal.queue.type(b" a line\r")
        assert terminal.queue.is_unread()
        terminal.waiting()
        assert not terminal.queue.is_unread()

    on_terminal(scenario)


def test_queued_bytes_count_as_unread():
    async def scenario(terminal):
        terminal.raw()
        blocked = terminal.queue.type(b"b" * 100_000)
        read = len(terminal.waiting())
        assert terminal.queue.is_unread()
        await terminal.read(100_000 - read)
        await blocked
        assert not terminal.queue.is_unread()

    on_terminal(scenario)


def test_a_closed_terminal_has_no_unread_input():
    async def scenario(terminal):
        await terminal.queue.type(b"a\r")
        terminal.queue.close()
        assert not terminal.queue.is_unread()

    on_terminal(scenario)
