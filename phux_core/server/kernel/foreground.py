"""Report the foreground program of a terminal, and whether it waits for input.

Reads the pty master's settings and /proc, but never the output; starts nothing and keeps no state. Any process may
vanish between two reads; one that cannot be read counts as gone. Without a usable /proc (see ``phux_core.procfs``),
only the terminal's modes and its foreground process group are known.

The system call in which a process sleeps shows whether it waits for input. Reading it requires permission to trace the
process, which Yama only grants to ancestors (Ubuntu's default). Otherwise the name of the kernel function it sleeps in
is used, which requires less.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import struct
import termios
from typing import TYPE_CHECKING, NamedTuple

from phux_core import procfs
from phux_core.server.kernel.shell_kind import kind_of_name, shell_kind
from phux_core.server.kernel.syscall import READS, RESTART, WAITS, polled, read_call

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# ioctl_tty(2); missing in Python, and the same on both supported architectures.
_TIOCGPTN = 0x80045430
_SLAVE_MAJOR = 136  # Documentation/admin-guide/devices.txt: Unix98 pty slaves
_DEV_TTY = os.makedev(5, 0)  # refers to the process's controlling terminal

_PF_FORKNOEXEC = 0x40  # include/linux/sched.h: forked, but has not called exec

# A build may have hundreds of foreground processes; the one that waits for input is near the top.
_MOST_MEMBERS = 64
_MOST_THREADS, _MOST_FDS, _LONGEST_NAME = 64, 64, 32

# The kernel functions in which they sleep: wait_woken since 3.19, n_tty_read before. TCP sockets share wait_woken.
_READ_SLEEPS = (b"wait_woken", b"n_tty_read")
_POLL_SLEEPS = (b"poll_schedule_timeout", b"do_select", b"do_poll", b"ep_poll", b"do_epoll_wait", b"io_cqring_wait")


class Foreground(NamedTuple):
    """The foreground of a terminal at one moment."""

    pgid: int
    """The foreground process group."""
    pid: int
    """The group's leader if alive, else the member that waits for the terminal, else any member."""
    name: str
    """The display name of that process: the last part of argv[0], or the kernel's name for it."""
    cwd: str | None
    shell: str | None
    """The kind of interactive shell: "bash", "zsh", "fish" or "posix"; None for other programs and scripts."""
    same_root: bool
    """Whether it certainly sees the same files as phux, as the same user."""
    canonical: bool
    """Whether the terminal edits lines (ICANON); programs with their own editor turn that off."""
    echo: bool
    waiting: bool | None
    """Whether a member of the group waits for the terminal's input; None if unknown."""


class _Process(NamedTuple):
    pid: int
    comm: str
    state: str
    parent: int
    pgid: int
    session: int
    threads: int
    forked: bool  # without exec: a part of its parent's command


class _Terminal(NamedTuple):
    device: int
    canonical: bool
    echo: bool

    def is_at(self, path: str) -> bool:
        """Return whether a descriptor, given as a path in /proc, is this terminal."""
        try:
            return os.stat(path).st_rdev in {self.device, _DEV_TTY}
        except FileNotFoundError:
            return False


def look(master: int, first_name: str = "", first_shell: str | None = None) -> Foreground | None:
    """Return the foreground of a terminal.

    Args:
        first_name: The name of the terminal's first program, for systems that do not report names.
        first_shell: The kind of interactive shell it is, if any.

    Returns:
        None if there is no foreground process group or no member is left.
    """
    try:
        pgid = os.tcgetpgrp(master)
        modes = termios.tcgetattr(master)[3]
        if pgid <= 0:
            return None
        canonical, echo = bool(modes & termios.ICANON), bool(modes & termios.ECHO)
        with contextlib.suppress(PermissionError):
            os.killpg(pgid, 0)  # fails if no member is left
        if not procfs.is_usable():
            return _look_without_proc(pgid, first_name, first_shell, canonical=canonical, echo=echo)
        (number,) = struct.unpack("I", fcntl.ioctl(master, _TIOCGPTN, bytes(4)))
        terminal = _Terminal(os.makedev(_SLAVE_MAJOR, number), canonical, echo)
        leader = _process(pgid)
        if leader is not None and (leader.pgid != pgid or leader.state in "ZX"):
            leader = None
        chosen = leader
        waiting: bool | None = False if _reports_sleeps() else None
        members = _descendants(leader) if leader is not None else _scan(pgid)
        for member in members:
            chosen = chosen or member
            if waiting is None:
                break
            if _waits(member, terminal):
                waiting = True
                chosen = leader or member
                break
    except (OSError, termios.error):  # the terminal is gone
        return None
    if chosen is None:
        return None
    pid, argv = chosen.pid, _argv(chosen.pid)
    name = _name(argv, chosen.comm)
    shell = _shell(chosen, argv, terminal) if pid == pgid else None
    return Foreground(pgid, pid, name, working_directory(pid), shell, _same_root(pid), canonical, echo, waiting)


# Reading /proc


def _read(path: str) -> bytes:
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(fd, 4096)
    finally:
        os.close(fd)


@functools.cache
def _reports_sleeps() -> bool:
    return os.path.exists("/proc/self/wchan")  # missing in gVisor, for example


def _process(pid: int) -> _Process | None:
    try:
        line = _read(f"/proc/{pid}/stat")
    except OSError:
        return None
    # proc_pid_stat(5). The name may contain spaces and parentheses.
    start, end = line.find(b"(") + 1, line.rfind(b")")
    fields = line[end + 2 :].split(None, 18)
    if end < 0 or len(fields) < 19:
        return None
    comm = line[start:end].decode("utf-8", "replace")
    state, parent, pgid, session = chr(fields[0][0]), int(fields[1]), int(fields[2]), int(fields[3])
    return _Process(pid, comm, state, parent, pgid, session, int(fields[17]), bool(int(fields[6]) & _PF_FORKNOEXEC))


def _threads(process: _Process) -> Iterable[int]:
    if process.threads <= 1:
        return (process.pid,)
    try:
        return [int(tid) for tid in os.listdir(f"/proc/{process.pid}/task")[:_MOST_THREADS]]
    except OSError:
        return ()


# The members of the group


def _children(process: _Process) -> list[int]:
    pids: list[int] = []  # a very long list is truncated, even within a number; callers check each one's group
    for tid in _threads(process):
        try:
            pids += map(int, _read(f"/proc/{process.pid}/task/{tid}/children").split())
        except OSError:
            continue
    return pids


def _is_member(pid: int, pgid: int) -> bool:
    try:
        return os.getpgid(pid) == pgid
    except OSError:
        return False


def _descendants(leader: _Process) -> Iterator[_Process]:
    """Yield the leader, its descendants and then its siblings: a shell starts the parts of a pipeline as siblings."""
    seen = {leader.pid}
    queue = [leader]
    parent: _Process | None = None
    if leader.session != leader.pgid:  # else its parent is the keeper, whose other children are unrelated
        parent = _process(leader.parent)
    while queue:
        process = queue.pop(0)
        yield process
        queue += _new_members(_children(process), leader.pgid, seen)
        if not queue and parent is not None:
            if parent.session == leader.session:  # else it was adopted
                queue += _new_members(_children(parent), leader.pgid, seen)
            parent = None


def _new_members(pids: list[int], pgid: int, seen: set[int]) -> Iterator[_Process]:
    for pid in pids:
        if len(seen) >= _MOST_MEMBERS:
            return
        if pid not in seen and _is_member(pid, pgid):
            seen.add(pid)
            process = _process(pid)
            if process is not None:
                yield process


def _scan(pgid: int) -> Iterator[_Process]:
    for entry in os.listdir("/proc"):
        if entry.isdigit() and _is_member(int(entry), pgid):
            process = _process(int(entry))
            if process is not None and process.state not in "ZX":
                yield process


# How processes wait


def _waits(process: _Process, terminal: _Terminal) -> bool:
    if process.state in "TtZX":  # a stopped process still shows the call in which it was stopped
        return False
    try:
        # fish's other threads do not wait for a line.
        tids = (process.pid,) if process.comm == "fish" else _threads(process)
        return any(_thread_waits(process, tid, terminal) for tid in tids)
    except OSError:
        return False


def _thread_waits(process: _Process, tid: int, terminal: _Terminal) -> bool:
    call = read_call(process.pid, tid)
    if call and call[0] == b"running":
        return False
    # "NUMBER ARGUMENTS... SP PC". A 32-bit process, with its stack below 4 GiB, has different call numbers.
    if READS and len(call) == 9 and int(call[7], 16) >> 32:
        number = int(call[0])
        if number in READS:
            return terminal.is_at(f"/proc/{process.pid}/fd/{int(call[1], 16) & 0xFFFFFFFF}")
        if number in WAITS:
            paths = polled(process.pid, call)
            if terminal.canonical:
                return bool(paths) and all(map(terminal.is_at, paths))
            # Else it waits for its own threads, as fish does before it executes a line, or is a helper thread.
            is_concerned = not paths or any(map(terminal.is_at, paths))
            return is_concerned and _can_read(process.pid, terminal)
        if number != RESTART:
            return False
    try:
        sleep = _read(f"/proc/{process.pid}/task/{tid}/wchan")
    except OSError:
        return False
    if sleep.startswith(_READ_SLEEPS) or (sleep.startswith(_POLL_SLEEPS) and not terminal.canonical):
        return _can_read(process.pid, terminal)
    return sleep == b"0" and _foreign_waits(process, terminal)


def _can_read(pid: int, terminal: _Terminal) -> bool:
    """Return whether a process can read from the terminal: as its standard input, or because it opened it.

    Helper processes whose input is a pipe wait as well, but not for the terminal that receives their errors.
    """
    return terminal.is_at(f"/proc/{pid}/fd/0") or any(
        terminal.is_at(f"/proc/{pid}/fd/{fd}")
        for fd in os.listdir(f"/proc/{pid}/fd")[:_MOST_FDS]
        if fd not in {"0", "1", "2"}
    )


def _foreign_waits(process: _Process, terminal: _Terminal) -> bool:
    """Return whether a sleeping process that we may not inspect (sudo, su and their children) waits for input.

    It does if the terminal is set up for a secret, or for a shell's line editor.
    """
    if process.state != "S" or os.access(f"/proc/{process.pid}/fd", os.R_OK):
        return False
    if terminal.canonical:
        return not terminal.echo
    return kind_of_name(process.comm) is not None


# Name, directory and kind


def _argv(pid: int) -> list[str]:
    try:
        line = _read(f"/proc/{pid}/cmdline")
    except OSError:
        return []
    return os.fsdecode(line.removesuffix(b"\0")).split("\0") if line else []


def _name(argv: list[str], comm: str) -> str:
    name = os.path.basename(argv[0]).removeprefix("-") if argv else ""
    if not name or len(name) > _LONGEST_NAME or " " in name or not name.isprintable():
        name = comm  # the program has overwritten its arguments
    return "".join(char if char.isprintable() else "?" for char in name) or "?"


def working_directory(pid: int) -> str | None:
    """Return the working directory of a process; None if it is deleted or unknown."""
    if not procfs.is_usable():
        return None
    try:
        cwd = os.readlink(f"/proc/{pid}/cwd")
        if cwd.endswith(" (deleted)") and not os.stat(f"/proc/{pid}/cwd").st_nlink:
            return None
    except OSError:
        return None
    return cwd if cwd.startswith("/") else None  # "(unreachable)/...": outside of our root


def _same_root(pid: int) -> bool:
    try:
        return (
            os.path.samestat(os.stat(f"/proc/{pid}/root"), os.stat("/"))
            and os.stat(f"/proc/{pid}").st_uid == os.geteuid()
            and os.stat(f"/proc/{pid}/ns/mnt").st_ino == _our_mounts()  # the same root may have another /tmp mounted
        )
    except OSError:
        return False


@functools.cache
def _our_mounts() -> int:
    return os.stat("/proc/self/ns/mnt").st_ino


def _shell(process: _Process, argv: list[str], terminal: _Terminal) -> str | None:
    if process.forked:
        return None  # a part of a command: (read x)
    try:
        executable = os.path.basename(os.readlink(f"/proc/{process.pid}/exe")).removesuffix(" (deleted)")
    except OSError:
        executable = process.comm
    kind = shell_kind(executable, argv)
    try:
        return kind if kind and terminal.is_at(f"/proc/{process.pid}/fd/0") else None  # else it reads from elsewhere
    except PermissionError:
        return kind


# Systems without /proc


def _look_without_proc(
    pgid: int, first_name: str, first_shell: str | None, *, canonical: bool, echo: bool
) -> Foreground | None:
    try:
        is_first = os.getsid(pgid) == pgid
    except OSError:
        is_first = False
    if is_first:
        name, shell = first_name, first_shell
    else:
        name = _name([], _name_from_libproc(pgid))
        # Reading its arguments costs too much; but a shell that runs a script does not edit lines.
        shell = None if canonical else kind_of_name(name)
    return Foreground(pgid, pgid, name, None, shell, False, canonical, echo, None)


def _name_from_libproc(pid: int) -> str:
    import ctypes

    buffer = ctypes.create_string_buffer(256)
    try:
        ctypes.CDLL(None).proc_name(pid, buffer, len(buffer))
    except AttributeError:  # not macOS
        return ""
    return buffer.value.decode("utf-8", "replace")
