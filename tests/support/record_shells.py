"""Record the output of integrated shells, including their marks: ``python tests/support/record_shells.py [NAME ...]``.

Each shell runs on a PTY with an empty home directory. The recorder types the same lines in every shell, each line when
the shell is quiet. The recording, tests/unit/server/shell/streams/NAME.json, is a list of steps that a test can feed to
the shell tracker without a PTY:

- ``["typed", TEXT, ECHO]``: typed input, and whether the terminal echoed it
- ``["output", TEXT]``: the bytes that the shell wrote, as Latin-1
- ``["look", OWN, SHELL, CANONICAL, ECHO, WAITING]``: the foreground when the shell was quiet
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
from pathlib import Path

from nonce_pipe import spawn_with_nonce

from phux_core.engine import create
from phux_core.engine.protocol import Reply
from phux_core.server.kernel import foreground
from phux_core.server.kernel.line_discipline import is_echoed
from phux_core.shells import integrate

FOLDER = Path(__file__).parents[1] / "unit" / "server" / "shell" / "streams"
NONCE = "5ecret"
QUIET_S = 0.6

_FISH = "function fish_prompt; echo -n '$ '; end\nfunction fish_greeting; end\nset -g fish_autosuggestion_enabled 0\n"
_RC = {"bash": (".bashrc", "PS1='$ '\n"), "zsh": (".zshrc", "PS1='$ '\n"), "fish": (".config/fish/config.fish", _FISH)}
ARGV = {
    "bash": ["bash"],
    "zsh": ["zsh"],
    "fish": ["fish"],
    "dash": ["dash"],
    "ksh": ["ksh"],
    "mksh": ["mksh"],
    "busybox": ["busybox", "sh"],
}
LINES = [
    "echo hi\r",
    "sh -c 'exit 7'\r",
    "\r",
    "echo 'a\r",
    "b'\r",
    "printf 'no newline'\r",
    "sleep 1.2\r",
    "cat\r",
    "line\r",
    "\x04",
    "half\x03",
    "sleep 0.3\recho ahead\r",
    "true\r",
]


class _Shell:
    """A shell on a PTY, and the recorded steps."""

    def __init__(self, name: str, home: Path) -> None:
        env = {
            "HOME": str(home),
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "PS1": "$ ",
        }
        if name in _RC:
            path, text = _RC[name]
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(text)
        started = integrate([f"/usr/bin/{ARGV[name][0]}", *ARGV[name][1:]], env)
        assert started is not None
        argv, more = started
        self._kind = name if name in _RC else "posix"
        self._process = spawn_with_nonce(argv, NONCE, cwd="/", env={**env, **more}, dimensions=(24, 80))
        self._engine = create("pyte", 80, 24)
        self.steps: list[list[object]] = []

    def settle(self, quiet_s: float) -> None:
        """Record output until the shell is quiet, then record the foreground."""
        output = b""
        while select.select([self._process.fd], [], [], quiet_s)[0]:
            data = os.read(self._process.fd, 65536)
            output += data
            for effect in self._engine.feed(data):
                if isinstance(effect, Reply):
                    os.write(self._process.fd, effect.data)
        if output:
            output = output.replace(socket.gethostname().encode(), b"host")
            self.steps.append(["output", output.decode("latin-1")])
        now = foreground.look(self._process.fd)
        assert now is not None
        own = now.pgid == self._process.pid
        self.steps.append(["look", own, now.shell, now.canonical, now.echo, now.waiting])

    def type(self, text: str) -> None:
        self.steps.append(["typed", text, is_echoed(self._process.fd)])
        os.write(self._process.fd, text.encode())

    def close(self) -> None:
        self._process.close(force=True)
        self._engine.close()


def record(name: str) -> list[list[object]]:
    """Type all lines in a shell, and return the steps."""
    with tempfile.TemporaryDirectory() as home:
        shell = _Shell(name, Path(home))
        try:
            time.sleep(1.0)  # the shell reads its rc files
            shell.settle(QUIET_S)
            for line in LINES:
                shell.type(line)
                shell.settle(1.5 if "\r" in line[:-1] else QUIET_S)
                if "sleep 1.2" in line:
                    shell.settle(1.5)
        finally:
            shell.close()
        assert home not in json.dumps(shell.steps)
        return shell.steps


def main() -> None:
    # A background job ignores SIGINT, and the shells would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or ARGV:
        steps = record(name)
        (FOLDER / f"{name}.json").write_text("[\n" + ",\n".join(map(json.dumps, steps)) + "\n]\n")
        print(f"{name}: {len(steps)} steps", flush=True)


if __name__ == "__main__":
    main()
