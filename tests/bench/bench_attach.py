"""Compare `phux attach` with an attached tmux of the same size: ``python tests/bench/bench_attach.py [--rounds N]``.

Both clients run `sh` on a PTY, and one of phux's engines parses the output. The benchmark measures for each client:

- the bytes sent to the terminal for one typed letter, and the time until the letter is on the screen;
- the bytes and the time for a new screen of 46 rows in many colors, from Enter to the last row;
- the time for a letter while another pane writes continuously.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).parent))
from targets import Targets

from outers import PHUX, OwnTerminal, environment
from phux_client import blocking

COLS, ROWS = 200, 50
TARGETS = Targets()
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# A constant gap between keys may coincide with a timer of one of the programs.
_GAPS = random.Random(1)


class Attached:
    """An attached client in a terminal."""

    def __init__(self, name: str, argv: list[str], env: dict[str, str], prefix: str) -> None:
        self.name = name
        self.prefix = prefix
        self.terminal = OwnTerminal(argv, env, (COLS, ROWS))
        self.terminal.shows("$", within_s=20)
        self.terminal.quiet()

    def letter(self, typed: str, letter: str) -> tuple[int, float]:
        """Type a letter after others; return the bytes and seconds until the screen shows it."""
        wanted = typed + letter
        self.terminal.raw = b""
        started = time.perf_counter()
        self.terminal.type(letter)
        while not any(wanted in line for line in self.terminal.engine.lines(0, ROWS).text):
            self.terminal.pump(0.0002)
            assert time.perf_counter() - started < 10, self.terminal.screen()
        return len(self.terminal.raw), time.perf_counter() - started

    def letters(self, rounds: int, *, settle: bool) -> tuple[list[int], list[float]]:
        """Type the alphabet once per round; return the bytes and seconds of each letter."""
        sizes, times = [], []
        for _ in range(rounds):
            typed = "="
            self.terminal.type(typed)
            self.terminal.pump(0.1)
            for letter in LETTERS:
                if settle:
                    self.terminal.pump(_GAPS.uniform(0.03, 0.06))
                size, took = self.letter(typed, letter)
                sizes.append(size)
                times.append(took)
                typed += letter
            self.terminal.type("\x15")
            self.terminal.pump(0.1)
        return sizes, times

    def screenful(self, script: Path, mark: str) -> tuple[int, float]:
        """Run a program that fills the screen; return the bytes and seconds until its last row is shown."""
        self.terminal.type("clear\r")
        self.terminal.pump(0.3)
        self.terminal.type(f"sh {script} {mark}")
        self.terminal.pump(0.3)
        before, started = len(self.terminal.raw), time.perf_counter()
        self.terminal.type("\r")
        while not any(line.startswith(mark) for line in self.terminal.engine.lines(0, ROWS).text):
            self.terminal.pump(0.001)
            assert time.perf_counter() - started < 10, self.terminal.screen()
        took = time.perf_counter() - started
        self.terminal.quiet()
        return len(self.terminal.raw) - before, took

    def flood(self) -> None:
        """Start continuous output in the pane, and split off another pane."""
        self.terminal.type("seq 1 1000000000\r")
        self.terminal.pump(0.5)
        self.terminal.type(f"{self.prefix}%")
        self.terminal.pump(1.0)


def report(name: str, unit: str, ours: float, theirs: float, *, at_most: float | None = None) -> None:
    ratio = ours / theirs if theirs else 0.0
    shown = f"{ratio:6.2f}" if at_most is None else TARGETS.check(name, ratio, at_most=at_most)
    print(f"{name:<42} {ours:>10.2f} {theirs:>10.2f} {unit:<6} {shown}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    os.environ.pop("TMUX", None)
    os.environ |= {"PS1": "$ ", "ENV": ""}
    with tempfile.TemporaryDirectory() as home, blocking.embedded(engine="ghostty") as phux:
        script = Path(home) / "screen.sh"
        rows = "".join(
            "".join(f"\\033[38;5;{(x * 7 + y) % 256}m{(x * y) % 10}{(x + y) % 10}xyz" for x in range((COLS - 10) // 5))
            + "\\033[0m\\n"
            for y in range(ROWS - 4)
        )
        script.write_text(f"printf '%b' '{rows}'\necho $1\n")
        phux.new_session("bench", command=["sh"], size=(COLS, ROWS - 1))
        env = environment(phux.socket)
        tmux = ["tmux", "-S", f"{home}/tmux.sock", "-f", "/dev/null"]
        clients = [
            Attached("phux", [PHUX, "attach", "bench"], env, "\x01"),
            Attached("tmux", [*tmux, "new-session", "sh"], env, "\x02"),
        ]
        try:
            print(f"{f'{COLS}x{ROWS}':<42} {'phux':>10} {'tmux':>10} {'':<6} {'ratio':>6}")
            found = [client.letters(options.rounds, settle=True) for client in clients]
            report("bytes for a letter, mean", "bytes", *(statistics.mean(sizes) for sizes, _times in found))
            medians = (1000 * statistics.median(times) for _sizes, times in found)
            report("letter to paint, median", "ms", *medians, at_most=2)
            report(
                "letter to paint, 95th percentile",
                "ms",
                *(1000 * sorted(times)[int(len(times) * 0.95)] for _sizes, times in found),
            )
            screens = [[client.screenful(script, f"end-{number}") for number in range(5)] for client in clients]
            report(
                "bytes for a new screen, median",
                "bytes",
                *(statistics.median(size for size, _took in one) for one in screens),
            )
            report(
                "a new screen, median",
                "ms",
                *(1000 * statistics.median(took for _size, took in one) for one in screens),
                at_most=3,
            )
            results = []
            for client in clients:
                client.terminal.type("clear\r")
                client.flood()
                results.append(client.letters(options.rounds, settle=False)[1])
                client.terminal.type(f"exit\r\x03{client.prefix}d")
                client.terminal.pump(1.0)
            report(
                "letter to paint during a flood, median", "ms", *(1000 * statistics.median(times) for times in results)
            )
            report(
                "the same, 95th percentile", "ms", *(1000 * sorted(times)[int(len(times) * 0.95)] for times in results)
            )
        finally:
            for client in clients:
                client.terminal.__exit__()
            os.system(f"tmux -S {home}/tmux.sock kill-server 2>/dev/null")
    return TARGETS.finish()


if __name__ == "__main__":
    sys.exit(main())
