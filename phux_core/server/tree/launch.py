"""The command, directory, environment and size of a new pane's program."""

from __future__ import annotations

import os
import resource
import secrets
from typing import TYPE_CHECKING

from phux_core import shells
from phux_core.engine.protocol import MAX_SIZE
from phux_core.errors import BadCwdError, BadSizeError, CannotExecuteError, LimitError
from phux_core.paths import xdg_directory

if TYPE_CHECKING:
    from collections.abc import Mapping

_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
# These describe the caller's terminal, not the pane. PHUX_HOST would take precedence over the pane's PHUX_SOCKET.
_NOT_INHERITED = ("COLUMNS", "LINES", "TERMCAP", "TMUX", "TMUX_PANE", "STY", "WINDOW", "PHUX_HOST")
# A pane's PTY master, journal and log, and the second descriptor of the master during a flood.
_PANE_FILES = 4
# For clients, log workers and files that are open for a moment.
_SPARE_FILES = 32


def check_size(cols: int, rows: int) -> tuple[int, int]:
    if not all(1 <= number <= MAX_SIZE for number in (cols, rows)):
        raise BadSizeError(f"a terminal cannot have {cols} columns and {rows} rows")
    return cols, rows


def check_descriptors(starting: int) -> None:
    """Raise LimitError if this process has too few file descriptors for another pane.

    The next service needs as many for the same panes, and the keeper needs fewer. ``starting`` is the number of
    programs that are being started.
    """
    limit, _hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit == resource.RLIM_INFINITY:
        return
    try:
        free = limit - len(os.listdir("/dev/fd"))
    except OSError:
        return  # unknown without /proc
    if free < (starting + 1) * _PANE_FILES + _SPARE_FILES:
        raise LimitError(
            f"the server has too few file descriptors left for another pane: its limit is {limit}",
            remedy="kill some panes, or raise the limit (ulimit -Hn) before the server starts",
        )


def check_cwd(cwd: str) -> str:
    """Return a directory, or raise BadCwdError if a program cannot start in it."""
    if not os.path.isabs(cwd):
        raise BadCwdError(f"the working directory {cwd!r} is not an absolute path")
    if not os.path.isdir(cwd):
        what = "is not a directory" if os.path.lexists(cwd) else "does not exist"
        raise BadCwdError(f"the working directory {cwd} {what}")
    if not os.access(cwd, os.X_OK):
        raise BadCwdError(f"the working directory {cwd} may not be entered")
    return cwd


def home_directory() -> str:
    """Return the directory for a program whose client has none on this machine; / if the home directory is unusable."""
    home = xdg_directory("HOME", "")
    return home if home is not None and os.path.isdir(home) and os.access(home, os.X_OK) else "/"


def build_environment(
    base: Mapping[str, str], extra: Mapping[str, str], *, cwd: str, socket: str, pane: int
) -> dict[str, str]:
    """Return a program's environment: the caller's, with the terminal, the requested variables and the pane."""
    inherited = {name: value for name, value in base.items() if name not in _NOT_INHERITED}
    if not _is_same_directory(inherited.get("PWD"), cwd):  # else keep the caller's spelling, which may contain links
        inherited.pop("OLDPWD", None)
        inherited["PWD"] = cwd
    terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    place = {"PHUX_SOCKET": socket, "PHUX_PANE": f"@{pane}"}
    return inherited | terminal | dict(extra) | place


def _is_same_directory(path: str | None, other: str) -> bool:
    try:
        return path is not None and os.path.isabs(path) and os.path.samefile(path, other)
    except (OSError, ValueError):
        return False


def resolve_command(
    command: list[str] | None,
    env: Mapping[str, str],
    cwd: str,
    shell: str | None = None,
    *,
    login: bool = False,
    from_config: bool = False,
) -> list[str]:
    """Return argv with an absolute path of the program: the command's, or a shell's.

    Args:
        command: Program and arguments; None for a shell.
        env: The environment; PATH and SHELL are used.
        cwd: The directory to which paths are relative.
        shell: The shell to start without a command; None for that of SHELL.
        from_config: Whether the shell is from the config file; for the error.
    """
    argv = list(command) if command else [shell or env.get("SHELL") or "/bin/sh", *(["-l"] if login else [])]
    name = argv[0]
    if "/" in name:
        candidates = [os.path.join(cwd, name)]
    else:
        # An empty entry in PATH means the working directory, as in a shell.
        search = env.get("PATH") or _DEFAULT_PATH
        candidates = [os.path.join(cwd, directory, name) for directory in search.split(os.pathsep)]
    for candidate in candidates:
        if os.path.isfile(candidate) and os.access(candidate, os.X_OK):
            return [candidate, *argv[1:]]
    if "/" in name:
        reason = "is not an executable file" if os.path.exists(candidates[0]) else "does not exist"
    else:
        reason = "is not in PATH"
    named = " that the config file names," if from_config else "" if shell else " that SHELL names,"
    what = "the command" if command else f"the shell{named}"
    raise CannotExecuteError(f"{what} {name!r} cannot be executed: it {reason}")


def integrate_shell(
    argv: list[str], env: dict[str, str], *, history: bool = True
) -> tuple[list[str], dict[str, str], str]:
    """Add the shell integration to a command that starts a supported shell.

    Returns:
        argv, the environment, and the nonce of the shell's marks; empty without integration.
    """
    if not history:
        env = env | shells.without_history(argv)
    integrated = shells.integrate(argv, env)
    if integrated is None:
        return argv, env, ""
    return integrated[0], env | integrated[1], secrets.token_hex(8)
