"""Kill the service at random moments of a mixed load, and check that nothing is lost: ``kills.py --seed N --kills K``.

The seed determines the loads and the lifetime of each service. Prints what was checked, and exits with 1 if anything was
lost, repeated or wrong. docs/reliability.md describes the promises and the results.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import signal
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

from actors import ALL, PATIENCE_S, Actor

from faults import service_pids
from phux_client import blocking
from servers import embedded_server, eventually

USUAL_START_S = 0.5
"""How long a service takes to start on a quiet machine; on a slower one, it lives longer."""


def wait_for_service(keeper: int) -> int:
    """Return the process id of the service as soon as there is one."""
    while True:
        found = eventually(lambda: set(service_pids(keeper)), within_s=30)
        # A program that is being spawned looks like a service until it executes, and the keeper is blocked (D) until then.
        eventually(lambda: Path(f"/proc/{keeper}/stat").read_text().rpartition(")")[2].split()[0] != "D", within_s=30)
        found &= set(service_pids(keeper))
        if len(found) == 1:
            return found.pop()


def kill_services(socket: str, kills: int, seed: int, actors: list[Actor]) -> None:
    """Kill services: a fifth while they start, half soon after, and the rest after a quiet time.

    No two services in a row are killed while they start, because ordinary clients give up after seven seconds without a
    ready service. Return early if an actor fails.
    """
    rng = random.Random(f"lifetimes {seed}")
    was_early = False
    with blocking.Phux(socket, timeout_s=PATIENCE_S) as phux:
        keeper = phux.status().keeper_pid
        for number in range(kills):
            began = time.monotonic()
            pid = wait_for_service(keeper)
            was_early = not was_early and rng.random() < 0.25
            if not was_early:
                eventually(lambda pid=pid: phux.status().service_pid == pid, within_s=PATIENCE_S)
            # On a busy machine, everything takes longer, and a service must live for some requests.
            slowness = max(1.0, (time.monotonic() - began) / USUAL_START_S)
            time.sleep(slowness * rng.uniform(0, 0.6 if was_early or rng.random() < 0.7 else 3))
            os.kill(pid, signal.SIGKILL)
            eventually(lambda pid=pid: pid not in service_pids(keeper))
            if any(actor.failure for actor in actors):
                return
            if sys.stderr.isatty():
                print(f"\r{number + 1} kills", end="", file=sys.stderr, flush=True)


def problems_of(socket: str, kills: int) -> list[str]:
    """Return what is wrong with the server itself after the kills."""
    found = []
    with blocking.Phux(socket, timeout_s=PATIENCE_S) as phux:
        status = phux.status()
        if status.service_restarts != kills:
            found.append(f"the service was restarted {status.service_restarts} times")
        found += [f"{note.terminal}: {note.note}" for note in status.engine_notes]
        found += [f"{log.log}: holes in the log: {log.holes}" for log in phux.log_list() if log.holes]
        known = {pane.pid for s in phux.tree().sessions for w in s.windows for pane in w.panes}
        children = Path(f"/proc/{status.keeper_pid}/task/{status.keeper_pid}/children")
        services = set(service_pids(status.keeper_pid))
        orphans = {int(pid) for pid in children.read_text().split()} - services - known
        if orphans:
            found.append(f"programs without a pane: {sorted(orphans)}")
    log = Path(f"{socket}.log").read_text()
    if "Traceback" in log:
        found.append(log[log.index("Traceback") :][:2000])
    return found


def traceback_of(error: BaseException) -> str:
    """Return the error with the lines of this directory that led to it."""
    here = os.path.dirname(__file__)
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(here)]
    return f"{error!r}\n{''.join(traceback.format_list(frames))}"


def soak(seed: int, kills: int) -> bool:
    """Run the load, kill the service, print the figures, and return True if every promise was kept."""
    began = time.monotonic()
    logging.getLogger("phux").setLevel(logging.ERROR)  # hide the message of each client that waits for a new service
    problems: list[str] = []
    with embedded_server() as server:
        actors = [kind(server.socket, seed) for kind in ALL]
        for actor in actors:
            actor.start()
        try:
            kill_services(server.socket, kills, seed, actors)
        except AssertionError as error:
            problems.append(f"{traceback_of(error)}{Path(f'{server.socket}.log').read_text()[-2000:]}")
        for actor in actors:
            actor.stopping.set()
        for actor in actors:
            actor.join(2 * PATIENCE_S)
            if actor.is_alive():
                problems.append(f"{actor.name} hangs")
            elif actor.failure is not None:
                problems.append(f"{actor.name}, step {actor.number}: {traceback_of(actor.failure)}")
        problems += problems_of(server.socket, kills)
    counts = sum((actor.counts for actor in actors), Counter())
    print(f"seed {seed}: {kills} kills in {time.monotonic() - began:.0f} s")
    for name, number in sorted(counts.items()):
        print(f"{number:12.0f} {name}")
    print("\n".join(problems) or "nothing was lost, repeated or wrong")
    return not problems


def main() -> None:
    """Parse the arguments, and exit with 1 if a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=12)
    options = parser.parse_args()
    sys.exit(0 if soak(options.seed, options.kills) else 1)


if __name__ == "__main__":
    main()
