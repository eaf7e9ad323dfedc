"""Calls that start, signal and stop programs in a pane."""

from __future__ import annotations

import contextlib
import os
import signal
import termios
import time
from typing import TYPE_CHECKING, Any, TypeVar

from phux_core.errors import (
    BadRequestError,
    DisconnectedError,
    NoSuchTargetError,
    PaneClosedError,
    PhuxError,
    RefusedError,
    TimedOutError,
)
from phux_core.server.api.handlers import find_pane, handles
from phux_core.server.run.record import RunRequest

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

    from phux_core.server.connection import Answer, Connection, Result
    from phux_core.server.kernel.foreground import Foreground
    from phux_core.server.pane import Pane
    from phux_core.server.receipts import Receipt
    from phux_core.server.service import Service

# Characters that the terminal turns into a signal for its foreground process group (termios(3)), if ISIG is set.
_KEYS = {"INT": termios.VINTR, "QUIT": termios.VQUIT, "TSTP": termios.VSUSP}
_STEPS = ("INT", "TERM", "KILL")
# How long a typed command may take to start and get the terminal from the shell.
_BEGIN_S = 2.0
_FORK_S = 0.25
_Outcome = TypeVar("_Outcome")


@handles("run")
def run(service: Service, connection: Connection, pane: int, timeout_ms: int | None, **rest: Any) -> Answer:
    timeout_s = None if timeout_ms is None else timeout_ms / 1000
    request = _request(**rest, timeout_s=timeout_s, client=connection.client)
    live = find_pane(service, pane)
    with _fate(live, request):
        answer = live.runner.run_now(request)
    return answer or _with_fate(live, request, live.runner.run(request, lambda: connection.is_open))


@handles("start")
async def start(service: Service, connection: Connection, pane: int, **rest: Any) -> Result:
    request = _request(**rest, by="start", client=connection.client)
    live = find_pane(service, pane)
    started = await _with_fate(live, request, live.runner.start(request, lambda: connection.is_open))
    return {"command": f"{live.id}.{started.number}", "seq": started.typed_seq, "start": started.start}


async def _with_fate(pane: Pane, request: RunRequest, outcome: Awaitable[_Outcome]) -> _Outcome:
    with _fate(pane, request):
        return await outcome


@contextlib.contextmanager
def _fate(pane: Pane, request: RunRequest) -> Iterator[None]:
    """Add to an error whether the command was typed."""
    try:
        yield
    except PhuxError as error:
        error.executed = pane.ledger.requested(request.id) is not None
        raise


def _request(**values: Any) -> RunRequest:
    request = RunRequest(**values)
    command, words = request.command, request.words
    if (command is None) == (words is None) or not (words or (command or "").strip()):
        raise BadRequestError("there is no command to run", remedy="send `command`, a shell line, or `words`")
    return request


@handles("signal")
async def signal_foreground(service: Service, pane: int, signal: str, shell: bool, receipt: Receipt) -> Result:
    if receipt.progress is not None:
        raise DisconnectedError(f"the service died while it sent a signal to @{pane}; it may have been sent")
    live = find_pane(service, pane)
    if not shell:
        await command_begun(live)
    receipt.record_progress({})
    return send_signal(live, signal, shell=shell)


@handles("stop")
async def stop(service: Service, pane: int, grace_ms: int, receipt: Receipt) -> Result:
    live = find_pane(service, pane)
    progress = receipt.progress or {"signals": [], "command": None, "began": time.monotonic()}
    sent, command, began = progress["signals"], progress["command"], progress["began"]
    await command_begun(live)
    if sent:  # by an earlier service
        await live.watch.wait_for(lambda: is_at_rest(live), grace_ms / 1000)
    for name in (*_STEPS, *["KILL"] * 5)[len(sent) :]:
        await command_over(live)
        if is_at_rest(live) or is_before_prompt(live):
            break
        foreground = live.shell.foreground()
        command = command or (foreground.name if foreground is not None else None)
        receipt.record_progress({"signals": [*sent, name], "command": command, "began": began})
        try:
            send_signal(live, name, shell=False)
        except PhuxError:
            live.watch.look_now()
            if is_at_rest(live) or is_before_prompt(live):  # the command has just ended
                continue
            raise
        sent.append(name)
        await live.watch.wait_for(lambda: is_at_rest(live), grace_ms / 1000)
    if not (is_at_rest(live) or is_before_prompt(live)):
        raise TimedOutError(f"{command} in @{live.id} does not end, not even by SIGKILL")
    return {
        "stopped": bool(sent),
        "signals": sent,
        "command": command if sent else None,
        "duration_ms": round((time.monotonic() - began) * 1000),
    }


async def command_begun(pane: Pane) -> None:
    """Wait briefly for a typed command to get the terminal, so that a signal does not miss it."""
    watch = pane.watch

    def is_read() -> bool:
        run = pane.runs.current
        return run is None or run.start is not None

    def has_the_terminal() -> bool:
        return not has_command(pane) or (watch.foreground is not None and watch.foreground.shell is None)

    if await watch.wait_for(is_read, _BEGIN_S):
        await watch.wait_for(has_the_terminal, _FORK_S)


async def command_over(pane: Pane) -> None:
    """If a pane's command seems to have just ended, wait until its shell is at its prompt, or runs the next program."""
    has_ended = pane.watch.foreground is None

    def is_clear() -> bool:
        foreground = pane.watch.foreground
        if has_ended and foreground is not None and foreground.shell is not None:
            return is_at_rest(pane)  # the shell has taken its terminal back, and reports the end next
        return is_at_rest(pane) or not is_before_prompt(pane)

    await pane.watch.wait_for(is_clear, _BEGIN_S)


def has_command(pane: Pane) -> bool:
    return pane.tracker.marks.start is not None or pane.runs.current is not None


def is_before_prompt(pane: Pane) -> bool:
    """Return whether a command has ended, but its shell has not taken the terminal back or drawn its prompt yet."""
    foreground = pane.watch.foreground
    return foreground is None or (foreground.shell is not None and not has_command(pane))


def is_at_rest(pane: Pane) -> bool:
    """Return whether nothing runs in a pane: its shell is at its prompt, or the pane is dead."""
    state = pane.watch.state
    # A program that was killed may have left the alternate screen on.
    return state in {"prompt", "dead"} or (state == "fullscreen" and pane.tracker.is_marked)


def send_signal(pane: Pane, name: str, *, shell: bool) -> Result:
    """Send a signal to a pane's foreground: by its key if the terminal supports that, else directly.

    Raises:
        RefusedError: The signal would reach the shell, or the process belongs to another user.
    """
    if not pane.takes_input:
        raise PaneClosedError(f"the program in @{pane.id} has ended")
    foreground = pane.shell.foreground()
    if foreground is None:
        raise NoSuchTargetError(f"nothing has the terminal of @{pane.id} now", remedy="look at it: phux snapshot")
    # A loop runs in the shell itself, and C-c ends the loop, not the shell.
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
            raise RefusedError(f"{foreground.name} in @{pane.id} belongs to another user") from None
    pane.watch.touch()
    return {
        "signal": name,
        "pgid": foreground.pgid,
        "pid": foreground.pid,
        "command": foreground.name,
        "through": "tty" if through else "kill",
    }


def _through_tty(pane: Pane, name: str, foreground: Foreground) -> bool:
    """Type the key for a signal, if the terminal turns it into one."""
    if name not in _KEYS or not foreground.canonical:
        return False
    _iflag, _oflag, _cflag, lflag, *_speeds, characters = termios.tcgetattr(pane.fd)
    key = characters[_KEYS[name]]
    if not lflag & termios.ISIG or not isinstance(key, bytes) or key == b"\0":
        return False
    try:
        pane.type([{"text": key.decode("latin-1")}])
    except PhuxError:  # earlier input was not read
        return False
    return True
