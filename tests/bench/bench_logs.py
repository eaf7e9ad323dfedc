"""Measure the cost of logging and of reading logs: ``python tests/bench/bench_logs.py [--rounds N] [--engine pyte]``.

Each stream is written through panes of one server, alternately with and without a log. Then the last lines of a full
log are read, and 500 MB of logs are searched.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from bench_panes import COLS, ROWS, SIZE, WRITER, _take
from streams import STREAMS

from phux_client import blocking
from phux_core.logs.places import LogId
from phux_core.logs.writing import DEFAULT_PANE_BYTES, LogWriter

MEBIBYTE = 1024 * 1024


def through_pane(phux: blocking.Phux, command: list[str], result: Path, *, log: bool) -> float:
    session = phux.new_session(None, command=command, size=(COLS, ROWS), log=log)
    session.pane.wait(exit=True, timeout_s=120)
    session.kill()
    return _take(result)


def cost(phux: blocking.Phux, home: Path, rounds: int) -> None:
    ratios = []
    print(f"{'MB/s':<10} {'without':>8} {'with':>8} {'ratio':>6}")
    for name, make in STREAMS.items():
        (home / "stream").write_bytes(make(SIZE))
        command = [sys.executable, str(home / "writer.py"), str(home / "stream"), str(home / "result")]
        speeds: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(rounds):
            for log in (False, True):
                speeds[log].append(through_pane(phux, command, home / "result", log=log))
        without, with_log = max(speeds[False]), max(speeds[True])  # noise only reduces the speed
        ratios.append(with_log / without)
        print(f"{name:<10} {without:8.1f} {with_log:8.1f} {with_log / without:6.2f}", flush=True)
    print(f"{'geometric mean':<28} {math.exp(statistics.fmean(map(math.log, ratios))):6.2f}")


def fill(phux: blocking.Phux, count: int) -> None:
    """Create panes with full logs, as after hours of output."""
    text = STREAMS["colour"](4 * MEBIBYTE)
    status = phux.status().logs
    assert status is not None
    for number in range(count):
        pane = phux.new_session(f"full{number}", command=["cat"]).pane
        writer = LogWriter(status.directory or "", LogId(status.server, pane.id))
        while writer.end < DEFAULT_PANE_BYTES - 8 * MEBIBYTE:
            data = text
            while data:
                data = data[writer.write(writer.end, data) :]
        writer.close()


def latency(phux: blocking.Phux) -> None:
    pane = phux.pane("full0")
    size = next(log.bytes for log in phux.log_list() if log.pane == pane.id)
    for lines in (1, 500, 5000):
        times = []
        for _ in range(20):
            began = time.perf_counter()
            text = pane.logs(lines=lines)
            times.append(time.perf_counter() - began)
            assert text.returned_lines == lines
        print(f"the last {lines} lines of {size / MEBIBYTE:.0f} MiB: {statistics.median(times) * 1000:.1f} ms")


def search(phux: blocking.Phux) -> None:
    total = sum(log.bytes for log in phux.log_list() if log.live)
    for pattern in ("no such needle", r"#39\d$", r"app::(?=worker).*#399$"):
        began = time.perf_counter()
        count = len(phux.search(pattern, max_matches=100_000))
        took = time.perf_counter() - began
        print(f"search {pattern!r} in {total / 1e6:.0f} MB: {took:.2f} s, {total / 1e6 / took:.0f} MB/s, {count} lines")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--engine", default="ghostty")
    parser.add_argument("--only", choices=("cost", "read"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory, blocking.embedded(engine=options.engine, timeout_s=120) as phux:
        home = Path(directory)
        (home / "writer.py").write_text(WRITER)
        phux.new_session("keep", command=["cat"])
        if options.only != "read":
            cost(phux, home, options.rounds)
        if options.only != "cost":
            fill(phux, 9)
            latency(phux)
            search(phux)
    return 0


if __name__ == "__main__":
    sys.exit(main())
