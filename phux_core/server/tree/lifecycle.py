"""Remove dead panes after a while, and end the server when it is no longer needed.

- A dead pane stays readable for ``keep_dead`` seconds. At most ``MAX_DEAD`` are kept; the oldest are removed first.
- The server ends when its last session has ended: at once, or if clients are connected, after a second in which one of
  them may create another session. A server with an owner ends only with its owner.
- ``exit_after_idle`` ends the server after this time without a client, even if programs are running.
- A server started for a first session ends soon if none is created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from phux_core.clock import boottime

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Collection, Iterator

    from phux_core.server.settings import Settings
    from phux_core.server.tree.records import Tree

DEFAULT_KEEP_DEAD_S = 300.0
MAX_DEAD = 64
_UNUSED_S = 5.0
_EMPTY_S = 1.0


@define(eq=False)
class Lifecycle:
    """Removes dead panes, and ends the server, given the reason."""

    _loop: asyncio.AbstractEventLoop
    _tree: Tree
    _settings: Settings
    _clients: Collection[object]
    _remove_panes: Callable[[list[int]], None]
    _shutdown: Callable[[str], None]
    _had_session: bool = field(init=False)
    _changed_at: float = field(default=0.0, init=False)
    _idle_since: float = field(init=False)
    _timer: asyncio.TimerHandle | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self._had_session = self._tree.next_session_id > 1  # also under an earlier service
        self._idle_since = self._loop.time()

    def client_disconnected(self) -> None:
        if not self._clients:
            self._idle_since = self._loop.time()
            self._check()

    def tree_changed(self) -> None:
        """Check for panes to remove and reasons to end; call at the start and after every change of the tree."""
        self._had_session |= bool(self._tree.sessions)
        self._changed_at = self._loop.time()
        self._check()

    def _check(self) -> None:
        """Remove panes and end the server if it is time, and check again later."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        waits = []
        for end_at, why in self._ends():
            waits.append(end_at - self._loop.time())
            if waits[-1] <= 0:
                self._shutdown(why)
                return
        dead = sorted((pane.dead_since or 0.0, pane.id) for pane in self._tree.panes() if pane.dead)
        now = boottime()
        keep_s = DEFAULT_KEEP_DEAD_S if self._settings.keep_dead is None else self._settings.keep_dead
        overdue = [pane for dead_since, pane in dead if dead_since + keep_s <= now]
        too_many = [pane for _dead_since, pane in dead[: max(0, len(dead) - MAX_DEAD)]]
        if overdue or too_many:
            self._remove_panes(list(dict.fromkeys(overdue + too_many)))
            self.tree_changed()
            return
        if dead:
            waits.append(dead[0][0] + keep_s - now)
        if waits:
            self._timer = self._loop.call_later(min(waits), self._check)

    def _ends(self) -> Iterator[tuple[float, str]]:
        """Yield when and why the server ends, unless something changes."""
        if not self._settings.owned and self._had_session and not self._tree.sessions:
            # A connected client may be about to create the next session.
            yield self._changed_at + (_EMPTY_S if self._clients else 0.0), "its last session has ended"
        if self._clients:
            return
        idle_s = self._settings.exit_after_idle
        if idle_s is not None:
            yield self._idle_since + idle_s, f"no client for {idle_s:g} s"
        # A server in the foreground waits for its first session for ever, and so does one that a program owns.
        if self._settings.log is not None and not (self._settings.owned or self._had_session):
            yield self._idle_since + _UNUSED_S, "no session was created"
