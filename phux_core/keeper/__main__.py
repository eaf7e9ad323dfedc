"""``python -P -m phux_core.keeper``: the server's first process, in the foreground or detached."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

from phux_core import paths
from phux_core.config import config_path, load, parse
from phux_core.errors import BadRequestError, PhuxError, StartFailedError
from phux_core.keeper.children import close_inherited
from phux_core.keeper.listener import Listener, take_lock
from phux_core.keeper.logfile import is_log, log, redirect_to_log
from phux_core.keeper.supervisor import Supervisor
from phux_core.kinds import ENGINE_PACKAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.keeper.process import ServiceProcess

    StartService = Callable[[str, int, str], ServiceProcess]


def parser() -> argparse.ArgumentParser:
    """Return the parser of the keeper's arguments."""
    parser = argparse.ArgumentParser(prog="phux server", description="Run a server until its last session ends.")
    parser.add_argument("--socket")
    parser.add_argument("--exit-after-idle", type=int)
    parser.add_argument("--keep-dead", type=float)
    parser.add_argument("--engine")
    parser.add_argument("--state-dir", help="directory for logs of panes")
    parser.add_argument("--no-config", action="store_true", help="do not read the user's config file")
    parser.add_argument("--detach", action="store_true", help="run in the background and log to a file")
    parser.add_argument("--ready-fd", type=int, help="pipe on which to report that the server is ready")
    parser.add_argument("--lock-fd", type=int, help="descriptor of the lock held by the starter")
    parser.add_argument("--life-fd", type=int, help="pipe whose other end keeps the server alive")
    parser.add_argument("--remove-directory", action="store_true", help="remove the socket's directory at the end")
    return parser


def _check_engine(name: str | None) -> str | None:
    """Reject an engine that would crash every service at startup."""
    if name is None:
        return None
    if name not in ENGINE_PACKAGES:
        raise BadRequestError(f"unknown engine {name!r}", remedy=f"choose one of {', '.join(ENGINE_PACKAGES)}")
    if importlib.util.find_spec(ENGINE_PACKAGES[name]) is None:
        raise BadRequestError(
            f"the engine {name} needs the package {ENGINE_PACKAGES[name]}, which is not installed",
            remedy="install it, or choose another engine",
        )
    return name


def _settings(options: argparse.Namespace, config: dict[str, object], socket_path: str, log_path: str | None) -> str:
    settings = {
        "socket": socket_path,
        "log": log_path,
        "owned": options.life_fd is not None,
        "exit_after_idle": options.exit_after_idle,
        "keep_dead": options.keep_dead,
        "engine": options.engine,
        "log_root": paths.logs_directory(options.state_dir) or "",
        "log_panes": config["log"],
        "log_pane_bytes": config["log-pane-bytes"],
        "log_total_bytes": config["log-total-bytes"],
        "log_keep_days": config["log-keep-days"],
        "history_limit": config["history-limit"],
        "shell": config["shell"],
        "window_size": config["window-size"],
    }
    return json.dumps(settings)


def execute_service(settings: str, channel_fd: int, python: str) -> subprocess.Popen[bytes]:
    """Start a service as a new process of a Python interpreter."""
    return subprocess.Popen(
        # -P keeps the working directory out of sys.path, so that no directory can shadow our package.
        [python, "-P", "-m", "phux_core.server", settings, str(channel_fd)],
        pass_fds=(channel_fd,),
        stdin=subprocess.DEVNULL,
        # The keeper handles Ctrl-C in a foreground server; the service must survive it.
        start_new_session=True,
    )


def run(options: argparse.Namespace, start_service: StartService = execute_service) -> int:
    """Run the keeper, and return its exit code: 0 after a clean shutdown, 1 or 2 if it could not start.

    ``start_service`` gets the service's settings, the channel's descriptor and the Python interpreter to use.
    """
    try:
        config = parse("", "") if options.no_config else load(config_path())
        options.engine = _check_engine(options.engine or os.environ.get("PHUX_ENGINE") or None)
        socket_path = paths.socket_path(options.socket)
        paths.ensure_private_directory(socket_path)
        log_path = paths.log_path(socket_path)
        if options.detach:
            _detach(log_path)
        lock = take_lock(socket_path) if options.lock_fd is None else options.lock_fd
        listener = Listener(socket_path)
        os.close(lock)
    except (PhuxError, OSError) as error:
        return _report_failure(error, options.ready_fd)
    log_file = log_path if is_log(log_path) else None
    start = partial(start_service, _settings(options, config, socket_path, log_file))
    supervisor = Supervisor(listener, start, log_path=log_file, life_fd=options.life_fd)
    log(f"listening on {socket_path}")
    is_wanted = _report_ready(options)
    if is_wanted:
        supervisor.run()
    else:
        listener.close()
    if options.remove_directory:
        _remove_directory(socket_path, options.state_dir)
    return 0 if is_wanted else 1


def _report_ready(options: argparse.Namespace) -> bool:
    """Report to the starter that the server listens; return False if the starter has given up."""
    if options.ready_fd is not None:
        try:
            os.write(options.ready_fd, b"ok")
        except BrokenPipeError:
            return False
        if options.life_fd is None:
            os.close(options.ready_fd)  # with an owner, it stays open to signal our end
    return True


def _remove_directory(socket_path: str, state_dir: str | None) -> None:
    """Remove the state directory, the files that we and our starter created beside the socket, and its directory."""
    for path in (paths.lock_path(socket_path), paths.log_path(socket_path)):
        with contextlib.suppress(OSError):
            os.unlink(path)
    if state_dir is not None:
        shutil.rmtree(state_dir, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.rmdir(os.path.dirname(socket_path))


def _detach(log_path: str) -> None:
    """Become a daemon: leave the terminal, the parent and the working directory."""
    if os.fork():
        os._exit(0)
    os.setsid()
    os.chdir("/")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    redirect_to_log(log_path)


def _report_failure(error: PhuxError | OSError, ready_fd: int | None) -> int:
    failure = error if isinstance(error, PhuxError) else StartFailedError(str(error))
    if ready_fd is None:
        print(f"phux server: {failure.message}", file=sys.stderr)
        if failure.remedy:
            print(f"phux server: {failure.remedy}", file=sys.stderr)
    else:
        os.write(ready_fd, json.dumps(failure.to_document()).encode())
        os.close(ready_fd)
    return failure.exit_code


def main() -> int:
    """Run the keeper with this process's arguments."""
    options = parser().parse_args()
    given = [fd for fd in (options.ready_fd, options.lock_fd, options.life_fd) if fd is not None]
    close_inherited(given)
    for fd in given:
        os.set_inheritable(fd, False)
    return run(options)


if __name__ == "__main__":
    sys.exit(main())
