"""Where things are: the socket, its lock and its log, and whether they may be trusted.

Decides and checks; creates nothing but the socket's directory. Import-light: it is on the CLI's path.
"""

import contextlib
import os
import stat
import sys

from phux_core.errors import UnsafePathError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# sun_path holds 108 bytes on Linux and 104 elsewhere, with the terminating NUL.
SOCKET_PATH_LIMIT = 107 if sys.platform == "linux" else 103
NO_HOME_REMEDY = "set HOME or XDG_STATE_HOME to an absolute path"
"""What to do where there is no home directory to keep logs in."""


def socket_path(explicit: str | None = None, environ: "Mapping[str, str] | None" = None) -> str:
    """Find the server's socket: the argument, PHUX_SOCKET, the runtime directory, or /tmp.

    Args:
        explicit: What ``--socket`` or ``connect(socket=...)`` said.
        environ: The environment to look into; the process's own when omitted.

    Returns:
        An absolute path.

    Raises:
        UnsafePathError: The path is longer than a Unix socket's may be.
    """
    environ = os.environ if environ is None else environ
    path = explicit or environ.get("PHUX_SOCKET")
    if not path:
        runtime = environ.get("XDG_RUNTIME_DIR", "")
        # The XDG specification: a relative path in one of its variables is to be ignored.
        if os.path.isabs(runtime) and os.path.isdir(runtime):
            path = os.path.join(runtime, "phux", "phux.sock")
        else:
            path = f"{_without_runtime_directory()}/phux.sock"
    if path.startswith("~"):
        path = os.path.expanduser(path)
        if not os.path.isabs(path):
            raise UnsafePathError(
                f"the home directory in the socket path {path!r:.80} is not known",
                remedy="set HOME to an absolute path, or name the socket by an absolute path",
            )
    try:
        path = os.path.abspath(path)
    except FileNotFoundError:
        raise UnsafePathError(
            f"the socket path {path!r:.80} is relative, and the working directory was deleted",
            remedy="change to a directory that exists, or name the socket by an absolute path",
        ) from None
    try:
        length = len(os.fsencode(path))
    except UnicodeEncodeError:
        length = -1
    if "\0" in path or length < 0:
        raise UnsafePathError("the socket path has characters that no path has")
    if length > SOCKET_PATH_LIMIT:
        raise UnsafePathError(
            f"the socket path has {length} bytes, and a Unix socket's may have {SOCKET_PATH_LIMIT}: {path}",
            remedy="choose a shorter path with --socket or PHUX_SOCKET",
        )
    return path


def _without_runtime_directory() -> str:
    return f"/tmp/phux-{os.getuid()}"  # noqa: S108  the directory is checked before use


def missing_runtime_directory(explicit: str | None = None, environ: "Mapping[str, str] | None" = None) -> str | None:
    """Explain which directory stands in for the runtime directory if that does not exist; None if none has to.

    Args:
        explicit: What ``--socket`` said.
        environ: The environment to look into; the process's own when omitted.
    """
    environ = os.environ if environ is None else environ
    runtime = environ.get("XDG_RUNTIME_DIR", "")
    if explicit or environ.get("PHUX_SOCKET") or not os.path.isabs(runtime) or os.path.isdir(runtime):
        return None
    return f"XDG_RUNTIME_DIR is {runtime}, which is no directory; {_without_runtime_directory()} is used instead"


def home_directory(environ: "Mapping[str, str] | None" = None) -> str | None:
    """Find the user's home: HOME if that is an absolute path, else the one in the user database.

    Args:
        environ: The environment to look into; the process's own when omitted.

    Returns:
        An absolute path; None if there is none.
    """
    environ = os.environ if environ is None else environ
    home = environ.get("HOME", "")
    if not os.path.isabs(home):
        import pwd

        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            return None
    return home if os.path.isabs(home) else None


def xdg_directory(variable: str, default: str, environ: "Mapping[str, str] | None" = None) -> str | None:
    """Find one of the user's base directories: the variable's if that is an absolute path, else below the home.

    Args:
        variable: The variable's name, such as XDG_STATE_HOME.
        default: Where the directory is below the home.
        environ: The environment to look into; the process's own when omitted.

    Returns:
        An absolute path; None if the variable names none and there is no home.
    """
    environ = os.environ if environ is None else environ
    named = environ.get(variable, "")
    if os.path.isabs(named):
        return named
    home = home_directory(environ)
    return None if home is None else os.path.join(home, default)


def state_directory(environ: "Mapping[str, str] | None" = None) -> str | None:
    """Find where what outlives servers is kept: ``phux`` in XDG_STATE_HOME, or in ~/.local/state.

    Args:
        environ: The environment to look into; the process's own when omitted.

    Returns:
        An absolute path; None if there is no home directory, and then nothing is kept.
    """
    state = xdg_directory("XDG_STATE_HOME", os.path.join(".local", "state"), environ)
    return None if state is None else os.path.join(state, "phux")


def logs_directory(state: str) -> str:
    """Name the directory of all panes' logs."""
    return os.path.join(state, "logs")


def lock_path(socket: str) -> str:
    """Name the file whose lock a starting server holds."""
    return f"{socket}.lock"


def log_path(socket: str) -> str:
    """Name the log of a detached server on this socket."""
    return f"{socket}.log"


def ensure_private_directory(socket: str) -> None:
    """Make sure that the socket's directory is there, ours and private; make it if it is missing.

    Nothing that exists is ever changed: a directory that others can enter is refused, not mended, because it
    may be somebody's on purpose.

    Raises:
        UnsafePathError: The directory cannot be made, or cannot be trusted.
    """
    directory = os.path.dirname(socket)
    try:
        # Only the last one: a mistyped path must not grow into a tree of directories.
        with contextlib.suppress(FileExistsError):
            os.mkdir(directory, 0o700)
    except OSError as error:
        raise UnsafePathError(
            f"the socket's directory {directory} cannot be made: {error.strerror}",
            remedy="choose another place with --socket or PHUX_SOCKET",
        ) from error
    check_private_directory(socket)


def check_private_directory(socket: str) -> None:
    """Check that the socket's directory is a real directory of ours that nobody else can enter.

    Raises:
        UnsafePathError: It is not.
        FileNotFoundError: It does not exist.
    """
    directory = os.path.dirname(socket)
    remedy = "choose a private directory with --socket or PHUX_SOCKET, such as one made by `mkdir -m 700 DIR`"
    try:
        found = os.lstat(directory)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnsafePathError(
            f"the socket's directory {directory} cannot be looked at: {error.strerror}", remedy=remedy
        ) from error
    if not stat.S_ISDIR(found.st_mode):
        kind = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "not a directory"
        raise UnsafePathError(f"the socket's directory {directory} is {kind}", remedy=remedy)
    if found.st_uid != os.getuid():
        raise UnsafePathError(
            f"the socket's directory {directory} belongs to uid {found.st_uid}, not to us (uid {os.getuid()})",
            remedy=remedy,
        )
    if found.st_mode & stat.S_IRWXU != stat.S_IRWXU:
        raise UnsafePathError(
            f"the socket's directory {directory} is not open to us (mode {stat.S_IMODE(found.st_mode):04o}, need 0700)",
            remedy=f"chmod 700 {directory}",
        )
    if found.st_mode & 0o077:
        raise UnsafePathError(
            f"the socket's directory {directory} is open to others (mode {stat.S_IMODE(found.st_mode):04o}, need 0700)",
            remedy=remedy,
        )
