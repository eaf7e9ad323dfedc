"""Load a server, measure how others are served meanwhile, and check that nothing leaks: ``load.py [--share 1.0] [--leaks-only]``.

A smaller share reduces the numbers of panes, clients and sessions. Prints each figure with its bound, and exits with 1
if one is exceeded. docs/reliability.md describes the promises and the results.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import resource
import selectors
import signal
import socket
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))

from phux_client import blocking
from rawwire import HELLO, RawClient, frame
from servers import embedded_server, eventually

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_client.blocking import Pane, Phux

PANES, CLIENTS, WATCHERS, CONNECTS, SESSIONS = 500, 200, 50, 2000, 5000
MIB = 1024 * 1024
SLEEP = ["sleep", "100000"]
FLOOD = ["yes", "a line of a flood that many clients watch at the same time"]
# The terminator never comes.
UNTERMINATED = ["sh", "-c", r"printf '\033%s' '{}'; exec yes a control string that never ends, and grows"]


class Figures:
    """The printed figures; ``exceeded`` is True if one was beyond its bound.

    Args:
        times: Whether to check the bounds of durations and speeds, which need a quiet machine.
    """

    def __init__(self, *, times: bool) -> None:
        self.exceeded = False
        self.times = times

    def add_time(self, name: str, value: float, *, most: float | None = None, least: float | None = None) -> None:
        """Print a duration or speed, and its bound if it is to be checked."""
        if self.times:
            self.add(name, value, most=most, least=least)
        else:
            self.add(name, value)

    def add(self, name: str, value: float, *, most: float | None = None, least: float | None = None) -> None:
        """Print a figure and its bound."""
        is_ok = (most is None or value <= most) and (least is None or value >= least)
        self.exceeded |= not is_ok
        bound = f"at most {most:g}" if most is not None else f"at least {least:g}" if least is not None else ""
        print(f"{value:12.2f}  {name:70} {bound:16} {'' if is_ok else 'EXCEEDED'}", flush=True)


class Server:
    """A private server, and what it uses."""

    def __init__(self, socket_path: str, phux: Phux) -> None:
        self.socket = socket_path
        self.phux = phux
        status = phux.status()
        self.processes = {"keeper": status.keeper_pid, "service": status.service_pid}

    def used(self) -> dict[str, float]:
        """Return the memory, descriptors, child processes and files that the server uses now."""
        found: dict[str, float] = {}
        for name, pid in self.processes.items():
            rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            sizes = re.findall(r"^Pss_(?:Anon|Shmem):\s+(\d+) kB", rollup, re.MULTILINE)
            found[f"MiB of the {name}"] = sum(map(int, sizes)) / 1024
            found[f"descriptors of the {name}"] = len(os.listdir(f"/proc/{pid}/fd"))
            found[f"threads of the {name}"] = len(os.listdir(f"/proc/{pid}/task"))
            children = (Path(f"/proc/{pid}/task/{pid}/children")).read_text().split()
            found[f"child processes of the {name}"] = len(children)
        # A log outlives its pane.
        found["files beside the socket"] = len(os.listdir(os.path.dirname(self.socket)))
        return found

    def run_ms(self, pane: Pane, times: int = 30) -> float:
        """Return the median duration of a run."""
        taken = []
        for _ in range(times):
            began = time.perf_counter()
            assert pane.run("true").exit_code == 0
            taken.append(time.perf_counter() - began)
        return statistics.median(taken) * 1000

    def rate_mb(self, pane: Pane, for_s: float = 2) -> float:
        """Return how many megabytes a pane writes per second."""
        time.sleep(for_s / 4)  # until the flood has its usual pace
        before, began = pane.snapshot().seq, time.perf_counter()
        time.sleep(for_s)
        return (pane.snapshot().seq - before) / 1e6 / (time.perf_counter() - began)


@contextlib.contextmanager
def reading(clients: list[RawClient]) -> Iterator[None]:
    """Read and discard everything that clients receive, in another process, which does not delay this one."""
    pid = os.fork()
    if pid == 0:
        with selectors.DefaultSelector() as ready:
            for client in clients:
                ready.register(client.sock, selectors.EVENT_READ)
            while True:
                for key, _events in ready.select():
                    key.fileobj.recv(MIB)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        for client in clients:
            client.sock.close()


@contextlib.contextmanager
def computing(count: int) -> Iterator[None]:
    """Keep processes computing."""
    processes = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def watchers(server: Server, pane: Pane, count: int) -> list[RawClient]:
    """Subscribe clients to the text of a pane."""
    clients = [RawClient(server.socket, timeout_s=30) for _ in range(count)]
    for client in clients:
        client.send({"id": 1, "call": "subscribe", "params": {"pane": pane.id, "output": True}})
    return clients


def create_and_kill(server: Server, count: int) -> None:
    """Create sessions and kill them, four at a time."""

    def some(number: int) -> None:
        with blocking.Phux(server.socket) as phux:
            for each in range(count // 4):
                phux.new_session(f"s{number}-{each}", command=SLEEP).kill()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(some, range(4)))


def connect_at_once(server: Server, figures: Figures, count: int) -> None:
    """Open connections at once, each with one request; all are answered, those beyond the limit with an error."""
    refused = 0
    sockets = []
    began = time.perf_counter()
    for _ in range(count):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.setblocking(False)
        try:
            sock.connect(server.socket)
        except BlockingIOError:
            refused += 1
            sock.close()
            continue
        with contextlib.suppress(BrokenPipeError):
            sock.sendall(frame(HELLO) + frame({"id": 1, "call": "tree", "params": {}}))
        sockets.append(sock)
    figures.add(f"of {count} simultaneous connections found the backlog full", refused, most=0)
    answered = named = 0
    for sock in sockets:
        sock.settimeout(30)
        data = b""
        with contextlib.suppress(ConnectionResetError):
            while b'"ok"' not in data and b'"error"' not in data and (more := sock.recv(65536)):
                data += more
        answered += b'"ok"' in data
        named += b"1024 clients are connected, which is the maximum" in data
    figures.add_time("s until all were answered", time.perf_counter() - began, most=30)
    figures.add("of them were neither answered nor refused with the limit", len(sockets) - answered - named, most=0)
    if named:
        with RawClient(server.socket, greet=False) as client:
            client.send(HELLO)
            told = client.receive()
            figures.add("other connection is refused with the limit", "limit" in str(told), least=1)
    for sock in sockets:
        sock.close()
    eventually(lambda: server.phux.status().clients < 10)


def many_panes(server: Server, figures: Figures, idle: Pane, alone_ms: float, panes: int, clients: int) -> None:
    """Measure a run beside many panes and subscribed clients."""
    session = server.phux.new_session("many", command=SLEEP)
    for _ in range(panes - 1):
        session.new_window(command=SLEEP)
    connected = [RawClient(server.socket) for _ in range(clients)]
    for client in connected:
        client.get("subscribe")
    with reading(connected):
        figures.add_time(f"x a run alone: beside {panes} panes", server.run_ms(idle) / alone_ms, most=3)
        began = time.perf_counter()
        session.kill()
        figures.add_time(
            f"s to kill {panes} panes beside {clients} subscribed clients", time.perf_counter() - began, most=5
        )


def many_watchers(server: Server, figures: Figures, idle: Pane, alone_ms: float, count: int) -> None:
    """Measure a flood and a run with no, one and many watchers.

    The clients of many watchers use as much of the machine as the server, so the bound is relative to a run beside
    processes that only compute.
    """
    cores = os.cpu_count() or 1
    with computing(cores + 1):
        beside = server.run_ms(idle) / alone_ms
    figures.add(f"x a run alone: beside {cores + 1} processes that compute, on {cores} cores", beside)
    pane = server.phux.new_session("flood", command=FLOOD, log=False).pane
    rates = []
    for number in (0, 1, count):
        with reading(watchers(server, pane, number)):
            rates.append(server.rate_mb(pane, 2 if figures.times else 0.2))
            figures.add(f"MB/s of a flood with {number} watchers", rates[-1])
            figures.add_time(
                f"x a run alone: beside it, with {number} watchers",
                server.run_ms(idle) / alone_ms,
                most=3 if number < 2 else 3 * beside,
            )
    figures.add_time(f"of the flood's speed with one watcher remains with {count}", rates[2] / rates[1], least=0.2)
    pane.kill()


def unterminated_strings(server: Server, figures: Figures, idle: Pane, alone_ms: float) -> None:
    """Measure a pane that never ends a control string, with a watcher."""
    for name, opener in (("OSC", "]0;"), ("DCS", "P"), ("APC", "_")):
        command = [word.format(opener) for word in UNTERMINATED]
        pane = server.phux.new_session(name, command=command, log=False).pane
        without = server.rate_mb(pane)
        with reading(watchers(server, pane, 1)):
            figures.add_time(
                f"of a flood's speed ({without:.0f} MB/s) in {name} remains with a watcher",
                server.rate_mb(pane) / without,
                least=0.3,
            )
            figures.add_time(f"x a run alone: beside it ({name})", server.run_ms(idle) / alone_ms, most=3)
        pane.kill()


def load(share: float, *, times: bool) -> bool:
    """Apply every load, and return True if all figures are within their bounds."""
    figures = Figures(times=times)
    with embedded_server() as private, blocking.Phux(private.socket, timeout_s=60) as phux:
        server = Server(private.socket, phux)
        idle = phux.new_session("idle", command=["bash", "--norc"]).pane
        alone_ms = server.run_ms(idle)
        figures.add("ms for a run alone", alone_ms)

        def apply(scale: float) -> None:
            create_and_kill(server, int(SESSIONS * scale))
            connect_at_once(server, figures, int(CONNECTS * scale))
            many_panes(server, figures, idle, alone_ms, int(PANES * scale), int(CLIENTS * scale))

        apply(min(share, 0.1))  # caches and pools are filled now
        many_watchers(server, figures, idle, alone_ms, max(2, int(WATCHERS * share)))
        if times:
            unterminated_strings(server, figures, idle, alone_ms)
        before = server.used()
        apply(share)
        many_watchers(server, figures, idle, alone_ms, max(2, int(WATCHERS * share)))
        time.sleep(0.5)
        for name, value in server.used().items():
            most = before[name] + (20 if "MiB" in name else 3)
            figures.add(f"{name} (before: {before[name]:.0f})", value, most=most)
        figures.add("restarts of the service", phux.status().service_restarts, most=0)
        figures.add(
            "tracebacks in the server's log", Path(f"{private.socket}.log").read_text().count("Traceback"), most=0
        )
    return not figures.exceeded


def main() -> None:
    """Parse the arguments, and exit with 1 if a bound was exceeded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--leaks-only", action="store_true", help="do not check durations and speeds")
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 2 * CONNECTS)), hard))
    sys.exit(0 if load(options.share, times=not options.leaks_only) else 1)


if __name__ == "__main__":
    main()
