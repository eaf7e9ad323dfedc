"""The programs: forked under PTYs, ended politely, reaped once.

Knows processes and PTY masters; knows nothing of panes but their number.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import signal
import struct
import termios
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from ptyprocess import PtyProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

KILL_GRACE_S = 0.5
"""How long a program has between SIGHUP and SIGKILL."""

_LOOK_S = 0.02
# Descriptors kept for the service's next start.
_SPARE_FILES = 16

# Linux and macOS agree on the bit; Python names it only from 3.13 on.
_IUTF8 = 0x4000
_CELL_PIXELS = (8, 16)
# A Python parent leaves some ignored, a launcher others: nohup, or a script that started us in the background.
_SIGNALS_TO_RESTORE = signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}

_original_files_limit = resource.getrlimit(resource.RLIMIT_NOFILE)


class _Process(PtyProcess):  # type: ignore[misc]
    """A PtyProcess that can be found when ``spawn`` raises: it has opened the master by then, and leaves it open."""

    made: ClassVar[list[_Process]] = []

    def __init__(self, pid: int, fd: int) -> None:
        super().__init__(pid, fd)
        self.made.append(self)

    def setwinsize(self, rows: int, cols: int) -> None:
        """Set the size as the child has set it, pixels and all: another would be told to the program at once."""
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, window_size(cols, rows))

    def let_go(self) -> None:
        """Close the master, without hanging the child up once more when collected."""
        self.fileobj.close()
        self.closed = True


class Child(NamedTuple):
    """A program and the master of its PTY."""

    pane: int
    pid: int
    master: int


class SpawnError(Exception):
    """The program could not be started; the text says why."""


def raise_files_limit() -> None:
    """Allow ourselves as many descriptors as the system lets us: one or two a pane, one a client."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = hard if hard != resource.RLIM_INFINITY else 1_048_576
    # macOS refuses more than OPEN_MAX (10240) although the hard limit says otherwise; the old limit serves too.
    for limit in (wanted, 10_240):
        if soft < limit <= wanted:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
                return


def window_size(cols: int, rows: int) -> bytes:
    """Pack a window size for TIOCSWINSZ, with plausible pixels for programs that divide by them."""
    return struct.pack("HHHH", rows, cols, cols * _CELL_PIXELS[0], rows * _CELL_PIXELS[1])


def spawn(pane: int, argv: Sequence[str], *, cwd: str, env: Mapping[str, str], cols: int, rows: int) -> Child:
    """Fork a program under a new PTY; returns when it runs.

    Raises:
        SpawnError: It cannot be executed, its directory cannot be entered, or there are no resources.
    """

    def prepare() -> None:  # runs in the child, between fork and exec
        os.chdir(cwd)
        fcntl.ioctl(0, termios.TIOCSWINSZ, window_size(cols, rows))
        attributes = termios.tcgetattr(0)
        attributes[0] |= _IUTF8
        termios.tcsetattr(0, termios.TCSANOW, attributes)
        for number in _SIGNALS_TO_RESTORE:
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        resource.setrlimit(resource.RLIMIT_NOFILE, _original_files_limit)

    keeper = os.getpid()
    _Process.made.clear()
    try:
        process = _Process.spawn(list(argv), env=dict(env), preexec_fn=prepare, dimensions=(rows, cols))
    except Exception as error:  # ptyprocess passes the child's own exceptions on, of any class
        if os.getpid() != keeper:
            os._exit(127)  # the child failed between fork and exec, and must not go on as a second keeper
        for process in _Process.made:
            process.let_go()
        raise SpawnError(str(error)) from error
    # The object buffers and would hang the child up when collected; all we want is its descriptor.
    try:
        master = os.dup(process.fd)
    except OSError as error:
        os.kill(process.pid, signal.SIGKILL)
        raise SpawnError(str(error)) from error
    finally:
        process.let_go()
        _Process.made.clear()
    if master > resource.getrlimit(resource.RLIMIT_NOFILE)[0] - _SPARE_FILES:
        os.close(master)
        os.kill(process.pid, signal.SIGKILL)
        raise SpawnError("the server has no file descriptors left for another pane")
    os.set_blocking(master, False)
    return Child(pane, process.pid, master)


class Children:
    """Every child that was forked and not yet forgotten."""

    def __init__(self) -> None:
        self._by_pane: dict[int, Child] = {}
        self._statuses: dict[int, int] = {}
        self._ending: dict[int, tuple[float, set[int]]] = {}

    def __len__(self) -> int:
        """Count the children that still run."""
        return len(self._by_pane) - len(self._statuses)

    def add(self, child: Child) -> None:
        """Take a child into care."""
        self._by_pane[child.pane] = child

    def all(self) -> list[tuple[Child, int | None]]:
        """List every child, with its wait status if it has ended."""
        return [(child, self._statuses.get(pane)) for pane, child in self._by_pane.items()]

    def ended(self, pid: int, status: int) -> int | None:
        """Note that a process was reaped.

        Returns:
            The pane it ran in; None if it was no child of ours.
        """
        for pane, child in self._by_pane.items():
            if child.pid == pid and pane not in self._statuses:
                self._statuses[pane] = status
                return pane
        return None

    def forget(self, pane: int) -> None:
        """Close the master of a child that has ended and drop its status: the service has taken it."""
        if pane in self._statuses:
            del self._statuses[pane]
            os.close(self._by_pane.pop(pane).master)

    def end(self, pane: int, now: float) -> None:
        """Hang up on a child: SIGHUP to its group and the foreground group, SIGKILL after the grace."""
        child = self._by_pane.get(pane)
        if child is None or pane in self._statuses or pane in self._ending:
            return
        groups = {child.pid}  # pty.fork made it a session leader, so its group has its number
        with contextlib.suppress(OSError):
            foreground = os.tcgetpgrp(child.master)
            if foreground > 1:
                groups.add(foreground)
        # Remembered, for a terminal whose leader is gone no longer tells its foreground group.
        self._ending[pane] = (now + KILL_GRACE_S, groups)
        for group in groups:
            # A stopped process cannot die of SIGHUP before it is continued.
            _signal_group(group, signal.SIGHUP)
            _signal_group(group, signal.SIGCONT)

    def kill_overdue(self, now: float) -> None:
        """Forget the groups that have ended; send SIGKILL to those whose grace is over."""
        for pane, (deadline, groups) in list(self._ending.items()):
            groups -= {group for group in groups if not _signal_group(group, 0)}
            if deadline <= now:
                for group in groups:
                    _signal_group(group, signal.SIGKILL)
            if deadline <= now or not groups:
                del self._ending[pane]

    def next_deadline(self, now: float) -> float | None:
        """Say when ``kill_overdue`` may have something to do."""
        if not self._ending:
            return None
        # Nobody tells us of the end of a group whose leader is not our child, so we look, for half a second.
        return min(now + _LOOK_S, *(deadline for deadline, _groups in self._ending.values()))

    @property
    def busy(self) -> bool:
        """Whether a child runs, or something of one is still being ended."""
        return bool(len(self) or self._ending)


def _signal_group(group: int, number: int) -> bool:
    """Signal a process group.

    Returns:
        Whether it exists.
    """
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # a program that changed its user; it exists
        return True
    return True
