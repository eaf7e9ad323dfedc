"""Fuzz phux: ``python tests/fuzz TARGET [--seed N] [--inputs N | --seconds S]``; see docs/reliability.md."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "support"))

from runner import TARGETS, fuzz


def main() -> int:
    parser = argparse.ArgumentParser(prog="python tests/fuzz", description=__doc__)
    parser.add_argument("target", choices=[*TARGETS, "all"])
    parser.add_argument("--seed", type=int, default=1, help="equal seeds make equal inputs")
    parser.add_argument("--inputs", type=int, default=sys.maxsize, help="inputs per target")
    parser.add_argument("--seconds", type=float, help="time per target; 60 without --inputs")
    options = parser.parse_args()
    if options.seconds is None:
        options.seconds = 60.0 if options.inputs == sys.maxsize else float("inf")
    names = TARGETS if options.target == "all" else [options.target]
    findings = [fuzz(name, options.seed, options.inputs, options.seconds) for name in names]
    return 1 if any(findings) else 0


if __name__ == "__main__":
    sys.exit(main())
