"""What is promised of the ghostty engine alone: speed of reading, freed memory, no slow path."""

import gc
import time

import pytest

from phux_core import engine as engines

pytest.importorskip("pyghostty")


def resident():
    """Bytes of memory this process holds."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def best(call, times=5):
    """The shortest time that ``call`` took, in seconds."""
    durations = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        durations.append(time.perf_counter() - start)
    return min(durations)


@pytest.fixture
def styled():
    """A screen of 200x50 with a different style in every cell."""
    engine = engines.create("ghostty", 200, 50)
    engine.feed(b"".join(b"\x1b[%d;38;5;%dm%c" % (1 + i % 9, i % 251, 65 + i % 26) for i in range(200 * 50)))
    yield engine
    engine.close()


def test_a_screen_of_styles_is_read_in_a_tenth_of_the_time_of_the_wrapper(styled):
    from pyghostty import Terminal

    wrapper = Terminal(200, 50)
    wrapper.feed(b"\x1b[1;31mx")
    start = time.perf_counter()
    for x in range(200):  # a fiftieth of the screen is enough to know
        wrapper.style(x, 0)
    cell_by_cell = 50 * (time.perf_counter() - start)
    wrapper.close()
    assert len(styled.spans(0, 50)) == 200 * 50
    assert best(lambda: styled.spans(0, 50)) < cell_by_cell / 10


def test_the_text_of_a_screen_takes_well_below_a_millisecond(styled):
    assert best(lambda: styled.lines(0, 50), 20) < 0.001


def test_two_thousand_engines_made_used_and_closed_leave_no_memory_behind():
    def cycle(count):
        for _ in range(count):
            engine = engines.create("ghostty", 80, 24)
            engine.feed(b"\x1b]2;t\x07hello \x1b[31mworld\r\n\x1b[6n" * 30)
            engine.spans(-5, 20)
            engine.close()

    cycle(200)
    gc.collect()
    before = resident()
    cycle(2000)
    gc.collect()
    assert resident() - before < 4 << 20


def test_checkpoints_and_restored_engines_leave_no_memory_behind():
    engine = engines.create("ghostty", 80, 24)
    engine.feed(b"some \x1b[32mtext\r\n" * 2000)

    def cycle(count):
        for _ in range(count):
            engines.restore(engine.checkpoint()).close()

    cycle(20)
    gc.collect()
    before = resident()
    cycle(100)
    gc.collect()
    assert resident() - before < 4 << 20
    engine.close()


def test_an_engine_that_nobody_closed_frees_its_terminal_when_it_goes():
    def cycle(count):
        for _ in range(count):
            engines.create("ghostty", 200, 50).feed(b"text\r\n" * 200)
        gc.collect()

    cycle(20)
    before = resident()
    cycle(200)
    assert resident() - before < 4 << 20


def test_a_full_history_does_not_slow_scrolling_down():
    data = b"a line of text, neither long nor short\r\n" * 2000

    def speed(history):
        engine = engines.create("ghostty", 80, 24, history=history)
        for _ in range(10):
            engine.feed(data)
        seconds = best(lambda: engine.feed(data), 10)
        engine.close()
        return seconds

    # The library's own limit of lines makes this five times slower or worse.
    assert speed(5_000) < 3 * speed(10_000_000)


def test_using_a_closed_engine_is_an_error_and_no_crash():
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
