"""Measure the cost of logging and of reading logs: ``python tests/bench/bench_logs.py [--rounds N] [--engine pyte]``.

The benchmark writes each stream through panes of one server, alternately with and without a log. Then it reads the last
lines of a full log, and searches 500 MB of logs.
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

from bench_panes import SIZE, WRITER, through_phux
from streams import STREAMS
from targets import Targets

from phux_client import blocking
from phux_core.logs.places import LogId
from phux_core.logs.writing import DEFAULT_PANE_BYTES, LogWriter

MEBIBYTE = 1024 * 1024


def cost(phux: blocking.Phux, home: Path, rounds: int, targets: Targets) -> None:
    ratios = []
    print(f"{'MB/s':<10} {'without':>8} {'with':>8} {'ratio':>6}")
    for name, make in STREAMS.items():
        (home / "stream").write_bytes(make(SIZE))
        command = [sys.executable, str(home / "writer.py"), str(home / "stream"), str(home / "result")]
        speeds: dict[bool, list[float]] = {False: [], True: []}
        for _ in range(rounds):
            for log in (False, True):
                speeds[log].append(through_phux(phux, command, home / "result", log=log))
        without, with_log = max(speeds[False]), max(speeds[True])  # noise only reduces the speed
        ratios.append(with_log / without)
        shown = targets.check(f"{name} with a log", with_log / without, at_least=0.85)
        print(f"{name:<10} {without:8.1f} {with_log:8.1f} {shown}", flush=True)
    print(f"{'geometric mean':<28} {math.exp(statistics.fmean(map(math.log, ratios))):6.2f}")


def fill(phux: blocking.Phux, count: int) -> None:
    """Create panes with full logs."""
    text = STREAMS["color"](4 * MEBIBYTE)
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
    targets = Targets()
    with tempfile.TemporaryDirectory() as directory, blocking.embedded(engine=options.engine, timeout_s=120) as phux:
        home = Path(directory)
        (home / "writer.py").write_text(WRITER)
        phux.new_session("keep", command=["cat"])
        if options.only != "read":
            cost(phux, home, options.rounds, targets)
        if options.only != "cost":
            fill(phux, 9)
            latency(phux)
            search(phux)
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())
