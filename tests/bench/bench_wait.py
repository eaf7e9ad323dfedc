"""Compare the latency of a wait for text with pexpect: ``python tests/bench/bench_wait.py [--rounds N]``.

The same child process runs under both: for each byte that it reads, it sleeps for a short random time and then writes a
line with the current time. The latency is the difference between that time and the time at which ``pane.wait`` or
pexpect's ``expect`` returns; ``pane.wait`` also returns the screen. The two alternate, so that other load on the machine
affects both.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

import pexpect

sys.path.insert(0, str(Path(__file__).parent))
from targets import Targets

from phux_client import blocking

CHILD = r"""
import os, random, sys, time, tty
tty.setraw(0)
os.write(1, b"ready\r\n")
while os.read(0, 1):
    time.sleep(random.uniform(0.002, 0.01))
    os.write(1, b"line %d end\r\n" % time.monotonic_ns())
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--engine", default="ghostty")
    options = parser.parse_args()
    os.environ.pop("TMUX", None)
    command = [sys.executable, "-c", CHILD]
    theirs, ours = [], []
    other = pexpect.spawn(command[0], command[1:], timeout=30)
    other.expect("ready")
    with blocking.embedded(engine=options.engine) as phux:
        pane = phux.new_session("bench", command=command).pane
        seq = pane.wait(until="ready", timeout_s=30).seq
        for _ in range(options.rounds):
            other.send("x")
            other.expect(r"line (\d+) end")
            theirs.append(time.monotonic_ns() - int(other.match[1]))
            pane.send_keys("x")
            waited = pane.wait(regex=r"line \d+ end", since=seq, timeout_s=30)
            ours.append(time.monotonic_ns() - int(waited.met_line.split()[1]))
            seq = waited.met_seq
    other.close(force=True)
    medians = {"pexpect expect": statistics.median(theirs), "phux wait": statistics.median(ours)}
    for name, median in medians.items():
        print(f"{name:<16} {median / 1000:8.0f} us")
    ratio = medians["phux wait"] / medians["pexpect expect"]
    targets = Targets()
    print(f"ratio              {targets.check('wait', ratio, at_most=2)}")
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())
