"""Guarantees of the ghostty engine only: fast reads, fast scrolling and no memory leaks."""

import gc
import time

import pytest

from phux_core import engine as engines

from .conftest import resident_bytes

pytest.importorskip("pyghostty")


def best(call, times=5):
    """Return the shortest time that ``call`` took, in seconds."""
    durations = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        durations.append(time.perf_counter() - start)
    return min(durations)


@pytest.fixture
def styled():
    """Provide a 200x50 screen with a different style in every cell."""
    engine = engines.create("ghostty", 200, 50)
    engine.feed(b"".join(b"\x1b[%d;38;5;%dm%c" % (1 + i % 9, i % 251, 65 + i % 26) for i in range(200 * 50)))
    yield engine
    engine.close()


def test_reading_spans_is_ten_times_faster_than_the_cell_by_cell_wrapper(styled):
    from pyghostty import Terminal

    wrapper = Terminal(200, 50)
    wrapper.feed(b"\x1b[1;31mx")
    start = time.perf_counter()
    for x in range(200):  # one row is enough to estimate the whole screen
        wrapper.style(x, 0)
    cell_by_cell = 50 * (time.perf_counter() - start)
    wrapper.close()
    assert len(styled.spans(0, 50)) == 200 * 50
    assert best(lambda: styled.spans(0, 50)) < cell_by_cell / 10


def test_reading_the_text_of_a_screen_takes_less_than_a_millisecond(styled):
    assert best(lambda: styled.lines(0, 50), 20) < 0.001


@pytest.mark.parametrize("erase", ["\x1b[K", "\x1b[J", "\x1b[?K"])
def test_an_erase_with_a_wrap_pending_at_a_right_margin_erases_the_glyph_and_the_rest_of_the_row(erase):
    engine = engines.create("ghostty", 8, 2)
    engine.feed(f"11111111\r\x1b[?69h\x1b[2;5s\x1b[1;2Habcd{erase}".encode())
    assert engine.lines(0, 1).text == ["1abc"], "as in xterm"
    engine.close()


def test_closed_engines_leak_no_memory():
    def cycle(count):
        for _ in range(count):
            engine = engines.create("ghostty", 80, 24)
            engine.feed(b"\x1b]2;t\x07hello \x1b[31mworld\r\n\x1b[6n" * 30)
            engine.spans(-5, 20)
            engine.close()

    cycle(200)
    gc.collect()
    before = resident_bytes()
    cycle(2000)
    gc.collect()
    assert resident_bytes() - before < 4 << 20


def test_checkpoints_and_restored_engines_leak_no_memory():
    engine = engines.create("ghostty", 80, 24)
    engine.feed(b"some \x1b[32mtext\r\n" * 2000)

    def cycle(count):
        for _ in range(count):
            engines.restore(engine.checkpoint()).close()

    cycle(20)
    gc.collect()
    before = resident_bytes()
    cycle(100)
    gc.collect()
    assert resident_bytes() - before < 4 << 20
    engine.close()


def test_an_unclosed_engine_frees_its_terminal_when_it_is_collected():
    def cycle(count):
        for _ in range(count):
            engines.create("ghostty", 200, 50).feed(b"text\r\n" * 200)
        gc.collect()

    cycle(20)
    before = resident_bytes()
    cycle(200)
    assert resident_bytes() - before < 4 << 20


def test_scrolling_with_a_full_history_is_not_slower():
    data = b"a line of text, neither long nor short\r\n" * 2000

    def feed_time_s(history):
        engine = engines.create("ghostty", 80, 24, history=history)
        for _ in range(10):
            engine.feed(data)
        seconds = best(lambda: engine.feed(data), 10)
        engine.close()
        return seconds

    # With libghostty's own line limit, scrolling is at least five times slower.
    assert feed_time_s(5_000) < 3 * feed_time_s(10_000_000)


def test_using_a_closed_engine_raises_instead_of_crashing():
    engine = engines.create("ghostty", 80, 24)
    engine.close()
    for use in (
        lambda: engine.feed(b"x"),
        lambda: engine.lines(0, 1),
        lambda: engine.spans(0, 1),
        engine.cursor,
        engine.modes,
        engine.checkpoint,
        lambda: engine.resize(10, 10),
    ):
        with pytest.raises((TypeError, AttributeError)):
            use()
