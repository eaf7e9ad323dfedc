"""Make each system call of the keeper and the service fail once: ``python tests/soak/faults.py [ROLE [KIND [N]]]``.

For each kind of call, N counts up until the scenario of tests/support/fault_points.py makes fewer than N calls. Prints
the failures, and exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

from fault_points import KINDS, ROLES, Point, Scenario, fault_points


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("role", nargs="?", choices=ROLES, help="only this process")
    parser.add_argument("kind", nargs="?", choices=KINDS, help="only calls of this kind")
    parser.add_argument("nth", nargs="?", type=int, help="only this call")
    options = parser.parse_args()
    failures, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as directory, fault_points(Path(directory)) as points:
        for role in [options.role] if options.role else ROLES:
            for kind in [options.kind] if options.kind else KINDS:
                for nth in [options.nth] if options.nth else itertools.count(1):
                    point, scenario, output = Point(role, kind, nth), Scenario(), io.StringIO()
                    points.arm(point)
                    try:
                        with contextlib.redirect_stdout(output):
                            scenario.run()
                    except Exception as error:  # noqa: BLE001  continue with the next point
                        failures += 1
                        print(f"FAILED {point}: {type(error).__name__}: {error}\n{output.getvalue()}", flush=True)
                    has_failed = points.disarm()
                    for message in scenario.errors:
                        print(f"{point}: {message}", flush=True)
                    if not has_failed:
                        print(f"{role} {kind}: {nth - 1} calls failed in turn", flush=True)
                        break
    print(f"{failures} failures in {time.monotonic() - began:.0f} s")
    return min(failures, 1)


if __name__ == "__main__":
    sys.exit(main())
