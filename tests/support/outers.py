"""Terminals to run `phux attach` in: an emulated one in this process, a pane of tmux, a pane of another server."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import time
from typing import TYPE_CHECKING, Any, Self

import ptyprocess

from phux_client.blocking import Phux
from phux_client.tui.canvas import cells_of, fit
from phux_core import engine as engines
from phux_core.engine.protocol import Reply
from phux_core.layout import arrange
from servers import BIN, clean_environment, embedded_server, eventually

if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from pathlib import Path

PHUX = str(BIN / "phux")


class OwnTerminal:
    """A PTY with one of phux's engines: fast, and every byte can be inspected."""

    def __init__(
        self, argv: list[str], env: dict[str, str], size: tuple[int, int] = (80, 24), *, engine: str = "ghostty"
    ) -> None:
        self.size = size
        self.engine = engines.create(engine, *size)
        self.raw = b""
        self.ended = False
        self._process = ptyprocess.PtyProcess.spawn(argv, env=env, dimensions=size[::-1])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_args: object) -> None:
        # Most programs end when the terminal is closed. PtyProcess.close would sleep for a tenth of a second.
        self._process.fileobj.close()
        with contextlib.suppress(AssertionError):
            eventually(lambda: not self._process.isalive(), within_s=1)
        self._process.delayafterclose = 0
        self._process.close(force=True)
        self.engine.close()

    @property
    def pid(self) -> int:
        """The process id of the program."""
        return int(self._process.pid)

    def pump(self, seconds: float = 0.0) -> bytes:
        """Feed output to the engine for some seconds, and then while more is available; return the output."""
        taken = b""
        deadline = time.monotonic() + seconds
        while not self.ended and select.select([self._process.fd], [], [], max(0.0, deadline - time.monotonic()))[0]:
            try:
                data = os.read(self._process.fd, 65536)
            except OSError:
                data = b""
            if not data:
                self.ended = True
                break
            taken += data
            for effect in self.engine.feed(data):
                if isinstance(effect, Reply):
                    os.write(self._process.fd, effect.data)
        self.raw += taken
        return taken

    def type(self, data: bytes | str) -> None:
        """Type bytes."""
        os.write(self._process.fd, data.encode() if isinstance(data, str) else data)

    def type_all(self, data: bytes) -> None:
        """Type more bytes than a terminal accepts at once, and read the output in between."""
        while data:
            if select.select([], [self._process.fd], [], 0.05)[1]:
                data = data[os.write(self._process.fd, data[:1024]) :]
            self.pump()

    def screen(self) -> list[str]:
        """Return the rows of the screen."""
        self.pump()
        return self.engine.lines(0, self.engine.rows).text

    def resize(self, cols: int, rows: int) -> None:
        """Change the size."""
        self.size = (cols, rows)
        self.engine.resize(cols, rows)
        self._process.setwinsize(rows, cols)

    def until(self, probe: Callable[[], Any], within_s: float = 10) -> Any:
        """Read output until the probe returns a true value, and return that value."""
        deadline = time.monotonic() + within_s
        while True:
            found = probe()
            if found:
                return found
            assert time.monotonic() < deadline, "\n".join([f"no result within {within_s} s; screen:", *self.screen()])
            self.pump(0.02)

    def shows(self, text: str, within_s: float = 10) -> None:
        """Wait until the screen shows the text."""
        self.until(lambda: any(text in line for line in self.screen()), within_s)

    def quiet(self) -> bytes:
        """Wait until there is no output for 0.15 seconds, and return the output read until then."""
        taken = b""
        while (more := self.pump(0.15)) and not self.ended:
            taken += more
        return taken

    def wait(self) -> int:
        """Wait for the program to end, and return its exit code, or the negative number of its signal."""
        self.until(lambda: self.ended or not self._process.isalive())
        self.pump(0.05)
        code = self._process.wait()
        return -self._process.signalstatus if self._process.signalstatus else int(code)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the program."""
        os.kill(self.pid, number)


def patient(directory: Path) -> dict[str, str]:
    """Return variables with which attach lets keys wait long for the service, because a restart takes long under load."""
    (directory / "sitecustomize.py").write_text(
        "from phux_client.tui import conversation\nconversation._LOOK_S = 30.0\n"
    )
    return {"PYTHONPATH": str(directory)}


class TmuxTerminal:
    """A pane of a private tmux server."""

    def __init__(self, home: Path, line: str, env: dict[str, str], size: tuple[int, int] = (80, 24)) -> None:
        self._env = env
        self._base = ["tmux", "-S", str(home / "tmux.sock"), "-f", "/dev/null"]
        self._run("new-session", "-d", "-x", str(size[0]), "-y", str(size[1]), line)
        self._run("set-option", "-g", "status", "off")
        self._run("set-option", "-g", "escape-time", "0")
        self._run("resize-window", "-x", str(size[0]), "-y", str(size[1]))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_args: object) -> None:
        with contextlib.suppress(subprocess.CalledProcessError):
            self._run("kill-server")

    def _run(self, *words: str) -> str:
        return subprocess.run(
            [*self._base, *words], env=self._env, capture_output=True, check=True, timeout=20
        ).stdout.decode()

    def keys(self, *names: str) -> None:
        """Press keys, given by names that tmux and phux share."""
        self._run("send-keys", *names)

    def screen(self) -> list[str]:
        """Return the rows of the screen."""
        return [line.rstrip() for line in self._run("capture-pane", "-p").split("\n")[:-1]]

    def cursor(self) -> tuple[int, int]:
        """Return the column and row of the cursor."""
        x, y = self._run("display-message", "-p", "#{cursor_x} #{cursor_y}").split()
        return int(x), int(y)

    def resize(self, cols: int, rows: int) -> None:
        """Change the size."""
        self._run("resize-window", "-x", str(cols), "-y", str(rows))


class PhuxTerminal:
    """A pane of another phux server."""

    def __init__(self, _home: Path, line: str, env: dict[str, str], size: tuple[int, int] = (80, 24)) -> None:
        self._server = embedded_server("ghostty")
        self._phux = Phux(self._server.socket)
        inner = {name: env[name] for name in ("PHUX_SOCKET", "PS1", "ENV", "SHELL")}
        # With PHUX_PANE, attach would refuse to run inside a pane.
        words = ["sh", "-c", f"export PHUX_SOCKET='{inner.pop('PHUX_SOCKET')}'; unset PHUX_PANE; {line}"]
        self._pane = self._phux.new_session("outer", command=words, size=size, env=inner).pane

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_args: object) -> None:
        self._phux.close()
        self._server.close()

    def keys(self, *names: str) -> None:
        """Press keys."""
        self._pane.send_keys(*names)

    def screen(self) -> list[str]:
        """Return the rows of the screen."""
        return list(self._pane.snapshot().lines)

    def cursor(self) -> tuple[int, int]:
        """Return the column and row of the cursor."""
        cursor = self._pane.snapshot().cursor
        return cursor.x, cursor.y

    def resize(self, cols: int, rows: int) -> None:
        """Change the size."""
        self._pane.resize(cols, rows)


def expected(phux: Phux, session: str, size: tuple[int, int]) -> list[str]:
    """Return the rows, without the status line, that an attached terminal of this size must show for a session."""
    from phux_client import flows

    tree = phux.drive(flows.tree())
    (found,) = [one for one in tree["sessions"] if one["name"] == session]
    (window,) = [one for one in found["windows"] if one["active"]]
    arranged = arrange(window["layout"], window["cols"], window["rows"], window["zoomed"])
    rows = [[("·", "")] * size[0] for _ in range(size[1])]
    for divider in arranged.dividers:
        for y in range(divider.rect.y, divider.rect.y + divider.rect.rows):
            for x in range(divider.rect.x, divider.rect.x + divider.rect.cols):
                rows[y][x] = ("│", "")
    for pane, place in arranged.panes.items():
        lines = phux.drive(flows.snapshot(phux.caller, pane))["lines"]
        for y in range(place.rows):
            rows[place.y + y][place.x : place.x + place.cols] = fit(cells_of(lines[y]), place.cols)
    return [_plain("".join(glyph for glyph, _style in row)) for row in rows]


def _plain(line: str) -> str:
    """Return a row with every line-drawing character replaced by the same one."""
    return line.translate(dict.fromkeys(map(ord, "─├┤┬┴┼┌┐└┘"), "│")).rstrip()


def agree(
    outer: Any, phux: Phux, session: str, size: tuple[int, int], *, status: bool = True, within_s: float = 10
) -> None:
    """Wait until the outer terminal shows the screens of the session's panes."""
    area = (size[0], size[1] - status)
    seen: list[list[str]] = []

    def same() -> bool:
        seen[:] = [expected(phux, session, area), [_plain(line) for line in outer.screen()][: area[1]]]
        return seen[0] == seen[1]

    try:
        eventually(same, within_s=within_s)
    except AssertionError:
        wanted, got = seen
        raise AssertionError("\n".join(["inner:", *wanted, "outer:", *got])) from None


def environment(socket: str, **more: str) -> dict[str, str]:
    """Return the environment of a client."""
    return {**clean_environment(), "PHUX_SOCKET": socket, "TERM": "xterm-256color", "LANG": "C.UTF-8", **more}


def attached(
    socket: str, *words: str, size: tuple[int, int] = (80, 24), engine: str = "ghostty", **env: str
) -> OwnTerminal:
    """Start `phux attach` in an emulated terminal."""
    return OwnTerminal([PHUX, "attach", *words], environment(socket, **env), size, engine=engine)
