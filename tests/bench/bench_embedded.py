"""Compare the start of ``embedded()`` with bash under pexpect: ``python tests/bench/bench_embedded.py``.

Both start bash with the same short .bashrc and wait for the first prompt. They alternate, so that noise affects both,
and the benchmark compares medians. A pause before each start separates the start from the exit of the previous server
and from forking the next one ahead of time; ``--pause 0`` omits the pause. The first private server of a process also
starts the template process that forks the others, so its time is printed separately.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect

sys.path.insert(0, str(Path(__file__).parent))
from targets import Targets

from phux_client import blocking

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 40
PAUSE_S = 0.1


def ours() -> float:
    began = time.perf_counter()
    with blocking.embedded() as phux:
        phux.new_session(command=["bash"])
        return time.perf_counter() - began


def theirs() -> float:
    began = time.perf_counter()
    bash = pexpect.spawn("bash", encoding="utf-8")
    bash.expect_exact("> ")
    took = time.perf_counter() - began
    bash.close(force=True)
    return took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--pause", type=float, default=PAUSE_S)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home
        Path(home, ".bashrc").write_text("PS1='> '\n")
        first = ours()
        times: dict[Callable[[], float], list[float]] = {ours: [], theirs: []}
        for _ in range(options.rounds):
            for measure, taken in times.items():
                time.sleep(options.pause)
                taken.append(measure())
    mine, peer = (statistics.median(taken) * 1000 for taken in times.values())
    print(f"embedded() until the first prompt {mine:7.1f} ms (the first one {first * 1000:.0f} ms)")
    print(f"bash under pexpect                {peer:7.1f} ms")
    targets = Targets()
    print(f"ratio                              {targets.check('embedded()', mine / peer, at_most=5)}")
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())
