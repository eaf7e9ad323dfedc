"""Paths of the socket, its lock, its log and the logs of panes, and checks of the socket's directory.

This module creates nothing but the socket's directory. Import-light, because the CLI imports this module.
"""

import contextlib
import os
import stat
import sys

from phux_core import files
from phux_core.errors import UnsafePathError

# sun_path has 108 bytes on Linux and 104 elsewhere, including the terminating NUL.
SOCKET_PATH_LIMIT = 107 if sys.platform == "linux" else 103
NO_HOME_REMEDY = "set HOME or XDG_STATE_HOME to an absolute path"
"""The remedy if there is no home directory for logs."""


def socket_path(explicit: str | None = None) -> str:
    """Return the absolute path of the server's socket: as given, PHUX_SOCKET, or in the runtime directory or /tmp.

    Raises:
        UnsafePathError: The path is invalid, or too long for a Unix socket.
    """
    path = explicit or os.environ.get("PHUX_SOCKET") or default_socket_path()
    if path.startswith("~"):
        path = os.path.expanduser(path)
        if not os.path.isabs(path):
            raise UnsafePathError(
                f"cannot expand the home directory in the socket path {path!r:.80}",
                remedy="set HOME to an absolute path, or use an absolute path for the socket",
            )
    try:
        path = os.path.abspath(path)
    except FileNotFoundError:
        raise UnsafePathError(
            f"the socket path {path!r:.80} is relative, and the working directory was deleted",
            remedy="change to an existing directory, or use an absolute path for the socket",
        ) from None
    try:
        length = len(os.fsencode(path))
    except UnicodeEncodeError:
        length = -1
    if "\0" in path or length < 0:
        raise UnsafePathError(
            "the socket path contains characters that paths cannot contain",
            remedy="choose another path with --socket or PHUX_SOCKET",
        )
    if length > SOCKET_PATH_LIMIT:
        raise UnsafePathError(
            f"the socket path has {length} bytes; at most {SOCKET_PATH_LIMIT} are allowed: {path}",
            remedy="choose a shorter path with --socket or PHUX_SOCKET",
        )
    return path


def default_socket_path() -> str:
    """Return the path of the user's socket if no other is chosen: in the runtime directory or /tmp."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    # The XDG specification requires that relative paths in its variables are ignored.
    if os.path.isabs(runtime) and os.path.isdir(runtime):
        return os.path.join(runtime, "phux", "phux.sock")
    return f"{fallback_directory()}/phux.sock"


def fallback_directory() -> str:
    """Return the directory of sockets if there is no runtime directory."""
    return f"/tmp/phux-{os.getuid()}"  # noqa: S108  the directory is checked before use


def missing_runtime_directory(explicit: str | None = None) -> str | None:
    """Return a warning if the runtime directory is needed and does not exist; None otherwise."""
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if explicit or os.environ.get("PHUX_SOCKET") or not os.path.isabs(runtime) or os.path.isdir(runtime):
        return None
    return f"XDG_RUNTIME_DIR is {runtime}, which is not a directory; using {fallback_directory()} instead"


def xdg_directory(variable: str, default: str) -> str | None:
    """Return an XDG base directory: the variable's value if it is an absolute path, else one below the home directory.

    The home directory is HOME if that is an absolute path, else from the user database; None if there is none.
    """
    named = os.environ.get(variable, "")
    if os.path.isabs(named):
        return named
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        import pwd

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            return None
    return os.path.join(home, default) if os.path.isabs(home) else None


def logs_directory(state: str | None = None) -> str | None:
    """Return the directory of all panes' logs; None if there is no home directory, so that nothing is logged.

    Args:
        state: A directory for persistent state to use instead of the user's.
    """
    if state is None:
        home = xdg_directory("XDG_STATE_HOME", os.path.join(".local", "state"))
        if home is None:
            return None
        state = os.path.join(home, "phux")
    return os.path.join(state, "logs")


def lock_path(socket: str) -> str:
    """Return the path of the lock file for starting servers."""
    return f"{socket}.lock"


def log_path(socket: str) -> str:
    """Return the path of a detached server's log."""
    return f"{socket}.log"


def ensure_private_directory(socket: str) -> None:
    """Create the socket's directory if it is missing, and check that it is ours and private.

    An existing directory is never changed: one that others can enter is refused, because it may be shared on purpose.

    Raises:
        UnsafePathError: The directory cannot be created, or is unsafe.
    """
    directory = os.path.dirname(socket)
    try:
        # Only the last component: a mistyped path must not create a tree of directories.
        with contextlib.suppress(FileExistsError):
            os.mkdir(directory, 0o700)
    except OSError as error:
        raise UnsafePathError(
            f"cannot create the socket's directory {directory}: {error.strerror}",
            remedy="choose another path with --socket or PHUX_SOCKET",
        ) from error
    check_private_directory(socket)


def check_private_directory(socket: str) -> None:
    """Check that the socket's directory is a real directory, owned by us, closed to others and not replaceable by them.

    Raises:
        UnsafePathError: The directory is unsafe.
        FileNotFoundError: The directory does not exist.
    """
    directory = os.path.dirname(socket)
    remedy = "choose a private directory with --socket or PHUX_SOCKET, such as one created with `mkdir -m 700 DIR`"
    try:
        found = os.lstat(directory)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnsafePathError(
            f"cannot access the socket's directory {directory}: {error.strerror}", remedy=remedy
        ) from error
    mode = f"(mode {stat.S_IMODE(found.st_mode):04o}, need 0700)"
    if stat.S_ISLNK(found.st_mode):
        problem = "is a symbolic link"
    elif not stat.S_ISDIR(found.st_mode):
        problem = "is not a directory"
    elif found.st_uid != os.getuid():
        problem = f"belongs to uid {found.st_uid}, not to uid {os.getuid()}"
    elif found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
        problem, remedy = f"is not accessible {mode}", f"chmod 700 {directory}"
    elif found.st_mode & 0o077:
        problem = f"is open to others {mode}"
    elif unsafe := files.unsafe_ancestor(directory):
        problem = f"can be replaced by other users: {unsafe}"
    else:
        return
    raise UnsafePathError(f"the socket's directory {directory} {problem}", remedy=remedy)
