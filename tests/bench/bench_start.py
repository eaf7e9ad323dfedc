"""Compare the run time of `phux ls --json` with `python -c pass`: ``python tests/bench/bench_start.py``.

The benchmark installs phux into a new venv, because an editable install uses another import mechanism. It alternates
the two commands, so that noise affects both, and compares medians.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from targets import Targets

ROOT = Path(__file__).parents[2]
ROUNDS = 60


def main() -> int:
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONDONTWRITEBYTECODE", "PHUX_PANE"}}
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory)
        subprocess.run([sys.executable, "-m", "venv", home / "venv"], check=True)
        subprocess.run([home / "venv/bin/pip", "install", "--quiet", ROOT], check=True, capture_output=True)
        env["PHUX_SOCKET"] = str(home / "phux.sock")
        phux = home / "venv/bin/phux"
        subprocess.run([phux, "new", "-s", "bench", "--json"], env=env, check=True, capture_output=True)
        commands = {
            "python -c pass": [home / "venv/bin/python", "-c", "pass"],
            "phux ls --json": [phux, "ls", "--json"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        try:
            for _ in range(ROUNDS):
                for name, command in commands.items():
                    started = time.perf_counter()
                    subprocess.run(command, env=env, check=True, capture_output=True)
                    times[name].append(time.perf_counter() - started)
        finally:
            subprocess.run([phux, "kill", "--server"], env=env, check=True)
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        print(f"{name:<16} {median * 1000:6.1f} ms")
    targets = Targets()
    ratio = medians["phux ls --json"] / medians["python -c pass"]
    print(f"ratio            {targets.check('phux ls --json', ratio, at_most=3)}")
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())
