"""Foreground inspection: the reported state of programs that run on real PTYs."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sys
import termios
import threading
import time

import ptyprocess
import pytest

from phux_core.keeper import witness
from phux_core.server.kernel import foreground
from phux_core.server.kernel.foreground import look
from phux_core.server.kernel.shell_kind import shell_kind

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux reports the system call of a process")

PYTHON = [sys.executable, "-S", "-E", "-c"]
DEADLINE_S = 20.0
# How long a state must last to be accepted; longer than any pause of a program between two system calls.
STEADY_S = 0.05


class Terminal:
    """A program on a PTY whose output is discarded."""

    def __init__(self, argv, **options):
        if shutil.which(argv[0]) is None:
            pytest.skip(f"{argv[0]} is not installed")
        self.process = ptyprocess.PtyProcess.spawn(argv, **options)
        self.fd = self.process.fd
        self.pid = self.process.pid
        self._reader = threading.Thread(target=self._drain, daemon=True)
        self._reader.start()

    def _drain(self):
        with contextlib.suppress(OSError):
            while data := os.read(self.fd, 65536):
                if b"\x1b[c" in data or b"\x1b[0c" in data:  # fish waits for the reply to this query
                    os.write(self.fd, b"\x1b[?62;22c")

    def type(self, text):
        os.write(self.fd, text.encode())

    def until(self, wanted):
        """Inspect the foreground until the predicate holds for STEADY_S, and return the last result."""
        end = time.monotonic() + DEADLINE_S
        since = None
        while True:
            now = time.monotonic()
            seen = look(self.fd)
            if seen is not None and wanted(seen):
                since = since or now
                if now - since >= STEADY_S:
                    return seen
            else:
                since = None
                assert now < end, f"timed out, last result: {seen}"
            time.sleep(0.003)

    def close(self):
        for entry in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                if os.getsid(int(entry)) == self.pid:
                    os.kill(int(entry), signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self._reader.join(DEADLINE_S)
        self.process.closed = True  # otherwise, ptyprocess would wait for the process and kill it again
        self.process.fileobj.close()


@pytest.fixture
def start(tmp_path):
    terminals = []
    environ = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    environ |= {"TERM": "xterm-256color", "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}

    def start_one(*argv, **options):
        options.setdefault("env", environ)
        terminals.append(Terminal(list(argv), **options))
        return terminals[-1]

    yield start_one
    for terminal in terminals:
        terminal.close()


@pytest.fixture
def tracing_denied(monkeypatch):
    """Deny tracing, as Yama does for a process that is not a descendant."""
    monkeypatch.setattr(witness, "read_call", fails_with(PermissionError))


def fails_with(error):
    def fail(*_args):
        raise error

    return fail


@pytest.fixture(params=["traced", "untraced"])
def tracing(request):
    """Run the test with and without permission to trace."""
    if request.param == "untraced":
        request.getfixturevalue("tracing_denied")
    return request.param


def is_waiting(seen):
    return seen.waiting is True


def is_not_waiting(seen):
    return seen.waiting is False


# Shells


@pytest.mark.parametrize(
    ("argv", "name", "shell", "canonical"),
    [
        (["bash", "--norc", "--noprofile"], "bash", "bash", False),
        (["dash"], "dash", "posix", True),
        (["zsh", "-f"], "zsh", "zsh", False),
        (["fish", "--no-config"], "fish", "fish", False),
        (["busybox", "sh"], "busybox", "posix", False),
        (["ksh"], "ksh", "posix", False),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_shell_at_its_prompt_is_waiting(start, tmp_path, tracing, argv, name, shell, canonical):
    terminal = start(*argv, cwd=str(tmp_path))
    seen = terminal.until(lambda seen: is_waiting(seen) and seen.canonical is canonical)
    assert seen.pgid == seen.pid == terminal.pid
    assert (seen.name, seen.shell) == (name, shell)
    assert seen.cwd == str(tmp_path)
    assert seen.same_root
    assert seen.echo is canonical


def test_a_command_is_in_the_foreground_until_it_ends(start):
    terminal = start("bash", "--norc", "--noprofile")
    terminal.until(is_waiting)
    terminal.type("cd / && sleep 60\n")
    seen = terminal.until(lambda seen: seen.name == "sleep")
    assert seen.waiting is False
    assert seen.shell is None
    assert seen.pgid != terminal.pid
    assert seen.cwd == "/"
    os.killpg(seen.pgid, signal.SIGINT)
    seen = terminal.until(lambda seen: is_waiting(seen) and seen.pid == terminal.pid)
    assert (seen.shell, seen.cwd) == ("bash", "/")


def test_a_nested_shell_is_reported_as_a_shell_and_a_script_is_not(start, tmp_path):
    script = tmp_path / "ask"
    script.write_text("#!/bin/bash\nread -r answer\n")
    script.chmod(0o755)
    terminal = start("bash", "--norc", "--noprofile")
    terminal.until(is_waiting)
    terminal.type("zsh -f\n" if shutil.which("zsh") else "dash\n")
    inner = terminal.until(lambda seen: is_waiting(seen) and seen.pid != terminal.pid)
    assert inner.shell in {"zsh", "posix"}
    terminal.type(f"{script}\n")
    seen = terminal.until(lambda seen: is_waiting(seen) and seen.pid not in {terminal.pid, inner.pid})
    assert (seen.name, seen.shell, seen.canonical, seen.echo) == ("bash", None, True, True)


def test_a_shell_that_reads_commands_from_a_file_is_not_reported_as_a_shell(start, tmp_path):
    (tmp_path / "commands").write_text("cat /dev/tty\n:\n")
    terminal = start("sh", "-c", f"exec bash <{tmp_path}/commands")
    seen = terminal.until(lambda seen: is_waiting(seen) and seen.name == "bash")
    assert seen.shell is None


# Programs that wait for input, and programs that do not


def test_cat_is_waiting(start, tracing):
    seen = start("cat").until(is_waiting)
    assert (seen.name, seen.canonical, seen.echo, seen.shell) == ("cat", True, True, None)


def test_a_program_that_reads_a_line_is_waiting(start, tracing):
    seen = start(*PYTHON, "input('name? ')").until(is_waiting)
    assert seen.canonical
    assert seen.name == os.path.basename(sys.executable)


def test_a_password_prompt_is_waiting_without_echo(start, tracing):
    seen = start(*PYTHON, "import getpass; getpass.getpass()").until(lambda seen: is_waiting(seen) and not seen.echo)
    assert seen.canonical


def test_a_silent_read_in_bash_is_waiting_without_echo(start):
    seen = start("bash", "-c", "read -r -s answer").until(lambda seen: is_waiting(seen) and not seen.echo)
    assert (seen.canonical, seen.shell) == (True, None)


def test_a_script_that_reads_after_stty_disables_echo_is_waiting_without_echo(start, tracing):
    seen = start("sh", "-c", "stty -echo; read -r answer").until(lambda seen: is_waiting(seen) and not seen.echo)
    assert (seen.canonical, seen.name, seen.shell) == (True, "sh", None)


@pytest.mark.parametrize(
    "argv",
    [
        (*PYTHON, "import select; p = select.poll(); p.register(0, select.POLLIN); p.poll()"),
        (*PYTHON, "import select; select.select([0], [], [])"),
        (*PYTHON, "import select; select.select([0], [], [], 60)"),
        ("bash", "-c", "read -t 60 answer"),
        ("busybox", "sh", "-c", "read answer"),
    ],
    ids=["poll", "select", "select with timeout", "bash", "busybox"],
)
def test_a_program_that_polls_a_canonical_terminal_is_waiting(start, argv):
    if shutil.which(argv[0]) is None:
        pytest.skip(f"{argv[0]} is not installed")
    seen = start(*argv).until(is_waiting)
    assert (seen.canonical, seen.echo) == (True, True)


@pytest.mark.parametrize(
    "code",
    [
        "p = select.poll(); p.register(0, select.POLLIN); p.register(s, select.POLLIN); p.poll()",
        "p = select.poll(); p.register(0, select.POLLPRI); p.poll()",
        "p = select.poll(); [p.register(os.dup(s.fileno()), 1) for _ in range(40)]; p.register(0, 1); p.poll()",
        "select.select([0, s], [], [])",
        "select.select([], [], [0])",
        "select.select([], [], [], 60)",
    ],
)
def test_a_program_that_polls_other_descriptors_or_other_events_is_not_waiting(start, code):
    setup = "import os, select, socket; s = socket.create_server(('127.0.0.1', 0)); "
    start(*PYTHON, setup + code).until(lambda seen: is_not_waiting(seen) and _asleep(seen.pid))


@pytest.mark.parametrize(
    ("fds", "verdict"), [("[r]", is_not_waiting), ("[0, r]", is_waiting)], ids=["pipe", "terminal and pipe"]
)
def test_fish_is_waiting_only_if_it_polls_the_terminal(start, fds, verdict):
    code = "import os, select, tty; tty.setraw(0); open('/proc/self/comm', 'w').write('fish'); r = os.pipe()[0]; "
    wait = f"select.select({fds}, [], [])"
    start(*PYTHON, code + wait).until(lambda seen: verdict(seen) and not seen.canonical and _asleep(seen.pid))


def test_sleep_is_not_waiting(start, tracing):
    seen = start("sleep", "60").until(is_not_waiting)
    assert (seen.name, seen.shell) == ("sleep", None)


@pytest.mark.parametrize(
    "argv", [["vim", "-u", "NONE", "-i", "NONE"], ["less", "/etc/passwd"]], ids=lambda argv: argv[0]
)
def test_full_screen_programs_are_waiting(start, tracing, argv):
    seen = start(*argv).until(lambda seen: is_waiting(seen) and not seen.canonical)
    assert seen.name == argv[0]


def test_a_repl_is_waiting_before_and_after_a_statement_runs(start):
    terminal = start(sys.executable, "-E", "-q")
    terminal.until(is_waiting)
    terminal.type("import time; time.sleep(60)\r")
    terminal.until(is_not_waiting)
    terminal.type("\x03")
    assert terminal.until(is_waiting).shell is None


EPOLL = "import os, select, socket, threading, tty; tty.setraw(0); p = select.epoll(); "


@pytest.mark.parametrize(
    "code",
    [
        "p.register(0, select.EPOLLIN); p.poll()",
        "p.register(os.open('/dev/tty', os.O_RDWR), select.EPOLLIN); p.poll()",
        "p.register(0, select.EPOLLIN); q = select.epoll(); q.register(p, select.EPOLLIN); q.poll()",
        "p.register(0, select.EPOLLIN); threading.Thread(target=p.poll).start(); threading.Event().wait()",
    ],
    ids=["standard input", "opened again", "nested epoll", "in a thread"],
)
def test_a_program_that_polls_the_terminal_with_epoll_is_waiting(start, code):
    start(*PYTHON, EPOLL + code).until(lambda seen: is_waiting(seen) and not seen.canonical)


def test_a_thread_that_polls_a_pipe_with_epoll_is_not_waiting(start):
    code = "p.register(os.pipe()[0]); threading.Thread(target=p.poll).start(); threading.Event().wait()"
    start(*PYTHON, EPOLL + code).until(
        lambda seen: is_not_waiting(seen) and not seen.canonical and _threads(seen.pid) > 1
    )


def _threads(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def test_a_process_group_is_waiting_if_a_member_other_than_its_leader_is_waiting(start):
    if shutil.which("fzf") is None:
        pytest.skip("fzf is not installed")
    terminal = start("sh", "-c", "ls / | fzf; true")
    seen = terminal.until(lambda seen: is_waiting(seen) and not seen.canonical)
    assert (seen.pid, seen.name, seen.shell) == (terminal.pid, "sh", None)


CONNECTED = (
    "import os, select, socket; s = socket.create_server(('127.0.0.1', 0)); "
    "c = socket.create_connection(s.getsockname()); k = s.accept(); "
)


@pytest.mark.parametrize(
    "code",
    [
        "s.accept()",
        "p = select.poll(); p.register(s); p.poll()",
        "p = select.epoll(); p.register(s.fileno()); p.poll()",
        "select.select([s], [], [])",
    ],
    ids=["accept", "poll", "epoll", "select"],
)
def test_a_network_server_is_not_waiting_for_input(start, tracing, code):
    start(*PYTHON, CONNECTED + code).until(lambda seen: is_not_waiting(seen) and _asleep(seen.pid))


@pytest.mark.parametrize("code", ["c.recv(1)", "os.read(c.fileno(), 1)"])
def test_a_program_that_reads_from_a_connection_is_not_waiting_for_input(start, code):
    start(*PYTHON, CONNECTED + code).until(lambda seen: is_not_waiting(seen) and _asleep(seen.pid))


def _asleep(pid):
    with open(f"/proc/{pid}/wchan", encoding="ascii") as file:
        return re.match("inet_csk_accept|wait_woken|poll_schedule|do_epoll_wait|ep_poll", file.read())


def test_a_pipeline_is_waiting_if_one_of_its_processes_is_waiting(start):
    terminal = start("bash", "--norc", "--noprofile")
    terminal.until(is_waiting)
    terminal.type("sleep 60 | cat\n")
    seen = terminal.until(lambda seen: seen.name == "sleep" and is_not_waiting(seen))
    os.killpg(seen.pgid, signal.SIGINT)
    terminal.until(lambda seen: is_waiting(seen) and seen.pid == terminal.pid)
    # The waiting process is a sibling of the group leader, not its child.
    terminal.type("sleep 60 | head -n 1 </dev/tty\n")
    seen = terminal.until(lambda seen: seen.name == "sleep" and is_waiting(seen))
    assert seen.pgid == seen.pid


def test_a_script_is_waiting_if_a_process_of_its_pipeline_is_waiting(start):
    terminal = start("sh", "-c", "sleep 60 | cat")
    assert terminal.until(is_not_waiting).name == "sh"
    terminal = start("sh", "-c", "sh -c 'cat; true' | sort; true")
    assert terminal.until(is_waiting).name == "sh"


def test_another_group_member_is_reported_after_the_leader_has_ended(start, tracing):
    terminal = start("bash", "--norc", "--noprofile")
    terminal.until(is_waiting)
    terminal.type("true | cat /dev/tty\n")
    seen = terminal.until(lambda seen: seen.name == "cat" and is_waiting(seen))
    assert seen.pid != seen.pgid
    assert seen.shell is None


def test_a_group_member_adopted_by_init_is_found(start, tmp_path):
    # The group leader, which is the parent of the reading process, ends, so init adopts the reader. The first
    # process puts the group in the foreground and does not wait for the reader.
    code = f"""import os, time
import signal; signal.signal(signal.SIGTTOU, signal.SIG_IGN)
leader = os.fork()
if leader == 0:
    os.setpgid(0, 0)
    if os.fork() == 0:
        open({str(tmp_path / "reader")!r}, "w").write(str(os.getpid()))
        while os.tcgetpgrp(0) != os.getpgrp():
            time.sleep(0.01)
        os.read(0, 1)
    os._exit(0)
os.waitid(os.P_PID, leader, os.WEXITED | os.WNOWAIT)
os.tcsetpgrp(0, leader)
os.waitpid(leader, 0)
time.sleep(60)
"""
    terminal = start(*PYTHON, code)
    seen = terminal.until(lambda seen: is_waiting(seen) and seen.pid not in {seen.pgid, terminal.pid})
    assert seen.pid == int((tmp_path / "reader").read_text())


def test_a_script_that_starts_to_read_without_output_becomes_waiting(start):
    terminal = start("sh", "-c", "sleep 0.5; read -r answer")
    terminal.until(is_not_waiting)
    terminal.until(is_waiting)


def test_a_program_that_reads_dev_tty_with_redirected_stdin_is_waiting(start, tracing):
    seen = start("sh", "-c", "exec cat /dev/tty </dev/null").until(is_waiting)
    assert seen.name == "cat"


def test_a_program_that_reads_a_fifo_is_not_waiting(start, tmp_path, tracing):
    os.mkfifo(tmp_path / "fifo")
    terminal = start("sh", "-c", f"exec cat <>{tmp_path}/fifo")
    assert terminal.until(lambda seen: is_not_waiting(seen) and seen.name == "cat").shell is None


def test_a_program_is_waiting_if_one_of_its_threads_is_waiting(start, tracing):
    code = "import threading, os, time; threading.Thread(target=os.read, args=(0, 1)).start(); time.sleep(60)"
    start(*PYTHON, code).until(is_waiting)


def test_a_child_process_that_polls_a_pipe_is_not_waiting(start):
    # The child polls its pipe while the terminal is raw; only its stdout and stderr are the terminal.
    helper = "import select; p = select.poll(); p.register(0, select.POLLIN); p.poll()"
    code = f"import os, subprocess, time, tty; tty.setraw(0); subprocess.Popen([*{PYTHON!r}, {helper!r}], stdin=subprocess.PIPE); time.sleep(60)"
    start(*PYTHON, code).until(lambda seen: is_not_waiting(seen) and not seen.canonical)


def test_a_program_is_waiting_again_when_its_poll_resumes_after_sigstop(start):
    code = "import select, tty; tty.setraw(0); p = select.poll(); p.register(0, select.POLLIN); p.poll(60000)"
    terminal = start(*PYTHON, code)
    terminal.until(lambda seen: is_waiting(seen) and not seen.canonical)
    os.kill(terminal.pid, signal.SIGSTOP)
    terminal.until(is_not_waiting)
    os.kill(terminal.pid, signal.SIGCONT)
    terminal.until(is_waiting)  # the program is in restart_syscall now


def test_a_program_that_uses_the_cpu_is_not_waiting(start):
    start(*PYTHON, "while True: pass").until(is_not_waiting)


# Missing permissions and missing kernel features


@pytest.mark.usefixtures("tracing_denied")
def test_the_state_of_an_inaccessible_process_is_derived_from_the_terminal_modes(start, monkeypatch):
    read = foreground._read
    monkeypatch.setattr(foreground, "_read", lambda path: b"0" if path.endswith("/wchan") else read(path))
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: not path.startswith("/proc/") and access(path, mode))
    start(*PYTHON, "import getpass; getpass.getpass()").until(lambda seen: is_waiting(seen) and not seen.echo)
    start("cat").until(is_not_waiting)
    start("bash", "--norc", "--noprofile").until(lambda seen: is_waiting(seen) and not seen.canonical)


def test_waiting_is_none_if_the_system_does_not_report_sleeps(start, monkeypatch):
    monkeypatch.setattr(foreground, "_reports_sleeps", lambda: False)
    terminal = start("cat")
    seen = terminal.until(lambda seen: seen.name == "cat")
    assert (seen.waiting, seen.pid) == (None, terminal.pid)


def test_without_proc_the_given_name_and_shell_are_reported_and_waiting_is_none(start, monkeypatch):
    shell, script = start("bash", "--norc", "--noprofile"), start("bash", "-c", "cat; true")
    shell.until(lambda seen: not seen.canonical)
    script.until(is_waiting)
    monkeypatch.setattr(foreground.procfs, "is_usable", lambda: False)
    seen = look(shell.fd, "bash", "bash")
    assert (seen.pid, seen.name, seen.shell, seen.waiting) == (shell.pid, "bash", "bash", None)
    assert look(script.fd, "bash", None).shell is None


def test_without_proc_a_command_in_the_foreground_is_not_reported_as_a_shell(start, monkeypatch):
    shell = start("bash", "--norc", "--noprofile", "-i")
    shell.until(lambda seen: not seen.canonical)
    os.write(shell.fd, b"stty -echo; cat\n")
    command = shell.until(lambda seen: seen.name == "cat" and not seen.echo)
    monkeypatch.setattr(foreground.procfs, "is_usable", lambda: False)
    seen = look(shell.fd, "bash", "bash")
    assert (seen.pgid, seen.shell, seen.waiting) == (command.pgid, None, None)
    assert (seen.canonical, seen.echo) == (True, False)


# Processes, terminals and files that disappear


def test_look_returns_none_after_the_program_has_ended(start):
    terminal = start("true")
    os.waitpid(terminal.pid, 0)
    assert look(terminal.fd) is None


def test_look_returns_none_for_a_pipe_and_for_a_closed_descriptor():
    reader, writer = os.pipe()
    os.close(writer)
    assert look(reader) is None
    os.close(reader)
    assert look(reader) is None


def test_look_returns_none_if_the_terminal_closes_during_the_call(start, monkeypatch):
    terminal = start("cat")
    terminal.until(is_waiting)

    def fail(fd):
        raise termios.error(5, "Input/output error")

    monkeypatch.setattr(foreground.termios, "tcgetattr", fail)
    assert look(terminal.fd) is None


def test_look_does_not_fail_while_processes_start_and_end(start):
    terminal = start("bash", "--norc", "--noprofile", "-c", "while :; do true | (true; /bin/true) | true; done")
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        seen = look(terminal.fd)
        assert seen is None or seen.waiting is False


@pytest.mark.parametrize("file", ["stat", "syscall", "wchan", "cmdline", "children"])
@pytest.mark.parametrize("error", [FileNotFoundError, ProcessLookupError, PermissionError])
def test_look_does_not_fail_if_a_proc_file_is_unreadable(start, monkeypatch, file, error):
    terminal = start("sh", "-c", "cat; true")
    terminal.until(is_waiting)
    read, fail = foreground._read, fails_with(error)
    if file == "syscall":
        monkeypatch.setattr(witness, "read_call", fail)
    monkeypatch.setattr(foreground, "_read", lambda path: fail() if path.endswith("/" + file) else read(path))
    seen = look(terminal.fd)
    assert (seen is None) is (file == "stat")


def test_cwd_is_none_if_the_directory_was_removed(start, tmp_path):
    (tmp_path / "gone").mkdir()
    terminal = start("cat", cwd=str(tmp_path / "gone"))
    terminal.until(is_waiting)
    (tmp_path / "gone").rmdir()
    assert look(terminal.fd).cwd is None


# Names and command lines


@pytest.mark.parametrize(
    ("argv0", "name"),
    [("-bash", "bash"), ("/opt/x/tool", "tool"), ("nginx: master process", "cat"), ("\x1b[31mred", "cat"), ("", "cat")],
)
def test_the_name_is_the_base_name_of_argv0_or_else_the_fallback(argv0, name):
    assert foreground._name([argv0], "cat") == name


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("bash", "bash"),
        ("-bash", "bash"),
        ("bash -i", "bash"),
        ("bash -l", "bash"),
        ("bash -login", "bash"),
        ("bash --rcfile /tmp/x", "bash"),
        ("bash --rcfile /tmp/x -i", "bash"),
        ("bash -o vi -O extglob", "bash"),
        ("bash +o posix", "bash"),
        ("bash -s one two", "bash"),
        ("bash script.sh", None),
        ("bash -x script.sh", None),
        ("bash -eo pipefail script.sh", None),
        ("bash --rcfile /tmp/x script.sh", None),
        ("bash -- script.sh", None),
        ("bash -c ls", None),
        ("bash -lc ls", None),
        ("bash -ic ls", None),
        ("zsh -il", "zsh"),
        ("zsh -o vi", "zsh"),
        ("zsh -ovi", "zsh"),
        ("zsh --emulate sh", "zsh"),
        ("zsh -f script", None),
        ("zsh -fc ls", None),
        ("fish --init-command ls", "fish"),
        ("fish --init-command=ls", "fish"),
        ("fish -C ls -l", "fish"),
        ("fish -Cls", "fish"),
        ("fish -c ls", None),
        ("fish --command=ls", None),
        ("fish --command ls", None),
        ("fish script.fish", None),
        ("dash -i", "posix"),
        ("ksh93", "posix"),
        ("zsh-5.9 -i", "zsh"),
        ("sh -c ls", None),
        ("sh script", None),
        ("busybox sh", "posix"),
        ("busybox ash -l", "posix"),
        ("busybox sh script", None),
        ("busybox vi", None),
        ("busybox", None),
        ("python3 -i", None),
    ],
)
def test_the_shell_kind_depends_on_the_command_line(line, kind):
    argv = line.split()
    assert shell_kind(argv[0].removeprefix("-"), argv) == kind


@pytest.mark.parametrize(("argv0", "kind"), [("-sh", "posix"), ("/bin/ash", "posix"), ("vi", None)])
def test_the_shell_kind_of_busybox_depends_on_argv0(argv0, kind):
    assert shell_kind("busybox", [argv0]) == kind


def test_the_shell_kind_is_none_without_arguments():
    assert shell_kind("bash", []) is None
