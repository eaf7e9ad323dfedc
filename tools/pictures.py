"""Make the pictures of the front page: attach as docs/pictures/attach.svg, the live view as docs/pictures/web.png.

    .venv/bin/python tools/pictures.py [DIRECTORY]

phux draws both: the first is a screenshot of a pane in which `phux attach` runs, the second one of the live view in
Chromium. Needs vim, and Debian's Chromium; `.ci/run` installs both.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from phux_client.blocking import Pane, Phux, embedded

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
BIN = Path(sys.executable).parent
READY_S = 30
TILE = (66, 15)

CART = """\
from dataclasses import dataclass, field


@dataclass
class Cart:
    prices: list = field(default_factory=list)

    def add(self, price: int, count: int = 1):
        self.prices += [price] * count

    def total(self) -> int:
        return sum(self.prices[1:])
"""
TESTS = """\
from cart import Cart


def test_a_new_cart_costs_nothing():
    assert Cart().total() == 0


def test_all_items_count():
    cart = Cart()
    cart.add(price=300, count=2)
    assert cart.total() == 600
"""
SERVER = """\
import itertools, time
print("\\033[32mready\\033[m on http://127.0.0.1:8000", flush=True)
pages = itertools.cycle(["/", "/cart", "/cart/add", "/static/shop.css", "/checkout"])
for number, page in zip(range(60), pages):
    status = "\\033[33m302\\033[m" if page.endswith("add") else "\\033[32m200\\033[m"
    clock = f"12:0{number // 12}:{number * 5 % 60:02}"
    print(f"\\033[2m{clock}\\033[m GET {page:<17} {status} {number * 7 % 13 + 2} ms", flush=True)
time.sleep(1000)
"""
BUILD = """\
import time
for number in range(1, 15):
    print(f"[{number:>2}/40] compiling shop/{'abcdefghijklmnop'[number]}.c", flush=True)
print("[15/40] \\033[1mlinking\\033[m libshop \\033[36m" + "#" * 12 + "\\033[2m" + "." * 20 + "\\033[m", flush=True)
time.sleep(1000)
"""
RC = """\
PS1='\\[\\e[34m\\]\\W\\[\\e[m\\] $ '
"""


class Demo:
    """A server with a session in which a person and an agent work on a small shop."""

    def __init__(self, phux: Phux, home: Path) -> None:
        self.phux = phux
        self.socket = phux.status().socket
        self.env = {"HOME": str(home), "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self.env["PYTEST_ADDOPTS"] = "--color=yes -p no:cacheprovider -p no:asyncio"
        self.env["PATH"] = f"{BIN}:{os.environ['PATH']}"
        self.directory = str(home / "shop")
        write_project(home)

    def bash(self, session: str, name: str, size: tuple[int, int] = TILE) -> Pane:
        """Create a session with bash at its prompt."""
        return self.phux.new_session(
            session, window_name=name, size=size, cwd=self.directory, env=self.env, command=["bash"]
        ).pane

    def work(self, size: tuple[int, int]) -> None:
        """Fill the session shop: an editor, failing tests and a server, and two windows beside."""
        editor = self.bash("shop", "cart", size)
        tests = editor.split("right", size="56%", env=self.env, command=["bash"])
        serve = tests.split("down", size="40%", env=self.env, command=["bash"])
        editor.send_keys("vim cart.py", "Enter")
        editor.wait(state="fullscreen", timeout_s=READY_S)
        editor.send_keys("12G")
        tests.run("pytest -q --tb=short")
        serve.start("python3 serve.py")
        serve.wait(until="/checkout", timeout_s=READY_S)
        build = self.phux.session("shop").new_window("build", cwd=self.directory, env=self.env, command=["bash"]).pane
        build.start("python3 build.py")
        build.wait(until="linking", timeout_s=READY_S)
        deploy = self.phux.session("shop").new_window("deploy", cwd=self.directory, env=self.env, command=["bash"]).pane
        deploy.start("read -p 'Deploy version 2.4 to production? [y/N] ' answer")
        deploy.wait(state="awaiting_input", timeout_s=READY_S)
        tests.select()


def write_project(home: Path) -> None:
    """Write the demo project and the startup files of its programs."""
    directory = home / "shop"
    directory.mkdir()
    for name, text in {"cart.py": CART, "test_cart.py": TESTS, "serve.py": SERVER, "build.py": BUILD}.items():
        (directory / name).write_text(text, encoding="utf-8")
    (home / ".bashrc").write_text(RC, encoding="utf-8")
    (home / ".vimrc").write_text("syntax on\nset noswapfile laststatus=0 background=dark\n", encoding="utf-8")


def draw_attach(demo: Demo, size: tuple[int, int]) -> str:
    """Return a picture of a terminal in which `phux attach` shows the session."""
    with embedded() as outer:
        command = [str(BIN / "phux"), "attach", "shop", "--force", "--socket", demo.socket]
        pane = outer.new_session("outer", size=size, env=demo.env, command=command).pane
        pane.wait(until="2:deploy", timeout_s=READY_S)
        pane.wait(idle_ms=1000, timeout_s=READY_S)
        return pane.screenshot("svg")


def draw_live_view(demo: Demo, path: Path) -> None:
    """Take a picture of the page of `phux web`."""
    command = [str(BIN / "phux"), "web", "--json", "--bind", "127.0.0.1:0", "--socket", demo.socket]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as web, sync_playwright() as playwright:
        assert web.stdout is not None
        url = json.loads(web.stdout.readline())["control"]
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 690}, color_scheme="dark")
        page.goto(url)
        page.get_by_text("linking").first.wait_for()
        page.wait_for_timeout(2000)  # all tiles are drawn
        page.screenshot(path=path)
        browser.close()
        web.terminate()


def main() -> None:
    """Make both pictures."""
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES
    size = (110, 30)
    with tempfile.TemporaryDirectory(prefix="demo-") as home, embedded() as phux:
        demo = Demo(phux, Path(home))
        demo.work(size)
        (pictures / "attach.svg").write_text(draw_attach(demo, size), encoding="utf-8")
        phux.window("shop:0").resize(size[0], 18)
        phux.window("shop:1").resize(*TILE)
        phux.window("shop:2").resize(*TILE)
        repl = demo.bash("agent", "repl")
        repl.act("python3 -q", "Enter", until=">>>", timeout_s=READY_S)
        repl.act("from cart import Cart; Cart([300, 300]).total()", "Enter", until="300", timeout_s=READY_S)
        secret = demo.bash("release", "sign")
        secret.start("read -s -p 'Passphrase for the release key: ' secret")
        secret.wait(state="awaiting_secret", timeout_s=READY_S)
        draw_live_view(demo, pictures / "web.png")


if __name__ == "__main__":
    main()
