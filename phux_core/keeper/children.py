"""Child processes: started under PTYs, terminated with a grace period, reaped once.

This module handles processes and PTY masters. It knows panes only by their ids.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import resource
import signal
import struct
import sys
import termios
from typing import TYPE_CHECKING, NamedTuple, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from io import RawIOBase

KILL_GRACE_S = 0.5
"""Time between SIGHUP and SIGKILL."""

_POLL_S = 0.02
# Descriptors reserved for the next start of the service.
_SPARE_FILES = 16

# The same bit on Linux and macOS; Python names it only since 3.13.
_IUTF8 = 0x4000
_CELL_PIXELS = (8, 16)
# Python ignores some signals; nohup, or a script that starts us in the background, ignores others.
_SIGNALS_TO_RESTORE = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}

# The scripts in phux_core/shells read this descriptor. dash supports none above 9.
_SECRET_FD = 9

_original_limits = {number: resource.getrlimit(number) for number in (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)}


class Child(NamedTuple):
    """A child process and its PTY master."""

    pane: int
    pid: int
    master: int


class SpawnError(Exception):
    """The program could not be started; the message gives the reason, and ``errno`` its number if it has one."""

    def __init__(self, message: str, number: int | None = None) -> None:
        super().__init__(message)
        self.errno = number


def close_inherited(keep: Iterable[int]) -> None:
    """Close the descriptors inherited from the parent process, except the first three and ``keep``."""
    first = 3
    for fd in (*sorted(keep), os.sysconf("SC_OPEN_MAX")):
        os.closerange(first, fd)
        first = fd + 1


def raise_files_limit() -> None:
    """Raise the limit of open files as far as possible: panes need one or two descriptors each, clients one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = hard if hard != resource.RLIM_INFINITY else 1_048_576
    # macOS refuses more than OPEN_MAX (10240) whatever the hard limit is; if both fail, the old limit remains.
    for limit in (wanted, 10_240):
        if soft < limit <= wanted:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
                return


def disable_core_dumps() -> None:
    """Prevent core dumps of this process, which may contain typed secrets; children get the original limit.

    Linux ignores a limit of 0 if the dump goes to a program, but skips the dump if the limit is 1.
    """
    _soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    limit = 1 if sys.platform == "linux" and hard else 0
    resource.setrlimit(resource.RLIMIT_CORE, (limit, hard))


def window_size(cols: int, rows: int) -> bytes:
    """Pack a window size for TIOCSWINSZ, with plausible pixel sizes for programs that divide by them."""
    return struct.pack("HHHH", rows, cols, cols * _CELL_PIXELS[0], rows * _CELL_PIXELS[1])


def spawn(
    pane: int, argv: list[str], *, cwd: str, env: Mapping[str, str], cols: int, rows: int, secret: str = ""
) -> Child:
    """Start a program under a new PTY, and return when it is running.

    Args:
        secret: A line that the program can read once from its descriptor 9; empty to leave that descriptor closed.

    Raises:
        SpawnError: The program cannot be executed, its directory cannot be entered, or resources are exhausted.
    """
    master = slave = told = -1
    try:
        if secret:
            told = _pipe_with(secret)
        master, slave = os.openpty()
        limit, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if master > limit - _SPARE_FILES:
            raise OSError(errno.EMFILE, f"the keeper's limit is {limit} file descriptors")
        attributes = termios.tcgetattr(slave)
        attributes[0] |= _IUTF8
        termios.tcsetattr(slave, termios.TCSANOW, attributes)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, window_size(cols, rows))
        os.set_blocking(master, False)
        pid = start(argv, env, cwd, slave, told)
    except (OSError, ValueError, termios.error, SpawnError) as error:
        if master >= 0:
            os.close(master)
        raise SpawnError(str(error), getattr(error, "errno", None)) from error
    finally:
        for fd in (slave, told):
            if fd >= 0:
                os.close(fd)
    return Child(pane, pid, master)


def _pipe_with(line: str) -> int:
    """Return the reading end of a pipe that contains one line."""
    reader, writer = os.pipe()
    with open(writer, "w", encoding="ascii") as file:
        file.write(f"{line}\n")
    return reader


@contextlib.contextmanager
def _inheritable_state(cwd: str) -> Iterator[None]:
    """Set the working directory and the limits that a program inherits, and restore ours afterwards."""
    limits = {number: resource.getrlimit(number) for number in _original_limits}
    here = os.open(".", getattr(os, "O_PATH", os.O_RDONLY))
    try:
        os.chdir(cwd)
        for number, limit in _original_limits.items():
            resource.setrlimit(number, limit)
        yield
    finally:
        for number, limit in limits.items():
            resource.setrlimit(number, limit)
        os.fchdir(here)
        os.close(here)


def start_by_spawn(argv: list[str], env: Mapping[str, str], cwd: str, terminal: int, secret: int = -1) -> int:
    """Start a program with ``posix_spawn``, which copies no memory.

    The child opens its terminal by name: on Linux, this makes it the session leader's controlling terminal.
    """
    actions = [
        (os.POSIX_SPAWN_CLOSE, 0),  # first, so that a descriptor below the limit is free
        (os.POSIX_SPAWN_OPEN, 0, os.ttyname(terminal), os.O_RDWR, 0),
        (os.POSIX_SPAWN_DUP2, 0, 1),
        (os.POSIX_SPAWN_DUP2, 0, 2),
    ]
    if secret >= 0:
        actions.append((os.POSIX_SPAWN_DUP2, secret, _SECRET_FD))
    with _inheritable_state(cwd):
        return os.posix_spawn(
            argv[0], argv, env, file_actions=actions, setsid=True, setsigmask=(), setsigdef=_SIGNALS_TO_RESTORE
        )


def start_by_fork(argv: list[str], env: Mapping[str, str], cwd: str, terminal: int, secret: int = -1) -> int:
    """Start a program with ``fork``, where ``posix_spawn`` cannot set the controlling terminal."""
    failure, writer = os.pipe()
    if writer == _SECRET_FD:
        writer = os.dup(writer)
    with open(failure, "rb") as reader:
        with open(writer, "wb", buffering=0) as why, _inheritable_state(cwd):
            pid = os.fork()
            if pid == 0:
                _become(argv, env, terminal, secret, why)
        if message := reader.read().decode():
            os.waitpid(pid, 0)
            raise SpawnError(message)
    return pid


def _become(argv: list[str], env: Mapping[str, str], terminal: int, secret: int, why: RawIOBase) -> NoReturn:
    """Replace this process with a program; write the reason to ``why`` if that fails."""
    try:
        os.login_tty(terminal)
        if secret >= 0:
            os.dup2(secret, _SECRET_FD)
            os.set_inheritable(_SECRET_FD, True)
        for number in _SIGNALS_TO_RESTORE:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        os.execve(argv[0], argv, env)  # noqa: S606  the program is the user's
    except BaseException as error:  # noqa: BLE001  this process must exit in any case
        why.write(str(error).encode(errors="replace"))
    finally:
        os._exit(127)


start = start_by_spawn if sys.platform == "linux" else start_by_fork


class Children:
    """All children that were started and not yet forgotten."""

    def __init__(self) -> None:
        self._by_pane: dict[int, Child] = {}
        self._statuses: dict[int, int] = {}
        self._ending: dict[int, tuple[float, set[int]]] = {}

    def __len__(self) -> int:
        """Return the number of running children."""
        return len(self._by_pane) - len(self._statuses)

    def add(self, child: Child) -> None:
        """Add a child."""
        self._by_pane[child.pane] = child

    def all(self) -> list[tuple[Child, int | None]]:
        """List every child, with its wait status if it has ended."""
        return [(child, self._statuses.get(pane)) for pane, child in self._by_pane.items()]

    def ended(self, pid: int, status: int) -> int | None:
        """Record that a process was reaped; return its pane, or None if it is not one of these children."""
        for pane, child in self._by_pane.items():
            if child.pid == pid and pane not in self._statuses:
                self._statuses[pane] = status
                return pane
        return None

    def forget(self, pane: int) -> None:
        """Close the master of an exited child and drop its status, which the service has received."""
        if pane in self._statuses:
            del self._statuses[pane]
            os.close(self._by_pane.pop(pane).master)

    def end(self, pane: int, now: float) -> None:
        """Send SIGHUP to a child's group and the foreground group, and SIGKILL after ``KILL_GRACE_S``."""
        child = self._by_pane.get(pane)
        if child is None or pane in self._statuses or pane in self._ending:
            return
        groups = {child.pid}  # a session leader's group id is its pid
        with contextlib.suppress(OSError):
            foreground = os.tcgetpgrp(child.master)
            if foreground > 1:
                groups.add(foreground)
        # Stored, because a terminal whose session leader has exited no longer reports its foreground group.
        self._ending[pane] = (now + KILL_GRACE_S, groups)
        for group in groups:
            # A stopped process does not receive SIGHUP until it is continued.
            _signal_group(group, signal.SIGHUP)
            _signal_group(group, signal.SIGCONT)

    def kill_overdue(self, now: float) -> None:
        """Drop the groups that have exited; send SIGKILL to those whose grace period has expired."""
        for pane, (deadline, groups) in list(self._ending.items()):
            groups -= {group for group in groups if not _signal_group(group, 0)}
            if deadline <= now:
                for group in groups:
                    _signal_group(group, signal.SIGKILL)
            if deadline <= now or not groups:
                del self._ending[pane]

    def next_deadline(self, now: float) -> float | None:
        """Return when to call ``kill_overdue`` next, or None if no child is being terminated."""
        if not self._ending:
            return None
        # The end of a group whose leader is not our child causes no signal, so poll during the grace period.
        return min(now + _POLL_S, *(deadline for deadline, _groups in self._ending.values()))

    @property
    def busy(self) -> bool:
        """Whether a child is running or being terminated."""
        return bool(len(self) or self._ending)


def _signal_group(group: int, number: int) -> bool:
    """Signal a process group; return False if there is none."""
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # the group exists, but runs as another user
        return True
    return True
