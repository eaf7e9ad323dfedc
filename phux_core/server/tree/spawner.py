"""Making panes: a session's first, a window's first, or beside another. Each starts a program, or leaves nothing."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from phux_core import layout
from phux_core.errors import (
    BadRequestError,
    CannotExecuteError,
    LimitError,
    NameInUseError,
    NoSuchTargetError,
    RefusedError,
)
from phux_core.selector import check_session_name, check_window_name
from phux_core.server.kernel.foreground import working_directory
from phux_core.server.kernel.shell_kind import shell_kind
from phux_core.server.pane_record import PaneRecord
from phux_core.server.shell.observer import current_directory
from phux_core.server.tree import launch

if TYPE_CHECKING:
    from collections.abc import Mapping

    from phux_core.keeper.journal import Journal
    from phux_core.layout import Direction
    from phux_core.server.keeper_link import Child, KeeperLink
    from phux_core.server.pane_events import Events
    from phux_core.server.settings import Settings
    from phux_core.server.shell.state_watch import StateWatch
    from phux_core.server.tree.arranger import Arranger
    from phux_core.server.tree.records import SessionRecord, Tree

MAX_PANES = 2000
_READY_S = 2.0


@frozen
class Program:
    """The program of a new pane; the registry of calls describes its fields."""

    cwd: str | None
    command: list[str] | None
    env: dict[str, str] | None
    extra_env: dict[str, str] | None
    shell: str | None = None
    login: bool = False


class NewPane(Protocol):
    """The parts of a pane that matter when it, or another beside it, is made."""

    record: PaneRecord
    watch: StateWatch
    ready: asyncio.Future[None]

    @property
    def fd(self) -> int:
        """The PTY master; negative once the pane is dead."""


class Host(Protocol):
    """The parts of the service that making panes needs."""

    settings: Settings
    tree: Tree
    arranger: Arranger
    keeper: KeeperLink
    stopping: bool

    @property
    def panes(self) -> Mapping[int, NewPane]:
        """The live panes by their ids."""

    @property
    def events(self) -> Events:
        """Where new panes are reported."""

    def add_pane(self, record: PaneRecord, master: int, journal: Journal, *, wait_status: int | None = None) -> NewPane:
        """Bring a pane to life."""

    def discard(self, child: Child) -> None:
        """End a program that belongs to no pane."""

    def remove_panes(self, pane_ids: list[int]) -> None:
        """Forget panes whose programs have ended."""

    def tree_changed(self) -> None:
        """Save the tree, and tell clients about it."""


class Maker:
    """Makes sessions, windows and panes of one service.

    Args:
        service: The service.
        shell: What runs without a command; None for the shell that the caller's environment names.
    """

    def __init__(self, service: Host, shell: str | None) -> None:
        self._service = service
        self._shell = shell
        self._reserved_names: set[str] = set()
        self._starting = 0

    async def new_session(
        self,
        name: str | None,
        window_name: str | None,
        program: Program,
        cols: int,
        rows: int,
        *,
        log: bool | None = None,
        history: bool | None = None,
    ) -> dict[str, Any]:
        """Make a session with one window and one pane; the registry of calls describes the parameters."""
        if program.command and (program.shell or program.login):
            raise BadRequestError("a command is no shell", remedy="give either a command, or a shell and how it starts")
        size = launch.check_size(cols, rows)
        if window_name is not None:
            check_window_name(window_name)
        if program.cwd is not None:
            launch.check_cwd(program.cwd)
        self._check_room()
        name = self.take_name(name)
        try:
            if history is None:
                history = not self._service.settings.owned
            record, child = await self._start(program, program.cwd or "/", size, history=history)
            self.clear_name(name)
            session = self._service.tree.add_session(name, window_name, record)
            session.log = self._service.settings.log_panes if log is None else log
            session.history = history
            pane = self._bring_to_life(record, child)
        finally:
            self._reserved_names.discard(name)
        return await self._finish(pane, program)

    async def new_window(
        self, session_id: int, name: str | None, index: int | None, program: Program, *, select: bool
    ) -> dict[str, Any]:
        """Make a window with one pane in a session."""
        if name is not None:
            check_window_name(name)
        session = self._session(session_id, index)
        window = session.current
        active = self._service.panes[window.active_pane or window.panes[0].id]
        cwd = self._directory(active, program)
        self._check_room()
        size = self._service.arranger.size_for(session, (window.cols, window.rows))
        record, child = await self._start(program, cwd, size, history=session.history)
        with self._discarding(child):
            session = self._session(session_id, index)
            window = self._service.tree.add_window(session, name, record, index)
        pane = self._bring_to_life(record, child)
        if select:
            session.focus(window.id)
            self._service.tree.focus(session.id)
        return await self._finish(pane, program)

    async def split(
        self,
        pane_id: int,
        direction: Direction,
        cells: int | None,
        percent: int | None,
        program: Program,
        *,
        select: bool,
    ) -> dict[str, Any]:
        """Make a pane beside or below another, out of a part of that."""
        arranger = self._service.arranger
        session, window, pane = arranger.find_shown(pane_id)
        arranger.check_stays([pane], f"@{pane_id}")

        def divided(new: int) -> layout.Layout:
            return layout.split(
                window.layout, window.cols, window.rows, pane_id, new, direction, cells=cells, percent=percent
            )

        placed = layout.arrange(divided(0), window.cols, window.rows).panes[0]
        cwd = self._directory(self._service.panes[pane_id], program)
        self._check_room()
        record, child = await self._start(program, cwd, (placed.cols, placed.rows), history=session.history)
        with self._discarding(child):
            # Meanwhile the pane may have been resized, moved or killed: all is looked at again.
            session, window, pane = arranger.find_shown(pane_id)
            arranger.check_stays([pane], f"@{pane_id}")
            divided_now = divided(record.id)
        window.panes.append(record)
        window.lay_out(divided_now)
        window.zoomed = None
        new = self._bring_to_life(record, child)
        if select:
            window.focus(record.id)
            session.focus(window.id)
            self._service.tree.focus(session.id)
        window.drop_dead()
        arranger.fit(window)
        return await self._finish(new, program)

    def take_name(self, name: str | None) -> str:
        """Reserve a session's name until it stands, so that two callers cannot both get it."""
        tree = self._service.tree
        if name is None:
            name = tree.free_name(self._reserved_names)
        else:
            self.check_name_is_free(name)
        self._reserved_names.add(name)
        return name

    def check_name_is_free(self, name: str) -> None:
        """Refuse a session's name that one has, or that cannot be one's."""
        check_session_name(name)
        holder = self._service.tree.session_named(name)
        if name in self._reserved_names or (holder is not None and holder.alive):
            raise NameInUseError(f"a session called {name!r} lives already")

    def clear_name(self, name: str) -> None:
        """Forget the session that had a free name: all in it has ended, and whoever wants its name is done with it."""
        holder = self._service.tree.session_named(name)
        if holder is not None:
            self._service.remove_panes([pane.id for pane in holder.panes()])

    def _check_room(self) -> None:
        if self._service.stopping:
            raise RefusedError("the server is ending", remedy="try again in a moment; a new one will be started")
        if len(self._service.panes) + self._starting >= MAX_PANES:
            raise LimitError(f"{MAX_PANES} panes are open, and there may be no more", remedy="kill some of them")

    def _session(self, session_id: int, index: int | None) -> SessionRecord:
        """Find a session in which a window can be made."""
        session = self._service.tree.sessions.get(session_id)
        if session is None:
            raise NoSuchTargetError(f"there is no session with the id {session_id}")
        self._service.arranger.check_stays(session.panes(), f"session {session.name!r}")
        self._service.arranger.check_index(session, index)
        return session

    def _directory(self, beside: NewPane, program: Program) -> str:
        """Say where a program starts: where it was told to, or where the pane beside it is."""
        if program.cwd is not None:
            return launch.check_cwd(program.cwd)
        candidates = [current_directory(beside.record), beside.record.cwd]
        if beside.fd >= 0:
            with contextlib.suppress(OSError):  # of the program in the foreground, as whoever sees the pane expects
                candidates.insert(0, working_directory(os.tcgetpgrp(beside.fd)) or "")
        usable = (path for path in candidates if os.path.isdir(path) and os.access(path, os.X_OK))
        return next(usable, "/")

    async def _start(
        self, program: Program, cwd: str, size: tuple[int, int], *, history: bool
    ) -> tuple[PaneRecord, Child]:
        """Have the program of a new pane started."""
        service = self._service
        cols, rows = size
        pane_id = service.tree.take_pane_id(service.settings.log_root)
        base = dict(os.environ) if program.env is None else program.env
        environment = launch.build_environment(
            base, program.extra_env or {}, cwd=cwd, socket=service.settings.socket, pane=pane_id
        )
        shell = program.shell or self._shell
        argv = launch.resolve_command(
            program.command,
            environment,
            cwd,
            shell,
            login=program.login,
            from_config=program.shell is None and bool(shell),
        )
        if shell is not None and not program.command:
            environment["SHELL"] = argv[0]
        name = os.path.basename(argv[0])
        kind = shell_kind(name, argv)
        argv, environment, nonce = launch.integrate_shell(argv, environment, history=history)
        self._starting += 1
        try:
            child = await service.keeper.spawn(pane_id, argv, cwd=cwd, env=environment, cols=cols, rows=rows)
        except CannotExecuteError as error:
            raise CannotExecuteError(
                f"the command {argv[0]!r} cannot be executed: {error.message}", remedy=error.remedy
            ) from error
        finally:
            self._starting -= 1
        return PaneRecord(pane_id, cols, rows, name, cwd, child.pid, time.time(), nonce=nonce, shell=kind), child

    @contextlib.contextmanager
    def _discarding(self, child: Child) -> Any:
        """End a program for which there turns out to be no place any more."""
        try:
            yield
        except BaseException:
            self._service.discard(child)
            raise

    def _bring_to_life(self, record: PaneRecord, child: Child) -> NewPane:
        """Make the pane of a record that stands in the tree; if it cannot be made, it stands there no more."""
        try:
            return self._service.add_pane(record, child.master, child.journal, wait_status=child.status)
        except BaseException:
            self._service.tree.remove_pane(record.id)
            self._service.discard(child)
            raise

    async def _finish(self, pane: NewPane, program: Program) -> dict[str, Any]:
        """Tell of a pane that stands in the tree, and wait for its prompt."""
        service = self._service
        service.tree_changed()
        service.events.emit("pane_spawned", pane=pane.record.id, seq=0)
        place = service.arranger.place(pane.record.id)
        pane.watch.look_now()
        if launch.draws_prompt(pane.record.command, (program.command or [])[1:]):
            # Whoever types next is to find a prompt. One that takes long (a slow rc file) is not waited for.
            await asyncio.wait([pane.ready], timeout=_READY_S)
        return place
