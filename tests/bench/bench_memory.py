"""Compare memory use with tmux in one run: ``python tests/bench/bench_memory.py [--panes N]``.

The benchmark measures an idle pane (``cat`` or a shell at its prompt, with a history limit of 10,000 rows), and 10,000
rows of history. The figures are the growth in proportional set size of the server's processes, anonymous and shared
memory only: keeper and service for phux, the server for tmux. They do not include the programs in the panes.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from phux_client import blocking

HISTORY = 10_000
IDLE_S = 12  # phux replaces an idle terminal with a checkpoint after 10 s
WIDTHS = (80, 200)
IDLE = (["cat"], ["bash", "--norc"])
ROWS = 24
# Prints rows that all differ and are as wide as the pane, then a line that marks the end.
PRINT = r"""
import sys
cols, rows = int(sys.argv[1]), int(sys.argv[2])
words = "the quick brown fox jumps over a lazy dog and a hundred other animals ".split()
for n in range(rows):
    line = f"{n:6} " + " ".join(words[(n + i) % len(words)] for i in range(cols // 4))
    print(line[: cols - 1])
print("all out", flush=True)
sys.stdin.read()
"""


def pss_kb(*pids: int) -> int:
    """Return the proportional set size of processes, without file-backed pages.

    The server shares library pages with the programs in the panes, so its share of them shrinks with each pane.
    """
    rollups = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in pids]
    found = [re.findall(r"^Pss_(?:Anon|Shmem):\s+(\d+) kB", rollup, re.MULTILINE) for rollup in rollups]
    return sum(int(size) for each in found for size in each)


def settled_kb(*pids: int) -> int:
    """Return the proportional set size once it no longer changes."""
    before, now = -1, pss_kb(*pids)
    while abs(now - before) > 8:
        time.sleep(0.3)
        before, now = now, pss_kb(*pids)
    return now


class Phux:
    """A private phux server."""

    def __init__(self, client: blocking.Phux) -> None:
        self._client = client
        self._client.new_session("keep", command=["cat"])
        status = client.status()
        self.pids = (status.keeper_pid, status.service_pid)

    def open(self, cols: int, command: list[str], end_text: str | None = None) -> None:
        """Open a pane, and wait until its program shows ``end_text`` if given."""
        session = self._client.new_session(command=command, size=(cols, ROWS))
        if end_text is not None:
            session.pane.wait(until=end_text, timeout_s=60)


class Tmux:
    """A private tmux server."""

    def __init__(self, home: Path) -> None:
        self._socket = home / "tmux.sock"
        (home / "tmux.conf").write_text(f"set -g status off\nset -g history-limit {HISTORY}\n")
        self._run("-f", str(home / "tmux.conf"), "new-session", "-d", "-x", "80", "-y", str(ROWS), "cat")
        self.pids = (int(self._run("display-message", "-p", "#{pid}")),)

    def _run(self, *words: str) -> str:
        command = ["tmux", "-S", str(self._socket), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout

    def open(self, cols: int, command: list[str], end_text: str | None = None) -> None:
        made = ["new-session", "-d", "-P", "-F", "#{pane_id}", "-x", str(cols), "-y", str(ROWS), *command]
        pane = self._run(*made).strip()
        while end_text is not None and end_text not in self._run("capture-pane", "-p", "-t", pane):
            time.sleep(0.05)

    def close(self) -> None:
        self._run("kill-server")


def measure(server: Phux | Tmux, panes: int, script: str) -> list[float]:
    """Return the memory of an idle pane per command and of 10,000 rows per width, in kB."""
    taken = []
    for command in IDLE:
        start = settled_kb(*server.pids)
        for _ in range(panes):
            server.open(80, command)
        time.sleep(IDLE_S)
        taken.append((settled_kb(*server.pids) - start) / panes)
    for cols in WIDTHS:
        start = settled_kb(*server.pids)
        server.open(cols, [sys.executable, script, str(cols), str(HISTORY + ROWS)], "all out")
        taken.append(settled_kb(*server.pids) - start)
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--panes", type=int, default=50)
    options = parser.parse_args()
    os.environ.pop("TMUX", None)
    table: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        (home / "print.py").write_text(PRINT)
        script = str(home / "print.py")
        tmux = Tmux(home)
        try:
            table["tmux"] = measure(tmux, options.panes, script)
        finally:
            tmux.close()
        for engine in ("ghostty", "pyte"):
            with blocking.embedded(engine=engine) as client:
                table[engine] = measure(Phux(client), options.panes, script)
    print(f"{'kB':<28}" + "".join(f"{name:>10}" for name in table) + f"{'ghostty':>11}{'pyte':>8}")
    rows = [
        *(f"an idle pane, {command[0]}" for command in IDLE),
        *(f"{HISTORY:,} rows of {cols} columns" for cols in WIDTHS),
    ]
    for at, row in enumerate(rows):
        figures = [table[name][at] for name in table]
        ratios = [figure / figures[0] for figure in figures[1:]]
        print(f"{row:<28}" + "".join(f"{figure:10.0f}" for figure in figures) + f"{ratios[0]:10.2f}x{ratios[1]:7.2f}x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
