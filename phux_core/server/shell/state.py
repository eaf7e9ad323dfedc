"""What state a pane is in, and when to look again.

Judges from what the kernel tells (foreground), the screen's mode and the shell's marks, never from text. Does no
looking of its own: the pane brings it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from phux_core.server.sync.waker import Alarm

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from phux_core.server.kernel.foreground import Foreground

State = Literal["prompt", "running", "awaiting_input", "awaiting_secret", "fullscreen", "dead"]
STATES: tuple[State, ...] = get_args(State)

_OF_READS: dict[str, State] = {"shown": "awaiting_input", "hidden": "awaiting_secret"}
# Nothing changes in these without output or typing.
_RESTING = frozenset({"prompt", "fullscreen", "dead"})
# A look that comes in the middle of a burst sees what is over in a moment; one that never comes is worse.
_QUIET_S = 0.02
_LATEST_S = 0.1
# A program may begin to wait without a word (sleep 5; read x), so what does not rest is looked at again: soon at first,
# then once a second, and the longer nothing happened the more seldom.
_GAPS_S = (0.05, 0.1, 0.2, 0.4, 0.8, 1.0)
_LONGEST_GAP_S = 10.0
_OF_THE_TIME = 0.2
# One that waits for input seldom goes on without that.
_OF_THE_TIME_WAITING = 1.0


def judge(
    foreground: Foreground | None,
    *,
    alt_screen: bool,
    at_prompt: bool | None,
    unready: bool = False,
    in_command: bool = False,
    reads: str | None = None,
    pane_pid: int,
) -> State:
    """Tell the state of a pane whose program lives.

    Args:
        foreground: What is in the foreground of its terminal, if anything.
        alt_screen: Whether the alternate screen is shown.
        at_prompt: What the marks of the pane's own shell say: True if it drew its prompt and began no command since,
            False if a command runs, None if it never sent any.
        unready: Whether it is about to draw its prompt, or to take a line that was entered there.
        in_command: Whether what is in the foreground is a shell that waits in a command, and not at its prompt.
        reads: What the pane's own shell says of the line that it reads for a command, if it says so: shown, or hidden.
        pane_pid: The pane's first process, which leads the terminal's session.
    """
    if alt_screen:
        return "fullscreen"
    if foreground is None or unready:
        return "running"
    # Shells turn the echo off too while they edit a line, but only a program that asks for a secret leaves the
    # editing of it to the terminal.
    secret = foreground.canonical and not foreground.echo
    marked = foreground.pgid == pane_pid and at_prompt is not None
    if marked and at_prompt:
        return "prompt"
    shell = foreground.shell is not None and not marked and not in_command
    if foreground.waiting is None:
        if secret:
            return "awaiting_secret"
        return "prompt" if shell and not foreground.canonical else "running"
    if not foreground.waiting:
        return "running"
    if secret:
        return "awaiting_secret"
    if marked and foreground.shell == "fish" and not foreground.canonical:
        # It waits for its own threads as well, and says when it reads a line.
        return _OF_READS.get(reads or "", "running")
    return "prompt" if shell else "awaiting_input"


class StateWatch:
    """Keeps one pane's state up to date: looks when something happened, seldom otherwise.

    Args:
        loop: The event loop.
        look: Tells the state of now.
        on_change: Called when the state changed, or the process in the foreground or its name.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        look: Callable[[], tuple[State, Foreground | None]],
        on_change: Callable[[State, Foreground | None], None],
    ) -> None:
        self.state: State = "running"
        self.foreground: Foreground | None = None
        self._loop = loop
        self._look = look
        self._on_change = on_change
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False
        # A burst of touches: whether one is on, when it began, and its last touch.
        self._touched = False
        self._first_touch = 0.0
        self._last_touch = 0.0
        self._next_gap = 0
        self._looked = Alarm()

    @property
    def front(self) -> tuple[int, str] | None:
        """The process in the foreground, by number and name."""
        return None if self.foreground is None else (self.foreground.pid, self.foreground.name)

    async def wait_for(self, condition: Callable[[], bool], timeout_s: float) -> bool:
        """Wait until something holds that may change whenever the pane is looked at.

        Returns:
            Whether it holds.
        """
        deadline = self._loop.time() + timeout_s
        self.look_now()
        while not condition():
            remaining = deadline - self._loop.time()
            if remaining <= 0:
                return False
            await self._looked.wait(remaining)
        return True

    def touch(self) -> None:
        """Note that there was output or that something was typed: look soon, and again later."""
        self._last_touch = self._loop.time()
        if not self._touched and not self._closed:
            self._touched = True
            self._first_touch = self._last_touch
            self._set_timer(self._last_touch + _QUIET_S)

    def look_now(self) -> None:
        """Look at once: a mark came."""
        if self._closed:
            return
        self._next_gap = 0
        if not self._touched:  # else the look at the end of the burst stays due
            self._stop_timer()
        self._update()

    def look_if_due(self) -> None:
        """Look at once if something happened since the last time: somebody asks."""
        if self._touched:
            self.look_now()

    def close(self) -> None:
        """Look no more."""
        self._closed = True
        self._stop_timer()

    def _set_timer(self, when: float) -> None:
        self._stop_timer()
        self._timer = self._loop.call_at(when, self._on_timer)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._timer = None
        if self._touched:
            due = min(self._last_touch + _QUIET_S, self._first_touch + _LATEST_S)
            if self._loop.time() < due:
                self._set_timer(due)
                return
            self._touched = False
            self._next_gap = 0
        self._update()

    def _update(self) -> None:
        state, foreground = self._look()
        if self._closed:
            return
        before, self.state = self.state, state
        was, self.foreground = self.front, foreground
        # What is told may touch or close the watch; so the timer comes first.
        if self._timer is None and state not in _RESTING:
            now = self._loop.time()
            gap = _GAPS_S[self._next_gap]
            if self._next_gap < len(_GAPS_S) - 1:
                self._next_gap += 1
            else:
                share = _OF_THE_TIME if state == "running" else _OF_THE_TIME_WAITING
                gap = max(gap, min(_LONGEST_GAP_S, (now - self._last_touch) * share))
            self._set_timer(now + gap)
        self._looked.ring()
        if state != before or self.front != was:
            self._on_change(state, foreground)
