"""Real shells on real PTYs, their output read through an engine."""

from __future__ import annotations

import os
import select
import shutil
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest
from nonce_pipe import spawn_with_nonce

from phux_core.engine import create
from phux_core.engine.protocol import CwdChanged, Mark, PrivateOsc, Reply
from phux_core.shells import integrate

NONCE = "5ecret-NONCE_0"
DEADLINE_S = 20  # a limit for broken code on a busy machine; no test waits that long

RC = {"bash": ".bashrc", "zsh": ".zshrc", "fish": ".config/fish/config.fish"}

# The start of every rc file; a test appends its own lines.
BASE = {
    "bash": "PS1='$ '\nHISTCONTROL=\n",
    "zsh": "PS1='$ '\nHISTFILE=~/.zsh_history HISTSIZE=100 SAVEHIST=100\n",
    "fish": (
        "function fish_prompt; echo -n '$ '; end\nfunction fish_greeting; end\nset -g fish_autosuggestion_enabled 0\n"
    ),
}


class Terminal:
    """A shell in a terminal of 80 columns and 24 rows.

    ``marks`` lists everything the shell has reported so far: standard marks such as ``"133;C"``, our marks such as
    ``"C;echo a"``, and directories such as ``"cwd /tmp"``. Consecutive B marks are recorded once, because redrawing a
    prompt repeats them. ``numbers`` has the numbers of all our marks of each kind. bash counts its commands: ``numbered`` has
    its marks as ``("D", exit status, count)``, and ``marks`` has them without the count.
    """

    def __init__(self, argv, env, home, *, integrated=True, nonce=NONCE):
        env = {"HOME": str(home), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LANG": "C.UTF-8", **env}
        if integrated:
            started = integrate(argv, env)
            assert started is not None
            argv, more = started
            env = {**env, **more}
        self.home = home
        self.process = spawn_with_nonce(argv, nonce, cwd=str(home), env=env, dimensions=(24, 80))
        self.engine = create("pyte", 80, 24)
        self.marks = []
        self.numbered = []
        self.numbers = {}
        self.data = b""
        self.is_bash = Path(argv[0]).name == "bash"
        self.ended = False

    def type(self, text):
        os.write(self.process.fd, text.encode())

    def read(self, deadline, waiting_for):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self.process.fd], [], [], left)[0]:
            pytest.fail(f"waited for {waiting_for}\nmarks: {self.marks}\nscreen:\n" + "\n".join(self.screen()))
        try:
            data = os.read(self.process.fd, 65536)
        except OSError:
            data = b""
        if not data:
            self.ended = True
            return
        self.data += data
        for effect in self.engine.feed(data):
            match effect:
                case Reply(data=data):
                    os.write(self.process.fd, data)
                case CwdChanged(cwd=cwd):
                    self.note(f"cwd {cwd}")
                case Mark(kind=kind, exit_code=code, options=options):
                    # The marks that fish 4 sends by itself have options.
                    self.note(f"133;{kind}" + ("" if code is None else f";{code}") + (options and f" {options}"))
                case PrivateOsc(data=data):
                    nonce, _, rest = data.decode().partition(";")
                    if nonce == NONCE:
                        number, _, rest = rest.partition(";")
                        count = sum(map(int, number.split("+"))) if number else None
                        self.numbers.setdefault(rest.partition(";")[0], []).append(count)
                        self.note(self.without_count(rest) if self.is_bash else rest)
                    else:
                        self.note(f"foreign {nonce};{rest}")
                case _:
                    pass

    def without_count(self, mark):
        """Record the count in a bash mark, and return the mark without it."""
        kind, *arguments = mark.split(";")
        if kind == "D":
            status, number = arguments
            self.numbered.append(("D", int(status), int(number)))
            return f"D;{status}"
        if kind == "B":
            _editor, status, number = arguments
            self.numbered.append(("B", int(status) if status else None, int(number)))
            return "B"
        return mark

    def note(self, mark):
        if mark == "B" and self.marks[-3:-1] == ["133;B", "B"] and self.marks[-1] == "133;B":
            del self.marks[-1]
        else:
            self.marks.append(mark)

    def wait(self, condition, what):
        """Read until ``condition()`` is true."""
        deadline = time.monotonic() + DEADLINE_S
        while not condition():
            if self.ended:
                pytest.fail(f"the shell ended, waited for {what}\nscreen:\n" + "\n".join(self.screen()))
            self.read(deadline, what)

    def wait_for_prompt(self):
        """Read until the shell shows its first prompt, and return all marks."""
        return self.since(0)

    def wait_for_editor(self):
        """Read until the shell has set the terminal mode of its line editor, which it does after its prompt."""
        deadline = time.monotonic() + DEADLINE_S
        while termios.tcgetattr(self.process.fd)[3] & termios.ICANON:
            if select.select([self.process.fd], [], [], 0.001)[0]:
                self.read(deadline, "the line editor")
            assert time.monotonic() < deadline

    def since(self, start):
        def ready():
            new = self.marks[start:]
            return "A" in new and any(mark.partition(";")[0] == "B" for mark in new[new.index("A") :])

        self.wait(ready, "a prompt")
        new = self.marks[start:]
        # A shell may redraw its prompt when the first key is typed.
        if new[:2] == ["133;B", "B"]:
            del new[:2]
        return new

    def line(self, text, end="\r"):
        """Type a line, and return the marks up to the next prompt."""
        start = len(self.marks)
        self.type(text + end)
        return self.since(start)

    def interrupt(self, again_s, done=None):
        """Type C-c until ``done()`` is true, by default until a new prompt, and return the marks since the first C-c.

        Every shell here sometimes ignores a C-c that arrives while it draws a line (bash once in several hundred times,
        fish nearly always). So wait until drawing ends, and type C-c again after ``again_s`` seconds without output.
        """
        while select.select([self.process.fd], [], [], 0.05)[0]:
            self.read(time.monotonic() + DEADLINE_S, "silence")
        start = len(self.marks)
        self.type("\x03")
        while not (done() if done else "A" in self.marks[start:]):
            if select.select([self.process.fd], [], [], again_s)[0]:
                self.read(time.monotonic() + DEADLINE_S, "a prompt")
            else:
                self.type("\x03")
        return self.marks[start:] if done else self.since(start)

    def typed(self, text):
        """Type text, and wait until the cursor is after its last line."""
        self.type(text)
        wanted = text.removesuffix("\x1b[201~").removeprefix("\x1b[200~").split("\n")[-1]

        def shown():
            cursor = self.engine.cursor()
            return self.engine.lines(cursor.y, 1).text[0].ljust(cursor.x)[: cursor.x].endswith(wanted)

        self.wait(shown, f"{wanted!r} on the screen")

    def shows(self, row):
        """Wait until the last row equals ``row``, or until the predicate ``row`` returns True for the last row."""
        self.wait(lambda: row(self.screen()[-1]) if callable(row) else self.screen()[-1] == row, f"{row!r}")

    def wait_for_end(self):
        deadline = time.monotonic() + DEADLINE_S
        while not self.ended:
            self.read(deadline, "the end of the shell")

    def exit(self):
        self.type("exit\r")
        self.wait_for_end()

    def screen(self):
        lines = self.engine.lines(-self.engine.history_rows, self.engine.history_rows + self.engine.rows).text
        while lines and not lines[-1]:
            del lines[-1]
        return lines

    def output(self, command):
        """Run a command with its output redirected to a file, and return the content of the file."""
        path = self.home / "output"
        self.line(f"{command} > {path}")
        return path.read_text()

    def close(self):
        # PtyProcess.close sleeps for 0.1 s.
        if not self.process.closed:
            self.process.fileobj.close()
            self.process.closed = True
            if self.process.exitstatus is None and self.process.signalstatus is None:
                os.kill(self.process.pid, signal.SIGKILL)
                os.waitpid(self.process.pid, 0)


class Shells:
    """Start shells of one kind, each with its own home directory."""

    def __init__(self, name, tmp_path):
        self.name = name
        self.path = shutil.which(name)
        self.tmp_path = tmp_path
        self.running = []

    def start(self, rc="", *args, env=None, files=None, integrated=True, base=True, wait=True):
        """Start a shell whose rc file ends with ``rc``, and wait for its prompt."""
        home = self.tmp_path / f"home{len(self.running)}"
        for name, text in {RC[self.name]: (BASE[self.name] if base else "") + rc, **(files or {})}.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        terminal = Terminal([self.path, *args], env or {}, home, integrated=integrated)
        self.running.append(terminal)
        if integrated and wait:
            terminal.wait_for_prompt()
        return terminal

    def interrupt(self, terminal, done=None):
        return terminal.interrupt(0.2 if self.name == "fish" else 3, done)

    def ran(self, command, code, shown=None):
        """Return the marks of a command line that was executed."""
        escaped = command if shown is None else shown
        reported = "" if self.name == "bash" else escaped
        end = ["E"] if self.name == "zsh" else []
        return ["133;C", f"C;{reported}", *end, f"D;{code}", f"133;D;{code}", *self.prompt]

    def ran_nothing(self, code):
        """Return the marks of a line that executed nothing."""
        return [f"D;{code}", *self.prompt]

    prompt = ("133;A", "A", "133;B", "B")

    def close(self):
        for terminal in self.running:
            terminal.close()


def shells(name, tmp_path):
    """Yield shells of one kind, or skip the test if that kind is not available; for use in fixtures."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")
    if name == "fish":
        version = subprocess.run(["fish", "--version"], capture_output=True, text=True, check=True).stdout
        if int(version.rpartition(" ")[2].partition(".")[0]) >= 4:
            pytest.skip("fish 4 sends the standard marks itself; these tests are for older versions")
    kind = Shells(name, tmp_path)
    yield kind
    kind.close()


@pytest.fixture(params=["bash", "zsh", "fish"])
def shell(request, tmp_path):
    yield from shells(request.param, tmp_path)


POSIX_ARGV = {"dash": ["dash"], "ksh": ["ksh"], "mksh": ["mksh"], "busybox": ["busybox", "sh"]}
POSIX_EDITOR = {"dash": "none", "ksh": "breaks", "mksh": "edits", "busybox": "wraps"}


class PosixShells:
    """Start POSIX shells of one kind, all with the same home directory."""

    nonce = NONCE

    def __init__(self, name, home):
        self.name = name
        self.argv = [shutil.which(POSIX_ARGV[name][0]), *POSIX_ARGV[name][1:]]
        self.home = home
        self.running = []

    def start(self, env_file=None, *, integrated=True, **env):
        """Start a shell and wait for its prompt; ``env_file`` is the content of the user's ENV file."""
        if env_file is not None:
            (self.home / "env").write_text(env_file)
            env["ENV"] = "$HOME/env"  # the shell expands it
        terminal = Terminal(self.argv, {"PS1": "$ ", **env}, self.home, integrated=integrated)
        self.running.append(terminal)
        if integrated:
            terminal.wait_for_prompt()
        else:
            terminal.wait(lambda: terminal.screen()[-1:] in (["$"], ["#"]), "a prompt")
        if POSIX_EDITOR[self.name] != "none":
            terminal.wait_for_editor()
        return terminal

    def prompt(self, code, number):
        """Return the marks of a prompt."""
        return [f"D;{code};{number}", "A", f"B;{POSIX_EDITOR[self.name]}"]


@pytest.fixture(params=POSIX_ARGV)
def posix_shell(request, tmp_path):
    if shutil.which(POSIX_ARGV[request.param][0]) is None:
        pytest.skip(f"{request.param} is not installed")
    kind = PosixShells(request.param, tmp_path)
    yield kind
    for terminal in kind.running:
        terminal.close()


@pytest.fixture
def bash(tmp_path):
    yield from shells("bash", tmp_path)


@pytest.fixture
def zsh(tmp_path):
    yield from shells("zsh", tmp_path)


@pytest.fixture
def fish(tmp_path):
    yield from shells("fish", tmp_path)


@pytest.fixture
def scripts():
    import phux_core.shells

    return Path(phux_core.shells.__file__).parent
