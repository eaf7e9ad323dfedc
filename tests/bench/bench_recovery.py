"""Measure how soon a new service answers: ``python tests/bench/bench_recovery.py [--rounds N] [--panes N] [--idle S]``.

The service is killed, and a client that connects at once measures the time until the reply to `status`, `tree`, and a
`run` in an idle pane, and until all screens were read. The panes are shells at their prompt: one, or 300, of which 50
have 10,000 rows. The best of several rounds is compared with the targets; the exit status is 1 if one is missed.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent))

from targets import Targets

from phux_client import blocking

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_client.blocking import Pane, Phux

ROWS, WITH_ROWS = 10_000, 50
FILL = f"seq -f '%06.0f the quick brown fox jumps over a lazy dog and a hundred others' {ROWS}"
ONE_PANE_MS, MANY_PANES_MS, SCREENS_MS = 500, 1000, 3000
# An interval in which a service counts as stable, so that the next death is the first in a row.
STABLE_S = 2.5


def read_screens(panes: list[Pane]) -> None:
    for pane in panes:
        pane.snapshot()


def measure(socket: str, pid: int, call: Callable[[Phux], object]) -> float:
    """Kill the service, and return the seconds until a new client has the result of a call."""
    began = time.perf_counter()
    os.kill(pid, signal.SIGKILL)
    with blocking.connect(socket) as phux:
        call(phux)
        return time.perf_counter() - began


def rounds(socket: str, panes: list[int], times: int) -> dict[str, float]:
    """Return the best time of each call."""
    calls: dict[str, Callable[[Phux], object]] = {
        "status": lambda phux: phux.status(),
        "tree": lambda phux: phux.tree(),
        "run": lambda phux: phux.pane(f"@{panes[0]}").run("true", timeout_s=30),
        "all screens": lambda phux: read_screens([phux.pane(f"@{pane}") for pane in panes]),
    }
    best: dict[str, float] = {}
    for name, call in calls.items():
        for _ in range(times):
            with blocking.connect(socket) as phux:
                pid = phux.status().service_pid
            time.sleep(STABLE_S)
            best[name] = min(best.get(name, 60.0), measure(socket, pid, call))
    return best


def scenario(count: int, filled: int, options: argparse.Namespace) -> dict[str, float]:
    """Start a server with panes, and measure it."""
    with tempfile.TemporaryDirectory() as home:
        socket = str(Path(home, "phux.sock"))
        command = [sys.executable, "-P", "-m", "phux_core.keeper", "--no-config", "--socket", socket]
        os.environ["HOME"] = home  # no startup files
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        with Path(home, "log").open("wb") as log:
            server = subprocess.Popen([*command, "--state-dir", home], stderr=log)
        try:
            while not Path(socket).exists():
                time.sleep(0.01)
            with blocking.connect(socket) as phux:
                panes = [phux.new_session(command=["bash"]).pane for _ in range(count)]
                for pane in panes[1 : filled + 1]:
                    pane.run(FILL, timeout_s=60)
                time.sleep(options.idle)
                return rounds(socket, [pane.id for pane in panes], options.rounds)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=60)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--panes", type=int, default=300)
    parser.add_argument("--idle", type=float, default=0.0, help="how long the panes are idle before the first kill")
    options = parser.parse_args()
    targets = Targets()
    for count, filled, most in ((1, 0, ONE_PANE_MS), (options.panes, WITH_ROWS, MANY_PANES_MS)):
        for name, took_s in scenario(count, filled, options).items():
            case = f"{count} panes, {name}"
            target = SCREENS_MS if name == "all screens" else most
            print(f"{case:<24} ms {targets.check(case, took_s * 1000, at_most=target)}", flush=True)
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())
