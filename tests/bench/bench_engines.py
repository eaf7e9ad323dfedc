"""Compare the throughput of both engines and of pyte's own HistoryScreen: ``python tests/bench/bench_engines.py``.

The three alternate on each stream, and the best of several turns counts, so that a busy machine affects all of them
alike. Compare the ratios, not the absolute numbers.
"""

import argparse
import pathlib
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parents[2])]

import pyte  # noqa: E402  # after the path above, so that the script runs in a checkout that is not installed
import streams  # noqa: E402

from phux_core import engine as engines  # noqa: E402

CHUNK = 65_536  # about the number of bytes that a service reads before it feeds the engine
AT_LEAST = {"plain": 100, "short": 100, "color": 20, "utf-8": 20, "tui": 20, "progress": 20, "long": 20}


class _LenientScreen(pyte.HistoryScreen):
    """pyte's screen, which ignores private SGR sequences instead of raising."""

    def select_graphic_rendition(self, *attributes, private=False):
        if not private:
            super().select_graphic_rendition(*attributes)


def time_pyte(data, cols, rows):
    """Return the seconds that stock pyte takes to feed the data."""
    stream = pyte.ByteStream(_LenientScreen(cols, rows, history=10_000))
    return _time(stream.feed, data)


def time_engine(name, data, cols, rows):
    """Return the seconds that one of our engines takes to feed the data and read the last screen."""
    engine = engines.create(name, cols, rows)
    try:
        return _time(engine.feed, data, lambda: engine.lines(0, rows))
    finally:
        engine.close()


def _time(feed, data, then=lambda: None):
    chunks = [data[at : at + CHUNK] for at in range(0, len(data), CHUNK)]
    start = time.perf_counter()
    for chunk in chunks:
        feed(chunk)
    then()
    return time.perf_counter() - start


def measure(megabytes, turns, cols, rows, names=None):
    """Return the MB/s by stream and implementation."""
    table = {}
    for name, make in streams.STREAMS.items():
        if names and name not in names:
            continue
        data = make(int(megabytes * streams.MEGABYTE))
        short_data = make(60_000)  # stock pyte would take minutes for the full size
        best = {"stock": 0.0, "pyte": 0.0, "ghostty": 0.0}
        for _ in range(turns):
            best["stock"] = max(best["stock"], len(short_data) / time_pyte(short_data, cols, rows) / streams.MEGABYTE)
            for engine in ("pyte", "ghostty"):
                try:
                    seconds = time_engine(engine, data, cols, rows)
                except ImportError:
                    continue
                best[engine] = max(best[engine], len(data) / seconds / streams.MEGABYTE)
        table[name] = best
    return table


def time_reading(name, cols, rows):
    """Return the milliseconds that each kind of read takes, with 10,000 colored rows of unread history."""
    engine = engines.create(name, cols, rows)
    engine.feed(streams.color_log(2 * streams.MEGABYTE))
    history = engine.history_rows
    steps = {
        "screen": lambda: engine.lines(0, rows),
        "screen, spans": lambda: engine.spans(0, rows),
        "history": lambda: engine.lines(-history, history),
        "history again": lambda: engine.lines(-history, history),
        "checkpoint": engine.checkpoint,
        "resize": lambda: engine.resize(cols - 7, rows),
    }
    taken = {}
    for step, read in steps.items():
        start = time.perf_counter()
        read()
        taken[step] = (time.perf_counter() - start) * 1000
    engine.close()
    return taken


def print_reading(cols, rows):
    """Print the time of each kind of read."""
    tables = {}
    for name in engines.ENGINES:
        try:
            tables[name] = time_reading(name, cols, rows)
        except ImportError:
            continue
    print(f"\n{'ms':16}" + "".join(f"{name:>10}" for name in tables))
    for step in next(iter(tables.values())):
        print(f"{step:16}" + "".join(f"{table[step]:10.2f}" for table in tables.values()))


def main():
    """Print the tables; return 1 if a ratio is too low."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=float, default=4)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--cols", type=int, default=80)
    parser.add_argument("--rows", type=int, default=24)
    parser.add_argument("names", nargs="*", help="only these streams")
    options = parser.parse_args()
    table = measure(options.megabytes, options.turns, options.cols, options.rows, options.names)
    print(f"{'MB/s':10}{'stock pyte':>12}{'pyte engine':>13}{'ghostty':>10}{'ratio':>9}{'at least':>10}")
    failed = False
    for name, best in table.items():
        ratio = best["pyte"] / best["stock"]
        failed |= ratio < AT_LEAST[name]
        print(
            f"{name:10}{best['stock']:12.3f}{best['pyte']:13.1f}{best['ghostty']:10.1f}{ratio:8.0f}x{AT_LEAST[name]:9}x"
        )
    print_reading(options.cols, options.rows)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
