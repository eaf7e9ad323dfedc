"""Compare several flooding panes with one: ``python tests/bench/bench_floods.py [--floods N] [--seconds S]``.

The benchmark counts the bytes per second that a server reads from one flooding pane and from several, and measures a run
in an idle pane meanwhile. The floods are of plain text, which libghostty parses without the interpreter lock.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from targets import Targets

from phux_client import blocking

FLOOD = ["yes", "a line of a flood that does not end by itself, and is about as long as a line of a log"]


def megabytes_per_s(panes: list[blocking.Pane], seconds: float) -> float:
    """Return the speed at which panes write, together."""
    before, began = [pane.snapshot().seq for pane in panes], time.perf_counter()
    time.sleep(seconds)
    after, took = [pane.snapshot().seq for pane in panes], time.perf_counter() - began
    return sum(end - start for start, end in zip(before, after, strict=True)) / took / 1e6


def run_ms(pane: blocking.Pane, rounds: int = 100) -> float:
    """Return the median duration of a run after a warm-up."""
    times = []
    for number in range(rounds + 50):
        began = time.perf_counter()
        pane.run("true")
        if number >= 50:
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--floods", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    os.environ.pop("TMUX", None)
    targets = Targets()
    with tempfile.TemporaryDirectory() as home, blocking.embedded() as phux:
        idle = phux.new_session("idle", command=["bash"], env={"HOME": home}).pane
        alone = run_ms(idle)
        floods = [phux.new_session(command=FLOOD, size=(200, 50)).pane]
        one = megabytes_per_s(floods, options.seconds)
        floods += [phux.new_session(command=FLOOD, size=(200, 50)).pane for _ in range(options.floods - 1)]
        several = megabytes_per_s(floods, options.seconds)
        beside = run_ms(idle)
    shown = targets.check(f"{options.floods} floods, against one", several / one, at_least=1.5)
    print(f"MB/s of one flood and of {options.floods}: {one:.1f}, {several:.1f}, ratio {shown}")
    shown = targets.check("run beside the floods", beside / alone, at_most=3)
    print(f"ms of a run alone and beside them: {alone:.2f}, {beside:.2f}, ratio {shown}")
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())
