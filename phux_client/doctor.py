"""Check the server, its directories, the disk, the engine, the user's shell, the config file and the logs.

The checks change nothing.

    from phux_client import blocking, doctor

    for check in doctor.examine(blocking.Phux())["checks"]:
        print(check["name"], check["ok"], check["message"], check["remedy"])
"""

import os
import stat
import sys

from phux_client import flows
from phux_client.unclean import REMEDY, describe_unclean_end
from phux_client.versions import describe_keeper, describe_service
from phux_core import errors, files, paths, procfs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from phux_client.blocking.driver import Driver
    from phux_client.flows._types import Document

_LEAST_FREE = 256 * 1024 * 1024
_TRY_ENGINE = """
import os
from phux_core.engine import choose, create
name = choose(os.environ.get("PHUX_ENGINE"))
create(name, 80, 24).close()
print(name)
"""
SHELLS = ("bash", "zsh", "fish", "sh", "dash", "ash", "ksh", "mksh", "lksh")
"""The shells for which phux has an integration (phux_core/shells)."""


def examine(phux: "Driver") -> "Document":
    """Run all checks.

    Args:
        phux: The server to check; it need not be running.

    Returns:
        A Checks document.
    """
    try:
        found = phux.drive(flows.status())
        status: Document | None = found
        server = _passed("server", f"is listening on {phux.socket}")
        if "problem" in found:  # from the keeper, which knows nothing about logs and the engine
            server = _failed("server", str(found["problem"]), errors.ServiceRestartingError.default_remedy)
            status = None
    except errors.PhuxError as error:
        status = None
        is_absent = isinstance(error, errors.NoServerError)
        server = _passed("server", error.message) if is_absent else _failed("server", error.message, error.remedy)
    logs = (status or {}).get("logs") or {}
    root = logs.get("directory") if status is not None else paths.logs_directory()
    checks = [
        _socket_directory(phux.socket),
        server,
        *([] if status is None else [_versions(status)]),
        _logs(root, logs.get("problem")),
        *([] if root is None else [_disk(root)]),
        _engine(status),
        _processes(status),
        *_unclean_end(status),
        _shell(dict(phux.caller.env)),
        _config(),
        *(_holes(phux, logs["server"]) if root and logs else []),
    ]
    return {"schema_version": 1, "ok": all(check["ok"] for check in checks), "checks": checks}


def _passed(name: str, message: str) -> "Document":
    return {"name": name, "ok": True, "message": message, "remedy": ""}


def _failed(name: str, message: str, remedy: str) -> "Document":
    return {"name": name, "ok": False, "message": message, "remedy": remedy}


def _versions(status: "Document") -> "Document":
    differs = describe_service(status)
    if differs is not None:
        return _failed("versions", *differs)
    return _passed("versions", describe_keeper(status) or f"client, service and keeper run phux {status['version']}")


def _socket_directory(socket: str) -> "Document":
    try:
        paths.check_private_directory(socket)
    except FileNotFoundError:
        return _missing("socket", os.path.dirname(socket))
    except errors.PhuxError as error:
        return _failed("socket", error.message, error.remedy)
    return _passed("socket", f"{os.path.dirname(socket)} is private")


def _logs(root: str | None, problem: str | None) -> "Document":
    if root is None:
        return _failed("logs", "there is no home directory, so nothing is logged", paths.NO_HOME_REMEDY)
    if problem is not None:
        return _failed(
            "logs",
            f"the server cannot write logs to {root}: {problem}",
            "free disk space, or make the directory writable",
        )
    try:
        found = os.lstat(root)
    except FileNotFoundError:
        return _missing("logs", root)
    except OSError as error:
        return _failed("logs", f"{root} cannot be used: {error.strerror}", f"fix or remove {_existing(root)}")
    if not stat.S_ISDIR(found.st_mode):
        return _failed("logs", f"{root} is not a directory, so nothing is logged", f"remove {root}")
    if found.st_uid != os.getuid() or found.st_mode & 0o077:
        return _failed("logs", f"{root} is not private to this user, so nothing is logged", f"chmod 700 {root}")
    if unsafe := files.unsafe_ancestor(root):
        return _failed(
            "logs", f"other users can replace {root}, so nothing is logged: {unsafe}", "make that directory private"
        )
    if not os.access(root, os.W_OK):
        return _failed("logs", f"{root} cannot be written to, so nothing is logged", f"make {root} writable")
    return _passed("logs", f"{root} is private")


def _missing(name: str, path: str) -> "Document":
    above = _existing(path)
    if os.access(above, os.W_OK | os.X_OK):
        return _passed(name, f"{path} will be created when needed")
    return _failed(name, f"{path} cannot be created: {above} is not writable", f"make {above} writable")


def _existing(path: str) -> str:
    """Return the nearest existing ancestor of a path."""
    while not os.path.lexists(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    return path


def _disk(path: str) -> "Document":
    try:
        found = os.statvfs(_existing(path))
    except OSError as error:
        return _failed("disk", f"the free space for logs is unknown: {error.strerror}", f"check {_existing(path)}")
    free = found.f_bavail * found.f_frsize
    if free < _LEAST_FREE:
        return _failed(
            "disk", f"{free // 2**20} MiB are free where logs are kept", "free disk space, or set lower limits for logs"
        )
    return _passed("disk", f"{free // 2**30} GiB are free where logs are kept")


def _engine(status: "Document | None") -> "Document":
    if status is None:
        import subprocess

        # Load the engine in a child process, because clients must not import engines.
        tried = subprocess.run([sys.executable, "-c", _TRY_ENGINE], capture_output=True, text=True, check=False)
        if tried.returncode:
            return _failed(
                "engine", tried.stderr.strip().rpartition("\n")[2], "install pyghostty, or unset PHUX_ENGINE"
            )
        why = tried.stderr.strip()
        return _passed("engine", f"{tried.stdout.strip()} will be used" + (f": {why}" if why else ""))
    notes = status["engine_notes"]
    if notes:
        first = notes[0]
        return _failed(
            "engine",
            f"{first['terminal']} uses the {first['engine']} engine: {first['note']}",
            "report this, with the server's log",
        )
    return _passed("engine", f"{status['engine']} is used")


def _processes(status: "Document | None") -> "Document":
    local = procfs.missing()
    notes = ([] if local is None else [local]) if status is None else status.get("system_notes", [])
    if notes:
        return _failed("processes", notes[0], "mount a /proc of this PID namespace, and restart the server")
    return _passed("processes", "the system reports the states of programs")


def _unclean_end(status: "Document | None") -> "list[Document]":
    found = (status or {}).get("unclean_end")
    return [] if found is None else [_failed("unclean end", describe_unclean_end(found), REMEDY)]


def _shell(env: "dict[str, str]") -> "Document":
    shell = env.get("SHELL") or "/bin/sh"
    if not os.access(shell, os.X_OK):
        return _failed("shell", f"SHELL is {shell}, which cannot be executed", "set SHELL to the path of a shell")
    if os.path.basename(shell) not in SHELLS:
        return _passed("shell", f"{shell} has no integration: run works, but typed commands are not recorded")
    return _passed("shell", f"{shell} is integrated: its commands are recorded")


def _config() -> "Document":
    from phux_core import config

    path = config.config_path()
    try:
        config.load(path)
    except errors.PhuxError as error:
        return _failed("config", error.message, error.remedy)
    return _passed("config", f"{path} is valid" if os.path.exists(path) else f"{path} does not exist")


def _holes(phux: "Driver", server: str) -> "list[Document]":
    """Report the missing parts in the logs of the running server."""
    try:
        logs = phux.drive(flows.log_list())["logs"]
    except errors.PhuxError as error:
        return [_failed("holes", error.message, error.remedy)]
    return [
        _failed(
            "holes",
            f"the log of @{log['pane']} lacks bytes {hole['start']} to {hole['end']}",
            "read the rest with `phux logs`; the bytes were not written, or the log was changed",
        )
        for log in logs
        if log["log"].startswith(f"{server}/")
        for hole in log["holes"]
    ] or [_passed("holes", "no log has holes")]
