"""The loads of kills.py: each actor uses the server in one way, and compares every result with what it must be."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import re
import shlex
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from writer import stream

from outers import attached
from phux_client import blocking, connection
from phux_client.flows import log_reading
from phux_core import errors
from servers import eventually

if TYPE_CHECKING:
    from phux_client import WindowInfo

PATIENCE_S = 900
"""How long any call may take, while the service is killed every few seconds on a busy machine."""
# Usually, clients give up after seven seconds without a ready service, and reads of logs after ten.
connection._LONGEST_RESTART_S = log_reading.READ_S = PATIENCE_S
WRITER = [sys.executable, "-I", "-S", str(Path(__file__).with_name("writer.py"))]
FILL = (b"\xc1", b"\xf9")
"""The fill of journals: a byte that equals it may be lost, as phux_core/keeper/journal.py explains."""


class ViolationError(Exception):
    """A promise was broken."""


def check(holds: object, *details: object) -> None:
    """Raise ViolationError with the details unless the promise holds."""
    if not holds:
        raise ViolationError(" ".join(str(detail) for detail in details)[:2000])


class Actor(threading.Thread):
    """A thread that repeats ``step`` until it is stopped, and then calls ``finish``.

    Attributes:
        counts: What was checked, and how often.
        failure: The exception that ended the thread.
    """

    def __init__(self, socket: str, seed: int) -> None:
        super().__init__(name=f"{type(self).__name__} {seed}", daemon=True)
        self.socket = socket
        self.rng = random.Random(self.name)
        self.counts: Counter[str] = Counter()
        self.failure: BaseException | None = None
        self.stopping = threading.Event()
        self.directory = Path(tempfile.mkdtemp(prefix="soak-", dir=os.path.dirname(socket)))

    def run(self) -> None:
        """Repeat the step."""
        try:
            with blocking.Phux(self.socket, timeout_s=PATIENCE_S) as self.phux, contextlib.ExitStack() as self.stack:
                self.begin()
                for self.number in itertools.count():
                    if self.stopping.is_set():
                        break
                    self.step()
                self.phux.status()  # connect to the last service
                self.finish()
        except BaseException as error:  # noqa: BLE001  reported at the end
            self.failure = error

    def begin(self) -> None:
        """Open the panes."""

    def step(self) -> None:
        """Do and check one thing."""
        raise NotImplementedError

    def finish(self) -> None:
        """Check what can only be checked at the end."""

    def environment(self) -> dict[str, str]:
        """Return the environment of shells, which must not read the developer's startup files."""
        (self.directory / ".zshrc").touch()
        return {**os.environ, "HOME": str(self.directory), "ZDOTDIR": str(self.directory), "PS1": "$ "}

    def log_directory(self, pane: int) -> Path:
        """Return the directory of a pane's log."""
        (found,) = Path(self.socket).parent.glob(f"state/**/pane-{pane}")
        return found


class Flood(Actor):
    """Programs that write a known stream of up to 4 MB, and readers of their logs."""

    kind = "text"

    def step(self) -> None:
        """Let one program write its stream, and compare the log and the exit status."""
        seed, size = self.rng.randrange(10**6), self.rng.randrange(1, 4_000_000)
        expected = stream(self.kind, seed, size)
        pane = self.phux.new_session(None, command=[*WRITER, self.kind, str(seed), str(size), "0.2"]).pane
        while True:
            try:
                pane.wait(exit=True, timeout_s=self.rng.uniform(0, 1))
                break
            except errors.TimedOutError:
                self.read(pane, expected)
            except errors.NoSuchTargetError:  # it ended a minute ago, and was removed
                break
        directory = self.log_directory(pane.id)
        # The end of the log is written before its metadata.
        ended = eventually(lambda: self.metadata(directory), within_s=PATIENCE_S)
        logged = b"".join(path.read_bytes() for path in sorted(directory.glob("*.log")))
        self.compare(logged, expected)
        check(ended["exit_status"] == seed % 100, self.name, "exit status", ended)
        self.counts["MB compared in logs"] += len(expected) / 1e6
        self.counts["exit statuses"] += 1
        with contextlib.suppress(errors.NoSuchTargetError):
            pane.kill()
            self.counts["kill"] += 1

    def compare(self, logged: bytes, expected: bytes) -> None:
        """Compare a log with what was written."""
        pairs = enumerate(zip(logged, expected, strict=False))
        at = next((at for at, (one, other) in pairs if one != other), min(len(logged), len(expected)))
        if self.kind == "bytes" and expected[at : at + 1] in FILL and len(logged) < len(expected):
            self.counts["bytes lost that equal the fill of the journal"] += 1
            self.compare(logged, expected[:at] + expected[at + 1 :])
            return
        wanted, got = expected[at - 20 : at + 40], logged[at - 20 : at + 40]
        check(
            logged == expected, self.name, len(logged), "of", len(expected), f"bytes; at {at}: {got!r}, not {wanted!r}"
        )

    def read(self, pane: blocking.Pane, expected: bytes) -> None:
        """Compare a random part of the log with the stream."""
        try:
            part = pane.logs(mode="raw", from_byte=self.rng.randrange(len(expected)), max_bytes=100_000)
        except (errors.BadRequestError, errors.NoSuchTargetError):  # after the end
            return
        content = part.content.encode(errors="surrogateescape")
        is_same = expected[part.first_byte : part.next_byte] == content
        check(is_same or self.kind == "bytes", self.name, "log read", part.first_byte)
        check(not part.holes, self.name, part.holes)
        self.counts["log reads"] += 1

    @staticmethod
    def metadata(directory: Path) -> dict[str, object] | None:
        """Return the metadata of a log, or None while its program runs."""
        found: dict[str, object] = json.loads((directory / "meta.json").read_text())
        return found if found.get("ended_at") is not None else None


class NulFlood(Flood):
    """Floods with runs of NUL bytes."""

    kind = "nul"


class ByteFlood(Flood):
    """Floods of random bytes."""

    kind = "bytes"


class Runs(Actor):
    """Commands with known results; a file shows how often each was executed."""

    program = "bash"

    def begin(self) -> None:
        """Open the shell."""
        self.pane = self.phux.new_session(self.name, command=[self.program], env=self.environment()).pane
        self.file = self.directory / "executed"

    def step(self) -> None:
        """Run a short, a long or a printing command, or start one."""
        code = self.rng.randrange(200)
        work, output = self.rng.choice(
            (
                (f"echo done {self.number}", f"done {self.number}"),
                (f"echo a; sleep {self.rng.uniform(0, 2):.2f}; echo {self.number}", f"a\n{self.number}"),
                ("seq 1 9000", "\n".join(map(str, range(1, 9001)))),
            )
        )
        command = f"echo {self.number} >>{shlex.quote(str(self.file))}; {work}; sh -c 'exit {code}'"
        if self.rng.random() < 0.7:
            result = self.pane.run(command, timeout_s=PATIENCE_S)
            got = (result.exit_known, result.exit_code, result.output, result.interleaved)
            check(got == (True, code, output, False), self.name, command, "returned", got)
            self.counts["runs"] += 1
        else:
            started = self.pane.start(command)
            ended = self.phux.wait_command(started.command_id, timeout_s=PATIENCE_S)
            check((ended.state, ended.exit_code) == ("finished", code), self.name, command, "ended as", ended)
            text = self.pane.output(started.command_id).content
            check(text == output, self.name, command, "wrote", text)
            self.pane.wait(state="prompt", timeout_s=PATIENCE_S)
            self.counts["starts"] += 1

    def finish(self) -> None:
        """Compare the executed commands and the ledger with the commands that were run."""
        executed = self.file.read_text().split() if self.file.exists() else []
        check(executed == [str(number) for number in range(self.number)], self.name, "executed", executed)
        ledger = [entry.state for entry in self.pane.commands()]
        check(ledger == ["finished"] * min(self.number, 1000), self.name, "ledger", Counter(ledger))


class ZshRuns(Runs):
    """Commands with known results in zsh."""

    program = "zsh"


class DashRuns(Runs):
    """Commands with known results in a POSIX shell."""

    program = "dash"


class Waits(Actor):
    """Waits for text, which a program writes when this actor writes to its FIFO, and for states."""

    def begin(self) -> None:
        """Start the program."""
        self.fifo = self.directory / "fifo"
        os.mkfifo(self.fifo)
        loop = f'exec 3<>{shlex.quote(str(self.fifo))}; while read -r text <&3; do printf "$text"; done'
        self.pane = self.phux.new_session(self.name, command=["sh", "-c", loop]).pane
        self.since = 0
        self.bash = self.pane.split(command=["bash"], env=self.environment())

    def step(self) -> None:
        """Wait for a text, or for the end of a command."""
        if self.rng.random() < 0.5:
            text = f"text {self.number}."
            erase = self.rng.choice(("\\n", "\\r\\033[K", "\\n\\033[2J"))
            teller = threading.Timer(self.rng.uniform(0, 1.5), lambda: self.fifo.write_text(f"{text}{erase}\n"))
            teller.start()
            # Without `since`, a text that is erased before the wait has reached a service does not count.
            since = self.since if "033" in erase else None
            waited = self.pane.wait(until=text, since=since, timeout_s=PATIENCE_S)
            teller.join()
            self.since = waited.met_seq
            check(waited.met_line == text, self.name, "met", waited.met_line)
            self.counts["waits for text"] += 1
            return
        file = self.directory / f"{self.number}"
        self.bash.start(f"sleep {self.rng.uniform(0, 1.5):.2f}; >{shlex.quote(str(file))}")
        self.bash.wait(state="prompt", timeout_s=PATIENCE_S)
        check(file.exists(), self.name, "the prompt was reported while the command ran")
        self.counts["waits for a state"] += 1


class Watches(Actor):
    """A watch of a pane's text, which must have every line."""

    def begin(self) -> None:
        """Start a program that writes a numbered line every few milliseconds."""
        count = "i=0; while :; do echo line $i.; i=$((i + 1)); sleep 0.02; done"
        self.pane = self.phux.new_session(self.name, command=["sh", "-c", count]).pane
        self.events = self.stack.enter_context(self.pane.watch(output=True, since=0))
        self.seen = -1

    def step(self) -> None:
        """Take an event, and check that its lines continue the earlier ones."""
        event = self.events.next(timeout_s=PATIENCE_S)
        if event.event == "dropped":
            self.counts["watches continued"] += 1
        elif event.event == "output":
            check(not event.gap, self.name, "has a gap after line", self.seen)
            for line in event.text:
                found = re.fullmatch(r"line (\d+)\.", line)
                # If a line was unfinished in one event, the next event repeats it with the added text.
                if found and int(found[1]) != self.seen:
                    check(int(found[1]) == self.seen + 1, self.name, f"{line!r} follows line {self.seen}")
                    self.seen += 1
                    self.counts["lines watched"] += 1


class Follows(Actor):
    """A log that is followed, which must have every line once."""

    def begin(self) -> None:
        """Start a program that writes a numbered line every few milliseconds."""
        count = "i=0; while :; do echo line $i.; i=$((i + 1)); sleep 0.02; done"
        pane = self.phux.new_session(self.name, command=["sh", "-c", count]).pane
        self.following = pane.follow(from_byte=0)
        self.seen = 0

    def step(self) -> None:
        """Take a part, and check that it continues the earlier ones."""
        part = self.following.next(timeout_s=PATIENCE_S)
        lines = part.content.splitlines()
        expected = [f"line {number}." for number in range(self.seen, self.seen + len(lines))]
        check(lines == expected and not part.holes, self.name, "after line", self.seen, "follows", lines, part.holes)
        self.seen += len(lines)
        self.counts["lines followed"] += len(lines)


class Splits(Actor):
    """Windows and panes that are created, arranged and killed; the tree must be as this actor expects."""

    def begin(self) -> None:
        """Create the session."""
        self.session = self.phux.new_session(self.name, command=["sleep", "100000"], size=(200, 60))
        self.expected = {self.session.pane.id}

    def step(self) -> None:
        """Create, kill or arrange, and compare the tree."""
        pane = self.phux.pane(self.rng.choice(sorted(self.expected)))
        action = self.rng.choice(("split", "window", "kill", "resize", "zoom", "layout"))
        if action in {"split", "window"} and len(self.expected) < 6:
            create = self.session.new_window if action == "window" else pane.split
            try:
                created = create(command=["sleep", "100000"])
            except errors.RefusedError:
                return
            place = created.panes()[0] if action == "window" else created
            self.expected.add(place.id)
            self.counts["panes created"] += 1
        elif action == "kill" and len(self.expected) > 1:
            self.expected.discard(pane.id)
            pane.kill()
            self.counts["kill"] += 1
        elif action == "resize":
            self.session.windows()[0].resize(self.rng.randrange(150, 250), self.rng.randrange(50, 80))
        elif action == "zoom":
            window = self.window_of(pane.id)
            pane.zoom()
            toggled = len(window.panes) > 1 and window.zoomed != pane.id
            check((self.window_of(pane.id).zoomed == pane.id) is toggled, self.name, "zoom was not toggled once")
            self.counts["zoom"] += 1
        check(self.panes() == self.expected, self.name, "panes", self.panes(), "expected", self.expected)
        self.counts["trees compared"] += 1
        time.sleep(self.rng.uniform(0, 0.3))

    def panes(self) -> set[int]:
        """Return the ids of the session's panes."""
        return {pane.id for window in self.windows() for pane in window.panes}

    def windows(self) -> list[WindowInfo]:
        """Return the session's windows."""
        (session,) = self.phux.tree(self.session.name).sessions
        return session.windows

    def window_of(self, pane: int) -> WindowInfo:
        """Return the window of a pane."""
        return next(window for window in self.windows() if any(each.id == pane for each in window.panes))


class Typing(Actor):
    """Lines typed into ``cat``: each is written at most once, and exactly once if the call succeeded."""

    def begin(self) -> None:
        """Start cat."""
        self.file = self.directory / "typed"
        self.file.touch()
        command = ["sh", "-c", f"stty -echo; exec cat >{shlex.quote(str(self.file))}"]
        self.pane = self.phux.new_session(self.name, command=command).pane
        self.pane.wait(state=["awaiting_input", "awaiting_secret"], timeout_s=PATIENCE_S)
        self.confirmed: set[int] = set()

    def step(self) -> None:
        """Type a line."""
        try:
            self.pane.send_keys(f"line {self.number}", "Enter")
            self.confirmed.add(self.number)
        except errors.DisconnectedError:  # the service died in the moment in which it typed
            self.counts["send_keys: unknown"] += 1
        time.sleep(self.rng.uniform(0, 0.2))

    def finish(self) -> None:
        """Compare the file with the lines."""
        self.pane.send_keys("C-d")
        self.pane.wait(exit=True, timeout_s=PATIENCE_S)
        numbers = [int(line.removeprefix("line ")) for line in self.file.read_text().splitlines()]
        check(numbers == sorted(set(numbers)), self.name, "repeated or out of order", numbers)
        check(self.confirmed <= set(numbers), self.name, "lost", sorted(self.confirmed - set(numbers)))
        self.counts["typed, and reported as disconnected"] += len(set(numbers) - self.confirmed)


class Attached(Actor):
    """Lines typed at an attached terminal: each is written at most once, and exactly once if the terminal showed it."""

    def begin(self) -> None:
        """Attach to cat."""
        self.file = self.directory / "typed"
        self.file.touch()
        command = ["sh", "-c", f"exec cat >{shlex.quote(str(self.file))}"]
        self.pane = self.phux.new_session("attached", command=command).pane
        self.outer = self.stack.enter_context(attached(self.socket, "attached"))
        self.outer.until(lambda: any("attached" in line for line in self.outer.screen()), within_s=PATIENCE_S)
        self.shown: set[int] = set()

    def step(self) -> None:
        """Type a line and wait for its echo; keys typed during a restart are discarded."""
        check(not self.outer.ended, self.name, "attach has ended:", self.outer.screen())
        self.outer.type(f"key {self.number}.\r")
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline and self.number not in self.shown:
            self.outer.pump(0.02)
            if any(line.strip() == f"key {self.number}." for line in self.outer.screen()):
                self.shown.add(self.number)
        self.counts["lines typed in attach" if self.number in self.shown else "lines not shown in attach"] += 1

    def finish(self) -> None:
        """Compare the file with the lines, and the terminal with the server's screen."""
        seen: list[list[str]] = []

        def agree() -> bool:
            seen[:] = [list(self.pane.snapshot().lines), [line.rstrip() for line in self.outer.screen()]]
            return seen[1][: len(seen[0])] == seen[0]

        with contextlib.suppress(AssertionError):
            eventually(agree, within_s=20)
        check(agree(), self.name, "the screens differ:", *seen)
        self.phux.pane(self.pane.id).send_keys("C-d")
        self.pane.wait(exit=True, timeout_s=PATIENCE_S)
        lines = self.file.read_text().splitlines()
        numbers = [int(re.fullmatch(r"key (\d+)\.", line)[1]) for line in lines]
        check(numbers == sorted(set(numbers)), self.name, "repeated or out of order", numbers)
        check(self.shown <= set(numbers), self.name, "lost", sorted(self.shown - set(numbers)))


ALL: tuple[type[Actor], ...] = (
    *(Flood, NulFlood, ByteFlood, Runs, ZshRuns, DashRuns),
    *(Waits, Watches, Follows, Splits, Typing, Attached),
)
