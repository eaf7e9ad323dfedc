"""Compare pane throughput with a bare read and with tmux: ``python tests/bench/bench_panes.py [--rounds N]``.

A small program writes a stream to its terminal, requests the cursor position (DSR), and measures the time until the
reply, which the terminal sends after it has processed the stream. Its terminal is cooked except for input: the kernel
turns newlines into CR LF, as for most programs. The program runs alternately in a phux pane and a tmux pane of 200x50,
and on a PTY whose other side only reads and discards.
"""

from __future__ import annotations

import argparse
import math
import os
import pty
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from streams import STREAMS
from targets import Targets

from phux_client import blocking

COLS, ROWS = 200, 50
SIZE = 24_000_000
READ_SIZE = 1 << 16
QUERY, REPLY = b"\x1b[6n", b"\x1b[1;1R"
AT_LEAST = {"plain": 0.8, "short": 0.8, "progress": 0.8, "color": 0.6, "utf-8": 0.6, "tui": 0.6, "long": 0.0}
"""The targets: a stream's share of the speed of a bare read. Long lines have none, except to be faster than tmux."""
WRITER = r"""
import os, sys, termios, time
mode = termios.tcgetattr(0)
mode[3] &= ~(termios.ECHO | termios.ICANON)
termios.tcsetattr(0, termios.TCSANOW, mode)
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


def through_bare_read(command: list[str], result: Path) -> float:
    master, slave = pty.openpty()
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True) as writer:
        os.close(slave)
        end = b""
        while True:
            try:
                data = os.read(master, READ_SIZE)
            except OSError:  # EIO: the program has ended
                break
            if QUERY in (end := end[-len(QUERY) :] + data):
                os.write(master, REPLY)
                end = b""
        writer.wait()
    os.close(master)
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
    targets = Targets()
    with tempfile.TemporaryDirectory() as directory, blocking.embedded(engine=options.engine) as phux:
        home = Path(directory)
        (home / "writer.py").write_text(WRITER)
        phux.new_session("keep", command=["cat"])  # keeps the server running between the other sessions
        ratios = []
        print(f"{'MB/s':<10} {'bare':>8} {'tmux':>8} {options.engine:>8} {'/ tmux':>7} {'/ bare':>7}")
        for name, make in STREAMS.items():
            if options.only and name != options.only:
                continue
            (home / "stream").write_bytes(make(SIZE).replace(b"\r\n", b"\n"))
            command = [sys.executable, str(home / "writer.py"), str(home / "stream"), str(home / "result")]
            speeds: list[tuple[float, float, float]] = []
            for _ in range(options.rounds):
                bare = through_bare_read(command, home / "result")
                tmux = through_tmux(home / "tmux.sock", command, home / "result")
                speeds.append((bare, tmux, through_phux(phux, command, home / "result")))
            bare, tmux, mine = map(max, zip(*speeds, strict=True))  # noise only reduces the speed
            ratios.append(mine / tmux)
            shown = targets.check(f"{name}, against a bare read", mine / bare, at_least=AT_LEAST[name])
            print(f"{name:<10} {bare:8.1f} {tmux:8.1f} {mine:8.1f} {mine / tmux:7.2f} {shown}", flush=True)
            targets.check(f"{name}, against tmux", mine / tmux, at_least=1)
        print(f"{'geometric mean':<37} {math.exp(statistics.fmean(map(math.log, ratios))):6.2f}")
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())
