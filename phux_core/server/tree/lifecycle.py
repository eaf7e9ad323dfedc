"""Remove dead panes after a while, and end the server when it is no longer needed.

- A dead pane stays readable for ``keep_dead`` seconds. At most ``MAX_DEAD`` are kept; the oldest are removed first.
- The server ends when its last session has ended: at once, or if clients are connected, after a second in which one of
  them may create another session. A server with an owner ends only with its owner.
- ``exit_after_idle`` ends the server after this time without a client, whatever runs in it.
- A server started for a first session ends soon if none is created.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from phux_core.server.tree.records import Tree

DEFAULT_KEEP_DEAD_S = 300.0
MAX_DEAD = 64
_UNUSED_S = 5.0
_EMPTY_S = 1.0


class Lifecycle:
    """The timers that end panes and the server.

    Args:
        keep_dead_s: How long dead panes are kept; None for the default.
        exit_after_idle_s: How long the server runs without clients; None for ever.
        empty_exit: Whether the server ends when its last session has ended.
        unused_exit: Whether a server that never had a session ends when no client is connected.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        tree: Tree,
        *,
        remove_panes: Callable[[list[int]], None],
        shutdown: Callable[[str], None],
        keep_dead_s: float | None,
        exit_after_idle_s: float | None,
        empty_exit: bool,
        unused_exit: bool,
    ) -> None:
        self._loop = loop
        self._tree = tree
        self._remove_panes = remove_panes
        self._shutdown = shutdown
        self._keep_dead_s = DEFAULT_KEEP_DEAD_S if keep_dead_s is None else keep_dead_s
        self._exit_after_idle_s = exit_after_idle_s
        self._empty_exit = empty_exit
        self._unused_exit = unused_exit
        self._had_session = tree.next_session_id > 1  # also under an earlier service
        self._clients = 0
        self._idle_timers: list[asyncio.TimerHandle] = []
        self._dead_timer: asyncio.TimerHandle | None = None
        self._empty_timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Start the timers; callbacks may be called from now on."""
        self._arm_idle()
        self.tree_changed()

    def client_connected(self) -> None:
        """Record that a client has connected."""
        self._clients += 1
        for timer in self._idle_timers:
            timer.cancel()
        self._idle_timers.clear()

    def client_disconnected(self) -> None:
        """Record that a client has disconnected."""
        self._clients -= 1
        if self._clients == 0:
            self._arm_idle()
            if self._empty_timer is not None:
                self._empty_timer.cancel()
                self._end_empty()

    def tree_changed(self) -> None:
        """Check what can be ended; call after every change of the tree."""
        if self._empty_timer is not None:
            self._empty_timer.cancel()
            self._empty_timer = None
        if self._tree.sessions:
            self._had_session = True
        elif self._had_session and self._empty_exit:
            if self._clients:
                # A connected client may be about to create the next session.
                self._empty_timer = self._loop.call_later(_EMPTY_S, self._end_empty)
            else:
                self._end_empty()
            return
        self._clear_dead_panes()

    def _end_empty(self) -> None:
        self._shutdown("its last session has ended")

    def _arm_idle(self) -> None:
        if self._exit_after_idle_s is not None:
            self._idle_timers.append(
                self._loop.call_later(
                    self._exit_after_idle_s, self._shutdown, f"no client for {self._exit_after_idle_s:g} s"
                )
            )
        if self._unused_exit and not self._had_session:
            self._idle_timers.append(self._loop.call_later(_UNUSED_S, self._end_if_unused))

    def _end_if_unused(self) -> None:
        if not self._had_session:
            self._shutdown("no session was created")

    def _clear_dead_panes(self) -> None:
        if self._dead_timer is not None:
            self._dead_timer.cancel()
            self._dead_timer = None
        dead = sorted((pane.died_at or 0.0, pane.id) for pane in self._tree.panes() if pane.dead)
        now = time.time()
        overdue = [pane for died_at, pane in dead if died_at + self._keep_dead_s <= now]
        too_many = [pane for _died_at, pane in dead[: max(0, len(dead) - MAX_DEAD)]]
        if overdue or too_many:
            self._remove_panes(list(dict.fromkeys(overdue + too_many)))
            self.tree_changed()
        elif dead:
            self._dead_timer = self._loop.call_later(dead[0][0] + self._keep_dead_s - now, self.tree_changed)
