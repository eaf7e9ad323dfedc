"""The call that replaces the service by that of another release."""

from __future__ import annotations

import asyncio
import os
import subprocess
from typing import TYPE_CHECKING

from phux_core.errors import RefusedError, TimedOutError
from phux_core.server.api.handlers import handles

if TYPE_CHECKING:
    from phux_core.server.connection import Result
    from phux_core.server.service import Service

# How long the other release may take to import everything.
_CHECK_S = 20.0
_KEEPER_S = 5.0


@handles("upgrade")
async def upgrade(service: Service, python: str, version: str, service_pid: int) -> Result:
    if service_pid != os.getpid():  # it was replaced by this service, and the client repeats its request
        return service.status_document()
    if service.settings.owned:
        raise RefusedError(
            "a private server cannot be upgraded", remedy="start the program that owns it with the other release"
        )
    await asyncio.to_thread(_check, service.takeover_arguments(), service.stored_tree(), python, version)
    service.keeper.upgrade(python)
    await asyncio.sleep(_KEEPER_S)
    raise TimedOutError("the keeper did not replace the service", remedy="look at the server's log (`phux status`)")


def _check(arguments: list[str], stored_tree: bytes, python: str, version: str) -> None:
    """Raise RefusedError unless an interpreter has a release that can take over."""
    if not os.path.isabs(python):
        raise RefusedError(f"the Python interpreter {python!r} is not an absolute path")
    try:
        tried = subprocess.run(
            [python, "-P", "-m", "phux_core.server.takeover", *arguments],
            input=stored_tree,
            capture_output=True,
            timeout=_CHECK_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RefusedError(f"phux {version} cannot be tried: {error}") from error
    if tried.returncode:
        lines = tried.stderr.decode(errors="replace").splitlines() or [f"exit status {tried.returncode}"]
        raise RefusedError(
            f"phux {version} cannot take over, so the service stays: {lines[-1]}",
            remedy="check that installation with its `phux doctor`; or end the server, and all programs in it, "
            "with `phux kill --server`",
        )
    found = tried.stdout.decode(errors="replace").strip()
    if found != version:
        raise RefusedError(
            f"{python} has phux {found} for the server, not {version}",
            remedy="install that release so that this interpreter finds it without PYTHONPATH",
        )
