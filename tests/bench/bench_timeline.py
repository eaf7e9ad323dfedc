"""Measure what the timeline costs, and how soon a past screen is shown: ``python tests/bench/bench_timeline.py``.

The cost is the time to log and parse seven streams with a timeline, against the time without one, in this process. The
past screens are at random moments of a log of 100 MB of the same streams, read with the library. The exit status is 1
if a target is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from streams import STREAMS
from targets import Targets

from phux_client import blocking
from phux_core import engine as engines
from phux_core.keeper import journal as journals
from phux_core.keeper.journal import Journal
from phux_core.logs.places import LogId
from phux_core.logs.writing import LogWriter
from phux_core.server.history.pane_log import PaneLog
from phux_core.server.history.pane_timeline import PaneTimeline
from phux_core.server.screen.terminal import Terminal

COLS, ROWS = 200, 50
LOG_BYTES = 100_000_000
COST_BYTES = 24_000_000
SLICE = 64 * 1024
MOST_COST, MOST_MS = 1.03, 200


async def parse(root: str, data: bytes, *, with_timeline: bool) -> float:
    """Log and parse a stream as a pane does, and return how long it took."""
    journal = Journal(journals.create())
    log_id = LogId(f"20260101T000000Z-1-{random.randrange(16**4):04x}", 1)
    log = PaneLog(root, log_id, LogWriter(root, log_id), journal, {})
    if not with_timeline:
        log.timeline = PaneTimeline(None)
    loop = asyncio.get_running_loop()
    engine = engines.create("ghostty", COLS, ROWS)
    terminal = Terminal(1, loop, engine, [0], lambda error, _position: _raise(error))
    began = time.perf_counter()
    for place in range(0, len(data), SLICE):
        piece = data[place : place + SLICE]
        log.timeline.read(place)
        log.append(place, piece)
        terminal.feed(piece)
        if log.timeline.needs_screen(terminal):
            log.timeline.keep_screen(terminal.checkpoint(), terminal, log.first)
        await asyncio.sleep(0)
    took = time.perf_counter() - began
    await loop.shutdown_default_executor()
    for part in (terminal, log, log.timeline, journal):
        part.close()
    return took


def _raise(error: Exception) -> engines.Engine:
    raise error


def measure_cost(rounds: int, targets: Targets) -> None:
    print(f"{'stream':<10} {'MB/s without':>13} {'MB/s with':>10} {'cost':>6}")
    with tempfile.TemporaryDirectory() as root:
        sums = [0.0, 0.0]
        for name, make in STREAMS.items():
            data = make(COST_BYTES)
            times = ([], [])
            for _ in range(rounds):
                for kind in (0, 1):
                    times[kind].append(asyncio.run(parse(f"{root}/logs", data, with_timeline=bool(kind))))
            without, with_one = map(min, times)  # noise only adds time
            sums[0] += without
            sums[1] += with_one
            speeds = (len(data) / seconds / 1e6 for seconds in (without, with_one))
            print("{:<10} {:13.1f} {:10.1f} {:6.3f}".format(name, *speeds, with_one / without), flush=True)
        cost = sums[1] / sums[0]
        print(f"all streams: {targets.check('cost of the timeline', cost, at_most=MOST_COST)}")


def measure_past(count: int, targets: Targets) -> None:
    with tempfile.TemporaryDirectory() as directory:
        config = Path(directory, "config.toml")
        config.write_text(f"log-pane-bytes = {2 * LOG_BYTES}\n")
        os.environ |= {"PHUX_CONFIG": str(config), "XDG_STATE_HOME": directory, "XDG_RUNTIME_DIR": directory}
        os.environ.pop("PHUX_SOCKET", None)
        stream = Path(directory, "stream")
        with stream.open("wb") as file:
            for make in STREAMS.values():
                file.write(make(LOG_BYTES // len(STREAMS)).replace(b"\r\n", b"\n"))
        with blocking.connect(start=True) as phux:
            pane = phux.new_session("big", command=["bash"], size=(COLS, ROWS)).pane
            pane.run(f"cat {stream}", timeout_s=300, max_bytes=0)
            end = pane.snapshot().seq
            pane.snapshot(at=0)  # starts the process that reads logs
            chance, times = random.Random(1), []
            for _ in range(count):
                seq = chance.randrange(end)
                began = time.perf_counter()
                pane.snapshot(at=seq)
                times.append((time.perf_counter() - began) * 1000)
            phux.kill_server()
            print(f"a past screen of a log of {end / 1e6:.0f} MB: median {statistics.median(times):.0f} ms")
            print(f"the slowest of {count}: {targets.check('past screen, in ms', max(times), at_most=MOST_MS)} ms")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--moments", type=int, default=100)
    parser.add_argument("--only", choices=("cost", "past"))
    options = parser.parse_args()
    targets = Targets()
    if options.only != "past":
        measure_cost(options.rounds, targets)
    if options.only != "cost":
        measure_past(options.moments, targets)
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())
