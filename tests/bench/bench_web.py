"""Measure the live view in Chromium: ``python tests/bench/bench_web.py [--panes N] [--busy N] [--seconds S]``.

The busy panes write a line 50 times a second, or as fast as they can with ``--flood``; they are at the top of the page.
Prints the times between the frames of the browser while the page is watched and while it is scrolled, the time from a
key to its echo in the open pane, and the CPU time of each process and of the page's main thread, which other programs
on the machine affect less. Without a GPU, Chromium draws with the CPU.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from targets import Targets

from phux_client import blocking
from phux_client.embedding import EmbeddedServer
from web_pages import CHROMIUM, web_server

BUSY = "i=0; while :; do i=$((i + 1)); printf '\\033[3%dm%s line %s of the busy pane\\033[m\\n' $((i % 8)) $(date +%s.%N) $i; sleep 0.02; done"
FLOOD = 'i=0; while :; do i=$((i + 1)); echo "line $i of the busy pane"; done'
FRAMES = """(seconds) => new Promise((resolve) => {
    const times = [];
    const step = (now) => {
        times.push(now);
        if (now - times[0] < seconds * 1000) requestAnimationFrame(step);
        else resolve(times.slice(1).map((time, index) => time - times[index]));
    };
    requestAnimationFrame(step);
})"""
SCROLL = """(seconds) => {
    const area = document.getElementById('overview');
    const began = performance.now();
    const step = (now) => {
        area.scrollTop = (Math.sin((now - began) / 3000) / 2 + 0.5) * (area.scrollHeight - area.clientHeight);
        if (now - began < seconds * 1000) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
}"""

ECHO = """(letter) => new Promise((resolve) => {
    const row = document.querySelector('#live .row');
    const before = row.textContent;
    const began = performance.now();
    const watch = new MutationObserver(() => {
        if (row.textContent === before) return;
        watch.disconnect();
        resolve(performance.now() - began);
    });
    watch.observe(document.querySelector('#live'), {childList: true, subtree: true, characterData: true});
    const keys = document.getElementById('keys');
    keys.value = letter;
    keys.dispatchEvent(new InputEvent('input', {data: letter}));
})"""


def cpu_s(pids: list[int]) -> float:
    total = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            continue
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def descendants(pid: int) -> list[int]:
    children = [
        int(child) for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()
    ]
    return [pid, *(one for child in children for one in descendants(child))]


def measure(
    page: Page, seconds: float, parts: dict[str, list[int]], messages: list[object]
) -> tuple[list[float], dict[str, float], float]:
    """Return the times between frames in ms, the share of a core that each part used, and messages per second."""
    messages.clear()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> dict[str, float]:
        metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return {name: cpu_s(pids) for name, pids in parts.items()} | {"its main thread": metrics["TaskDuration"]}

    before = spent()
    began = time.monotonic()
    gaps = page.evaluate(FRAMES, seconds)
    took = time.monotonic() - began
    after = spent()
    session.detach()
    return gaps, {name: (after[name] - before[name]) / took for name in before}, len(messages) / took


def describe(what: str, gaps: list[float], shares: dict[str, float], rate: float) -> None:
    ordered = sorted(gaps)
    parts = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    print(
        f"{what}: median {statistics.median(ordered):.1f} ms, 95% {ordered[int(len(ordered) * 0.95)]:.1f} ms, "
        f"longest {ordered[-1]:.0f} ms, {sum(gap > 50 for gap in gaps)} of {len(gaps)} over 50 ms; "
        f"{rate:.0f} messages/s; CPU: {parts}"
    )


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--panes", type=int, default=200)
    parser.add_argument("--busy", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--flood", action="store_true")
    options = parser.parse_args()
    targets = Targets()
    with EmbeddedServer() as server, web_server(server.socket) as web, blocking.Phux(server.socket) as phux:
        session = phux.new_session("bench", command=["sleep", "100000"])
        for number in range(1, options.panes):
            command = ["sh", "-c", FLOOD if options.flood else BUSY] if number <= options.busy else ["sleep", "100000"]
            session.new_window(command=command)
        service = phux.status().service_pid
        with sync_playwright() as playwright:
            own = set(descendants(os.getpid()))
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1920, "height": 1080})
            messages: list[object] = []
            page.on("websocket", lambda opened: opened.on("framereceived", lambda data: messages.append(data)))  # noqa: PLW0108  it sets attributes of the handler
            page.goto(web.urls["control"])
            page.wait_for_function("n => document.querySelectorAll('.tile').length === n", arg=options.panes)
            page.wait_for_timeout(3000)
            chromium = [pid for pid in descendants(os.getpid()) if pid not in own]
            parts = {"phux web": [web.pid], "service": [service], "Chromium": chromium}
            visible = page.evaluate("[...document.querySelectorAll('.tile .row')].length / 24")
            print(f"{options.panes} panes, {options.busy} busy, {visible:.0f} tiles drawn")
            watched = measure(page, options.seconds, parts, messages)
            describe("watching", *watched)
            page.evaluate(SCROLL, options.seconds)
            describe("scrolling", *measure(page, options.seconds, parts, messages))
            page.evaluate("document.getElementById('overview').scrollTop = 1e6")
            page.wait_for_timeout(1000)
            describe("busy tiles out of view", *measure(page, options.seconds / 2, parts, messages))
            page.goto(f"{page.url.split('#')[0]}#pane-{session.pane.id}")
            page.wait_for_selector("#live .row")
            page.wait_for_timeout(1000)
            echoes = [page.evaluate(ECHO, letter) for letter in "abcdefghijklmnopqrstuvwxyz" * 2]
            print(f"key to echo: median {statistics.median(echoes):.1f} ms, longest {max(echoes):.1f} ms")
            slow = sorted(watched[0])[int(len(watched[0]) * 0.95)]
            print("95% of frames against 50 ms:", targets.check("frames", slow / 50, at_most=1))
            browser.close()
    return targets.finish()


if __name__ == "__main__":
    sys.exit(main())
