"""Record the terminal output of real programs: ``python tests/support/record.py [NAME ...]``.

Each scenario starts a program on a PTY, with a phux engine that replies to its queries, and types input step by step.
After each step, the recorder waits until the program is quiet. It writes the unchanged output to
tests/contract/recordings/NAME.raw, and the size, the program and the typed input to NAME.json. Programs run in a
temporary home directory. The recorder refuses to write the name of this machine or its user, a path or a date.
"""

from __future__ import annotations

import getpass
import json
import os
import re
import select
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ptyprocess
from scenarios import SCENARIOS, Scenario

from phux_core import engine as engines
from phux_core.engine import protocol
from phux_core.keys import parse_key

FOLDER = Path(__file__).parents[1] / "contract" / "recordings"
QUIET_S = 0.25
PATIENCE_S = 8.0  # a program without output for this long is considered quiet


class _Recorder:
    """A program on a PTY, its terminal, and its output."""

    def __init__(self, scenario: Scenario, home: Path, env: dict[str, str]) -> None:
        self.output = bytearray()
        self._engine = engines.create(engines.choose(None), scenario.cols, scenario.rows)
        self._process = ptyprocess.PtyProcess.spawn(
            scenario.command, cwd=str(home), env=env, dimensions=(scenario.rows, scenario.cols)
        )

    def settle(self) -> bool:
        """Read until the program is quiet, and return True if it is still running."""
        deadline = time.monotonic() + PATIENCE_S
        has_output = False
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self._process.fd], [], [], QUIET_S if has_output else PATIENCE_S)
            if not ready:
                return True
            try:
                data = self._process.read(65_536)
            except EOFError:
                return False
            has_output = True
            self.output += data
            for effect in self._engine.feed(data):
                if isinstance(effect, protocol.Reply):
                    os.write(self._process.fd, effect.data)
        return True

    def type(self, words: list[str]) -> None:
        for word in words:
            key = parse_key(word)
            os.write(self._process.fd, word.encode() if key is None else self._engine.encode_key(key))

    def close(self) -> None:
        self._process.close(force=True)
        self._engine.close()


def record(scenario: Scenario) -> bytes:
    """Run a scenario in a temporary home directory, and return the program's output."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "home"
        home.mkdir()
        for name, text in scenario.files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        env = _environment(home)
        for command in scenario.before:
            subprocess.run(command, cwd=home, env=env, check=True, capture_output=True)
        recorder = _Recorder(scenario, home, env)
        try:
            recorder.settle()
            for words in scenario.steps:
                recorder.type(words)
                if not recorder.settle():
                    break
        finally:
            recorder.close()
        return bytes(recorder.output)


def _environment(home: Path) -> dict[str, str]:
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
        "SHELL": "/bin/sh",
        "TZ": "UTC",
        "LESSHISTFILE": "-",
        "PYTHON_HISTORY": str(home / ".history"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_DATE": "2001-02-03T04:05:06Z",
        "GIT_COMMITTER_DATE": "2001-02-03T04:05:06Z",
    }


def traces(data: bytes) -> list[str]:
    """Return the names of machines or users, the paths and the dates in a recording."""
    text = data.decode("utf-8", "replace")
    months = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
    patterns = (
        r"/(?:home|root|tmp|work|opt|usr|var|etc|Users|mnt)\b[^\s\x1b]*",
        r"\b(?:19|20)\d\d-\d\d-\d\d\b",
        r"\b\d\d:\d\d:\d\d\b",
        rf"\b(?:{months})\w* +\d{{1,2}},? +\d{{4}}\b",
        r"file://[^\s\x07\x1b]+",
        r"\broot\b(?! only\))",  # "root only)" is in the help of htop
    )
    found = [match[0] for pattern in patterns for match in re.finditer(pattern, text)]
    for name in {socket.gethostname(), getpass.getuser()} - {"root"}:
        found += re.findall(rf"\b{re.escape(name)}\b", text)
    return found


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    failed = False
    for name in sys.argv[1:] or SCENARIOS:
        scenario = SCENARIOS[name]
        data = record(scenario)
        if found := traces(data):
            print(f"{name}: refused, it contains {sorted(set(found))}")
            failed = True
            continue
        (FOLDER / f"{name}.raw").write_bytes(data)
        about = {
            "program": scenario.program,
            "cols": scenario.cols,
            "rows": scenario.rows,
            "command": scenario.command,
            "typed": scenario.steps,
        }
        (FOLDER / f"{name}.json").write_text(json.dumps(about, ensure_ascii=False, indent=1) + "\n")
        print(f"{name}: {len(data)} bytes", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
