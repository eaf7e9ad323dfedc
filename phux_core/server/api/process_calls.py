"""The calls that start, signal and stop what runs in a pane."""

from __future__ import annotations

import os
import signal
import termios
import time
from typing import TYPE_CHECKING

from phux_core.errors import (
    BadRequestError,
    NoSuchTargetError,
    PaneClosedError,
    PhuxError,
    RefusedError,
    TimedOutError,
)
from phux_core.server.run.record import RunRequest

if TYPE_CHECKING:
    from phux_core.server.api.connection import Connection, Result
    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.pane import Pane

MOST_HISTORY = 1_000_000
_MOST_RUN_ID = 64
_GRACE_MS, _MOST_GRACE_MS = 2000, 60_000
# Characters that the terminal turns into a signal for its foreground (termios(3)), while it does so at all (ISIG).
_KEYS = {"INT": termios.VINTR, "QUIT": termios.VQUIT, "TSTP": termios.VSUSP}
_STEPS = ("INT", "TERM", "KILL")
# How long a command that was typed may take to begin, and the shell to give it the terminal.
_BEGIN_S = 2.0
_FORK_S = 0.25


class ProcessCalls:
    """Those calls, carried out on one service."""

    def _pane(self, pane_id: int) -> Pane:
        raise NotImplementedError

    async def _start(
        self,
        connection: Connection,
        pane: int,
        id: str,  # noqa: A002
        command: str | None,
        words: list[str] | None,
        queue: bool | None,
    ) -> Result:
        check_command(id, command, words)
        request = RunRequest(id, command, words, None, bool(queue), False, 0, False, "start", connection.client)
        live = self._pane(pane)
        run = await live.runner.start(request, lambda: connection.is_open)
        return {"command": f"{live.id}.{run.number}", "seq": run.typed_seq}

    async def _signal(self, _connection: Connection, pane: int, signal: str | None, shell: bool | None) -> Result:
        live = self._pane(pane)
        if not shell:
            await command_begun(live)
        return send_signal(live, signal or "INT", shell=bool(shell))

    async def _stop(self, _connection: Connection, pane: int, grace_ms: int | None) -> Result:
        grace_ms = _GRACE_MS if grace_ms is None else grace_ms
        if grace_ms > _MOST_GRACE_MS:
            raise BadRequestError(f"grace_ms is {grace_ms}", remedy=f"send at most {_MOST_GRACE_MS}")
        live = self._pane(pane)
        began = time.monotonic()
        sent: list[str] = []
        command = None
        await command_begun(live)
        for name in (*_STEPS, *["KILL"] * 5):
            await live.watch.wait_for(lambda: is_at_rest(live) or not is_on_its_way(live), _BEGIN_S)
            if is_at_rest(live) or is_on_its_way(live):
                break
            hit = send_signal(live, name, shell=False)
            command = command or hit["command"]
            sent.append(name)
            await live.watch.wait_for(lambda: is_at_rest(live), grace_ms / 1000)
        if not (is_at_rest(live) or is_on_its_way(live)):
            raise TimedOutError(f"{command} in @{live.id} does not end, not even by SIGKILL")
        return {
            "stopped": bool(sent),
            "signals": sent,
            "command": command,
            "duration_ms": round((time.monotonic() - began) * 1000),
        }

    def _history_limit(self, _connection: Connection, pane: int, rows: int) -> Result:
        if rows > MOST_HISTORY:
            raise BadRequestError(f"a history of {rows} rows", remedy=f"send 0 to {MOST_HISTORY}")
        self._pane(pane).set_history_limit(rows)
        return {}


def check_command(id_: str, command: str | None, words: list[str] | None) -> None:
    """Check what is to be run.

    Raises:
        BadRequestError: It is nothing, or its id is none.
    """
    if (command is None) == (words is None) or not (words or (command or "").strip()):
        raise BadRequestError("there is no command to run", remedy="send `command`, a shell line, or `words`")
    if len(id_) > _MOST_RUN_ID or not id_.isascii():
        raise BadRequestError(f"the id is {id_[:80]!r}", remedy=f"send at most {_MOST_RUN_ID} ASCII characters")


async def command_begun(pane: Pane) -> None:
    """Wait a moment for a command that was typed to get the terminal, so that a signal does not miss it."""
    watch = pane.watch

    def is_read() -> bool:
        run = pane.runs.current
        return run is None or run.start is not None

    def has_the_terminal() -> bool:
        return not has_command(pane) or (watch.foreground is not None and watch.foreground.shell is None)

    if await watch.wait_for(is_read, _BEGIN_S):
        await watch.wait_for(has_the_terminal, _FORK_S)


def has_command(pane: Pane) -> bool:
    """Tell whether a command is under way in a pane's shell."""
    return pane.tracker.marks.start is not None or pane.runs.current is not None


def is_on_its_way(pane: Pane) -> bool:
    """Tell whether a pane's shell is done with its command, and has not drawn its prompt yet."""
    foreground = pane.watch.foreground
    return foreground is not None and foreground.shell is not None and not has_command(pane)


def is_at_rest(pane: Pane) -> bool:
    """Tell whether nothing runs in a pane: its shell is at its prompt, or it is dead."""
    return pane.watch.state in {"prompt", "dead"}


def send_signal(pane: Pane, name: str, *, shell: bool) -> Result:
    """Send a signal to the foreground of a pane: by its key where the terminal turns that into a signal, else directly.

    Raises:
        PaneClosedError: The program has ended.
        RefusedError: It would hit the shell, or belongs to somebody else.
    """
    if not pane.takes_input:
        raise PaneClosedError(f"the program in @{pane.id} has ended")
    foreground = pane.look()
    if foreground is None:
        raise NoSuchTargetError(f"nothing has the terminal of @{pane.id} now", remedy="look at it: phux snapshot")
    # A loop runs in the shell itself, and C-c ends it and not the shell.
    interrupts_loop = name == "INT" and foreground.shell is not None and has_command(pane)
    if foreground.shell is not None and not shell and not interrupts_loop:
        raise RefusedError(
            f"{foreground.name}, the shell, has the terminal of @{pane.id}, and no command to signal",
            remedy="signal the shell itself with --shell (shell=True)",
        )
    through = _through_tty(pane, name, foreground)
    if not through:
        try:
            os.killpg(foreground.pgid, getattr(signal, f"SIG{name}"))
        except ProcessLookupError:
            raise NoSuchTargetError(f"{foreground.name} in @{pane.id} has just ended", remedy="") from None
        except PermissionError:
            raise RefusedError(f"{foreground.name} in @{pane.id} belongs to somebody else") from None
    pane.watch.touch()
    return {
        "signal": name,
        "pgid": foreground.pgid,
        "pid": foreground.pid,
        "command": foreground.name,
        "through": "tty" if through else "kill",
    }


def _through_tty(pane: Pane, name: str, foreground: Foreground) -> bool:
    """Type the key that stands for a signal, if the terminal is cooked and has one."""
    if name not in _KEYS or not foreground.canonical:
        return False
    _iflag, _oflag, _cflag, lflag, *_speeds, characters = termios.tcgetattr(pane.fd)
    key = characters[_KEYS[name]]
    if not lflag & termios.ISIG or not isinstance(key, bytes) or key == b"\0":
        return False
    try:
        pane.type([{"text": key.decode("latin-1")}])
    except PhuxError:  # what was typed before is not read
        return False
    return True
