"""Calls that create sessions, windows and panes. Each starts a program, or leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from typing import TYPE_CHECKING, Any

from attrs import asdict, frozen

from phux_core import layout
from phux_core.errors import BadRequestError, CannotExecuteError, LimitError, NameInUseError, RefusedError
from phux_core.keeper.journal import blob_key
from phux_core.selector import check_name
from phux_core.server.api.handlers import handles
from phux_core.server.kernel.foreground import working_directory
from phux_core.server.kernel.shell_kind import shell_kind
from phux_core.server.pane_record import PaneRecord
from phux_core.server.shell.pane_shell import current_directory
from phux_core.server.tree import launch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from phux_core.layout import Direction
    from phux_core.server.connection import Result
    from phux_core.server.keeper_link import Child
    from phux_core.server.pane import Pane
    from phux_core.server.receipts import Receipt
    from phux_core.server.service import Service
    from phux_core.server.tree.records import SessionRecord

MAX_PANES = 2000
_READY_S = 2.0


@frozen
class Program:
    """The program of a new pane; the registry of calls describes its fields."""

    cwd: str | None = None
    command: list[str] | None = None
    env: dict[str, str] | None = None
    extra_env: dict[str, str] | None = None
    shell: str | None = None
    login: bool = False


@handles("new_session")
async def new_session(
    service: Service,
    name: str | None,
    window_name: str | None,
    cols: int,
    rows: int,
    log: bool | None,
    history: bool | None,
    receipt: Receipt,
    **rest: Any,
) -> Result:
    program = Program(**rest)
    if program.command and (program.shell or program.login):
        raise BadRequestError(
            "a command cannot be combined with shell or login", remedy="send a command, or a shell and how it starts"
        )
    size = launch.check_size(cols, rows)
    if window_name is not None:
        check_name("window", window_name)
    if program.cwd is not None:
        launch.check_cwd(program.cwd)
    _check_capacity(service)
    if name is None:
        name = service.tree.free_name(service.reserved_names)
    else:
        check_name_is_free(service, name)
    service.reserved_names.add(name)  # until the session exists, so that two callers cannot both get it
    try:
        if history is None:
            history = not service.settings.owned
        record, child = await _start(
            service, receipt, program, program.cwd or launch.home_directory(), size, history=history
        )
        clear_name(service, name)
        session = service.tree.add_session(name, window_name, record)
        session.log = service.settings.log_panes if log is None else log
        session.history = history
        pane = _add_pane(service, receipt, record, child)
    finally:
        service.reserved_names.discard(name)
    return await _finish(service, pane, select=True)


@handles("new_window")
async def new_window(
    service: Service,
    session_id: int,
    name: str | None,
    index: int | None,
    select: bool,
    receipt: Receipt,
    **rest: Any,
) -> Result:
    program = Program(**rest)
    if name is not None:
        check_name("window", name)
    session = _session(service, session_id, index)
    window = session.current
    active = service.panes[window.active_pane]
    cwd = _directory(active, program)
    _check_capacity(service)
    size = service.arranger.size_for(session, (window.cols, window.rows))
    record, child = await _start(service, receipt, program, cwd, size, history=session.history)
    with _discarding(service, child):
        session = _session(service, session_id, index)
        service.tree.add_window(session, name, record, index)
    return await _finish(service, _add_pane(service, receipt, record, child), select=select)


@handles("split")
async def split(
    service: Service,
    pane_id: int,
    direction: Direction,
    cells: int | None,
    percent: int | None,
    select: bool,
    receipt: Receipt,
    **rest: Any,
) -> Result:
    program = Program(**rest)
    arranger = service.arranger
    session, window, pane = arranger.find_shown(pane_id)
    arranger.check_stays([pane], f"@{pane_id}")

    def divided(new: int) -> layout.Layout:
        return layout.split(
            window.layout, window.cols, window.rows, pane_id, new, direction, cells=cells, percent=percent
        )

    placed = layout.arrange(divided(0), window.cols, window.rows).panes[0]
    cwd = _directory(service.panes[pane_id], program)
    _check_capacity(service)
    size = placed.cols, placed.rows
    record, child = await _start(service, receipt, program, cwd, size, history=session.history)
    with _discarding(service, child):
        # Meanwhile the pane may have been resized, moved or killed, so everything is checked again.
        session, window, pane = arranger.find_shown(pane_id)
        arranger.check_stays([pane], f"@{pane_id}")
        divided_now = divided(record.id)
    window.panes.append(record)
    window.lay_out(divided_now)
    window.zoomed = None
    new = _add_pane(service, receipt, record, child)
    window.drop_dead()
    arranger.fit(window)
    return await _finish(service, new, select=select)


def check_name_is_free(service: Service, name: str) -> None:
    """Raise an error if another session has a name, and a program in it is running."""
    check_name("session", name)
    holder = service.tree.session_named(name)
    if name in service.reserved_names or (holder is not None and holder.alive):
        raise NameInUseError(f"a session called {name!r} exists already")


def clear_name(service: Service, name: str) -> None:
    """Remove the session that has a free name: all of its programs have ended."""
    holder = service.tree.session_named(name)
    if holder is not None:
        service.remove_panes([pane.id for pane in holder.panes()])


def _check_capacity(service: Service) -> None:
    if service.stopping:
        raise RefusedError("the server is ending", remedy="try again in a moment; a new one will be started")
    if len(service.panes) + service.starting >= MAX_PANES:
        raise LimitError(f"{MAX_PANES} panes are open, and there may be no more", remedy="kill some of them")
    launch.check_descriptors(service.starting)


def _session(service: Service, session_id: int, index: int | None) -> SessionRecord:
    """Find a session to which a window can be added."""
    session = service.tree.session(session_id)
    service.arranger.check_stays(session.panes(), f"session {session.name!r}")
    service.arranger.check_index(session, index)
    return session


def _directory(beside: Pane, program: Program) -> str:
    """Return the directory in which a program starts: the requested one, or that of the pane beside it."""
    if program.cwd is not None:
        return launch.check_cwd(program.cwd)
    candidates = [current_directory(beside.record), beside.record.cwd]
    if beside.fd >= 0:
        with contextlib.suppress(OSError):  # first that of the foreground program, which the user sees
            candidates.insert(0, working_directory(os.tcgetpgrp(beside.fd)) or "")
    usable = (path for path in candidates if os.path.isdir(path) and os.access(path, os.X_OK))
    return next(usable, "/")


async def _start(
    service: Service, receipt: Receipt, program: Program, cwd: str, size: tuple[int, int], *, history: bool
) -> tuple[PaneRecord, Child]:
    """Start a program, unless an earlier service has started it for the same request."""
    started = service.claim(receipt.key)
    if started is not None:
        return started
    cols, rows = size
    pane_id = service.tree.take_pane_id(service.settings.log_root)
    base = dict(os.environ) if program.env is None else program.env
    environment = launch.build_environment(
        base, program.extra_env or {}, cwd=cwd, socket=service.settings.socket, pane=pane_id
    )
    shell = program.shell or service.settings.shell
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
    record = PaneRecord(pane_id, cols, rows, name, cwd, 0, time.time(), nonce=nonce, shell=kind, request=receipt.key)
    if receipt.key is not None:
        service.keeper.put(blob_key("record", pane_id), json.dumps(asdict(record)).encode())
    service.starting += 1
    try:
        child = await service.keeper.spawn(pane_id, argv, cwd=cwd, env=environment, cols=cols, rows=rows, secret=nonce)
    except CannotExecuteError as error:
        service.keeper.release(pane_id)
        raise CannotExecuteError(
            f"the command {argv[0]!r} cannot be executed: {error.message}", remedy=error.remedy
        ) from error
    finally:
        service.starting -= 1
    record.pid = child.pid
    return record, child


@contextlib.contextmanager
def _discarding(service: Service, child: Child) -> Iterator[None]:
    """End a program if it turns out that there is no place for it any more."""
    try:
        yield
    except BaseException:
        service.discard(child)
        raise


def _add_pane(service: Service, receipt: Receipt, record: PaneRecord, child: Child) -> Pane:
    """Create the pane of a record in the tree; if that fails, remove the record."""
    receipt.record(service.arranger.place(record.id))
    with _discarding(service, child):
        try:
            return service.add_pane(record, child.master, child.journal, wait_status=child.status)
        except BaseException:
            service.tree.remove_pane(record.id)
            raise


async def _finish(service: Service, pane: Pane, *, select: bool) -> Result:
    """Report a new pane, wait for its prompt, and return its place."""
    if select:
        service.arranger.select("pane", pane.id)
    else:
        service.tree_changed()
    service.events.emit("pane_spawned", pane=pane.id, seq=0)
    place = service.arranger.place(pane.id)
    pane.watch.look_now()
    if pane.record.shell is not None:
        # The next input should find a prompt, but a slow rc file must not delay the reply for long.
        await asyncio.wait([pane.ready], timeout=_READY_S)
    return place
