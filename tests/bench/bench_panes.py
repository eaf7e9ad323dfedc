"""Compare pane throughput with tmux: ``python tests/bench/bench_panes.py [--rounds N] [--engine pyte]``.

A small program in the pane writes a stream, requests the cursor position (DSR), and measures the time until the reply,
which the terminal sends after parsing the stream. The program runs alternately in a phux pane and a tmux pane of 200x50.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from streams import STREAMS

from phux_client import blocking

COLS, ROWS = 200, 50
SIZE = 24_000_000
WRITER = r"""
import os, sys, time, tty
tty.setraw(0)
data = open(sys.argv[1], "rb").read()
os.write(1, b"\x1b[6n")
while not os.read(0, 100).endswith(b"R"):
    pass
started = time.perf_counter()
view = memoryview(data)
while view:
    view = view[os.write(1, view):]
os.write(1, b"\x1b[6n")
while not os.read(0, 100).endswith(b"R"):
    pass
elapsed = time.perf_counter() - started
open(sys.argv[2] + ".part", "w").write(str(len(data) / elapsed / 1e6))
os.rename(sys.argv[2] + ".part", sys.argv[2])
"""


def through_phux(phux: blocking.Phux, command: list[str], result: Path, *, log: bool | None = None) -> float:
    session = phux.new_session(None, command=command, size=(COLS, ROWS), log=log)
    session.pane.wait(exit=True, timeout_s=120)
    session.kill()
    return _take(result)


def through_tmux(socket: Path, command: list[str], result: Path) -> float:
    # wait-for blocks; remain-on-exit and polling has-session would disturb the measurement.
    line = " ".join(command) + f"; tmux -S {socket} wait-for -S done"
    subprocess.run(
        ["tmux", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", str(COLS), "-y", str(ROWS), line],
        check=True,
    )
    subprocess.run(["tmux", "-S", socket, "wait-for", "done"], check=True, timeout=120)
    subprocess.run(["tmux", "-S", socket, "kill-server"], check=False, capture_output=True)
    return _take(result)


def _take(result: Path) -> float:
    speed = float(result.read_text())
    result.unlink()
    return speed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--engine", default="ghostty")
    parser.add_argument("--only")
    options = parser.parse_args()
    os.environ.pop("TMUX", None)
    with tempfile.TemporaryDirectory() as directory, blocking.embedded(engine=options.engine) as phux:
        home = Path(directory)
        (home / "writer.py").write_text(WRITER)
        phux.new_session("keep", command=["cat"])  # keeps the server running between the other sessions
        ratios = []
        print(f"{'MB/s':<10} {'tmux':>8} {options.engine:>8} {'ratio':>6}")
        for name, make in STREAMS.items():
            if options.only and name != options.only:
                continue
            (home / "stream").write_bytes(make(SIZE))
            command = [sys.executable, str(home / "writer.py"), str(home / "stream"), str(home / "result")]
            ours, theirs = [], []
            for _ in range(options.rounds):
                theirs.append(through_tmux(home / "tmux.sock", command, home / "result"))
                ours.append(through_phux(phux, command, home / "result"))
            mine, tmux = max(ours), max(theirs)  # noise only reduces the speed
            ratios.append(mine / tmux)
            print(f"{name:<10} {tmux:8.1f} {mine:8.1f} {mine / tmux:6.2f}", flush=True)
        print(f"{'geometric mean':<28} {math.exp(statistics.fmean(map(math.log, ratios))):6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
