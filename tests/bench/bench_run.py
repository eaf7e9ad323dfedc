"""Measure the duration of ``run("true")`` after a warm-up.

Usage: ``python tests/bench/bench_run.py [--rounds N] [--idle-panes N] [--floods N]``.

The benchmark compares the library's ``pane.run`` with pexpect's replwrap and with send-keys and polling through
libtmux. Then it measures ``pane.run`` while other panes are idle, and while other panes write a flood of output. It
prints medians in milliseconds, and ratios.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

import libtmux
import pexpect.replwrap

sys.path.insert(0, str(Path(__file__).parent))
from targets import Targets

from phux_client import blocking

# A processor that was idle, especially a virtual one, wakes up slowly for tens of milliseconds. The scheduler needs as
# long to adapt to processes that communicate. So the warm-up of each call has a fixed duration, not a fixed number of
# calls.
WARM_S, CALLS_PER_TURN = 0.3, 200
PAUSED_ROUNDS = 40


def timed(call, rounds):
    """Return the duration of each of several calls, in milliseconds."""
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return times


def warm(call):
    """Call repeatedly for WARM_S seconds, so that the measurement does not include the wake-up of an idle processor."""
    until = time.perf_counter() + WARM_S
    while time.perf_counter() < until:
        call()


def median_of(call, rounds):
    warm(call)
    return statistics.median(timed(call, rounds))


def alternating_medians(calls, rounds):
    """Return the median duration of each call.

    The calls alternate in blocks, each after a warm-up, so that other load on the machine affects all of them.
    """
    times = [[] for _ in calls]
    for _ in range(max(1, rounds // CALLS_PER_TURN)):
        for call, taken in zip(calls, times, strict=True):
            warm(call)
            taken.extend(timed(call, CALLS_PER_TURN))
    return [statistics.median(taken) for taken in times]


@contextlib.contextmanager
def libtmux_run(directory):
    """Type the command and a marker, and poll until the marker is printed, as users of libtmux do."""
    server = libtmux.Server(socket_path=str(directory / "tmux.sock"), config_file="/dev/null")
    try:
        pane = server.new_session("bench", window_command="bash --norc", x=80, y=24).active_pane
        numbers = itertools.count()

        def run():
            number = next(numbers)
            pane.send_keys(f"true; echo done-{number}-$?")
            while f"done-{number}-0" not in pane.capture_pane():
                time.sleep(0.05)

        yield run
    finally:
        server.kill()


@contextlib.contextmanager
def replwrap_run(*, pause):
    """Run the command with pexpect, which by default waits 50 ms before it sends a line."""
    repl = pexpect.replwrap.bash()
    if not pause:
        repl.child.delaybeforesend = None
    yield lambda: repl.run_command("true")
    repl.child.close(force=True)


def compare_with_peers(pane, directory, rounds, targets):
    """Compare ``pane.run`` with pexpect and libtmux, and print the results."""
    with replwrap_run(pause=True) as run:
        replwrap = median_of(run, PAUSED_ROUNDS)
    with replwrap_run(pause=False) as eager, libtmux_run(directory) as polling:
        ours, unpaused, polled = alternating_medians([lambda: pane.run("true"), eager, polling], rounds)
    print(f"{'run(true), warm, ms':<42} {ours:8.2f}")
    print(f"{'pexpect replwrap':<42} {replwrap:8.2f}   time of phux: {ours / replwrap:6.2f}")
    against = targets.check("run, against replwrap", ours / unpaused, at_most=2)
    print(f"{'pexpect replwrap, without its 50 ms pause':<42} {unpaused:8.2f}   time of phux: {against}")
    against = targets.check("run, against libtmux", polled / ours, at_least=10)
    print(f"{'send-keys and polling, libtmux':<42} {polled:8.2f}   speed of phux: {against}")


def usage_of(pid):
    """Return a process's resident memory in kB and its number of open descriptors."""
    status = Path(f"/proc/{pid}/status").read_text()
    memory = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    return memory, len(os.listdir(f"/proc/{pid}/fd"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=600)
    parser.add_argument("--idle-panes", type=int, default=500)
    parser.add_argument("--floods", type=int, default=8)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    os.environ.pop("TMUX", None)
    targets = Targets()
    with tempfile.TemporaryDirectory() as name, blocking.embedded() as phux:
        directory = Path(name)
        env = {"HOME": name}
        phux.new_session("keep", command=["cat"])
        pane = phux.new_session("bench", command=["bash"], env=env).pane
        compare_with_peers(pane, directory, options.rounds, targets)

        service = phux.status().service_pid
        pane.run("yes '' | head -n 12000")  # fill the scrollback, so that only a leak can increase memory
        for _ in range(200):
            pane.run("true")
        before = usage_of(service)
        for _ in range(1000):
            pane.run("true")
        after = usage_of(service)
        print(f"1000 runs: memory {before[0]} -> {after[0]} kB, descriptors {before[1]} -> {after[1]}")

        with blocking.embedded() as other:  # a second server, so that measurements of the two can alternate
            crowd = other.new_session("bench", command=["bash"], env=env).pane
            for _ in range(options.idle_panes):
                other.new_session(command=["cat"], env=env)
            runs = [lambda: pane.run("true"), lambda: crowd.run("true")]
            alone, crowded = alternating_medians(runs, options.rounds)
        ratio = targets.check("run beside idle panes", crowded / alone, at_most=1.2)
        print(f"{options.idle_panes} idle panes: {alone:.2f} -> {crowded:.2f} ms, ratio {ratio}")
        alone = median_of(lambda: pane.run("true"), options.rounds)
        for _ in range(options.floods):
            phux.new_session(command=["yes", "a line of a flood that does not end by itself"], env=env)
        flooded = median_of(lambda: pane.run("true"), options.rounds)
        ratio = targets.check("run beside floods", flooded / alone, at_most=3)
        print(f"{options.floods} floods: {alone:.2f} -> {flooded:.2f} ms, ratio {ratio}")
        phux.kill_server()
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())
