"""What each call does. One method a call, named like it; parameters are checked by the registry before."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING, Any

from phux_core import calls
from phux_core.errors import (
    BadRequestError,
    CannotExecuteError,
    LimitError,
    NameInUseError,
    NoSuchTargetError,
    RefusedError,
)
from phux_core.selector import check_session_name
from phux_core.server import launch
from phux_core.server.attach_calls import AttachCalls
from phux_core.server.capture import DEFAULT_BYTES, MOST_BYTES
from phux_core.server.run_record import RunRequest
from phux_core.server.screen import read_screen
from phux_core.server.tree import PaneRecord

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from phux_core.server.connection import Connection, Result
    from phux_core.server.pane import Pane
    from phux_core.server.service import Service

MAX_PANES = 2000
MAX_SUBSCRIPTIONS = 1000
_KILL_WAIT_S = 3.0
_READY_S = 2.0
_MAX_RUN_ID = 64


class Dispatch(AttachCalls):
    """The calls, carried out on one service."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self._reserved_names: set[str] = set()

    def handle(self, connection: Connection, name: object, params: object) -> Result | Awaitable[Result]:
        """Check a call and carry it out.

        Raises:
            PhuxError: It cannot be; the error says why.
        """
        call, checked = calls.check(name, params)
        self._service.attachments.used(connection, call.name)
        method = getattr(self, f"_{call.name}")
        outcome: Result | Awaitable[Result] = method(connection, **checked)
        return outcome

    # Reading

    def _status(self, _connection: Connection) -> Result:
        return self._service.status_document()

    def _tree(self, _connection: Connection) -> Result:
        return self._service.tree_document()

    def _snapshot(self, _connection: Connection, pane: int, scrollback: int | None, cells: bool | None) -> Result:
        return read_screen(self._pane(pane), scrollback=scrollback, cells=bool(cells))

    def _subscribe(
        self,
        connection: Connection,
        pane: int | None,
        output: bool | None,
        since: int | None,
        output_only: bool | None,
        screen: bool | None,
    ) -> Result:
        if output and pane is None:
            raise BadRequestError("the text of all panes cannot be pushed at once", remedy="send `pane` with `output`")
        if not output and (since is not None or output_only or screen):
            raise BadRequestError("`since`, `output_only` and `screen` come with text", remedy="send `output` too")
        live = None if pane is None else self._pane(pane)
        if len(self._service.events.numbers_of(connection)) >= MAX_SUBSCRIPTIONS:
            raise LimitError(f"this connection has {MAX_SUBSCRIPTIONS} subscriptions", remedy="end some of them")
        events = self._service.events
        if live is None:
            return {"subscription": events.subscribe(connection, None)}
        if output:
            number, since = events.follow(
                connection, live, since=since, output_only=bool(output_only), screen=bool(screen)
            )
        else:
            number, since = events.subscribe(connection, live.id), live.seq
        if live.record.dead:
            events.tell_of_death(connection, number, live)
        outputs = live.commands.outputs
        return {
            "subscription": number,
            "seq": live.seq,
            "since": since,
            "marks": live.commands.at_prompt is not None,
            "command_end": outputs[-1][1] if outputs else None,
        }

    def _unsubscribe(self, connection: Connection, subscription: int) -> Result:
        self._service.events.unsubscribe(connection, subscription)
        return {}

    # Making

    async def _new_session(
        self,
        _connection: Connection,
        name: str | None,
        cwd: str,
        command: list[str] | None,
        env: dict[str, str] | None,
        extra_env: dict[str, str] | None,
        cols: int | None,
        rows: int | None,
    ) -> Result:
        service = self._service
        cols, rows = launch.check_size(cols, rows)
        launch.check_cwd(cwd)
        if service.stopping:
            raise RefusedError("the server is ending", remedy="try again in a moment; a new one will be started")
        if len(service.panes) + len(self._reserved_names) >= MAX_PANES:
            raise LimitError(f"{MAX_PANES} panes are open, and there may be no more", remedy="kill some of them")
        name = self._take_name(name)
        try:
            pane_id = service.tree.take_pane_id()
            environment = launch.build_environment(
                dict(os.environ) if env is None else env, extra_env or {}, socket=service.socket_path, pane=pane_id
            )
            argv = launch.resolve_command(command, environment, cwd)
            program = os.path.basename(argv[0])
            argv, environment, nonce = launch.integrate_shell(argv, environment)
            try:
                child = await service.keeper.spawn(pane_id, argv, cwd=cwd, env=environment, cols=cols, rows=rows)
            except CannotExecuteError as error:
                raise CannotExecuteError(
                    f"the command {argv[0]!r} cannot be executed: {error.message}", remedy=error.remedy
                ) from error
            self._clear_dead_holder(name)
            record = PaneRecord(pane_id, cols, rows, program, cwd, child.pid, time.time(), nonce=nonce)
            session = service.tree.add_session(name, program, record)
            pane = service.add_pane(record, child.master, child.journal, wait_status=child.status)
        finally:
            self._reserved_names.discard(name)
        service.tree_changed()
        service.events.emit("pane_spawned", pane=pane_id, seq=0)
        pane.watch.look_now()
        if launch.is_shell(program):
            # Whoever types next is to find a prompt. One that takes long (a slow rc file) is not waited for.
            await asyncio.wait([pane.ready], timeout=_READY_S)
        return {
            "session": session.name,
            "session_id": session.id,
            "window_id": session.windows[0].id,
            "pane_id": pane_id,
        }

    def _take_name(self, name: str | None) -> str:
        """Reserve a name until its session stands, so that two callers cannot both get it."""
        tree = self._service.tree
        if name is None:
            name = tree.free_name(self._reserved_names)
        else:
            check_session_name(name)
            holder = tree.session_named(name)
            if name in self._reserved_names or (holder is not None and holder.alive):
                raise NameInUseError(f"a session called {name!r} lives already")
        self._reserved_names.add(name)
        return name

    def _resize(self, _connection: Connection, pane: int, cols: int, rows: int) -> Result:
        self._pane(pane).resize(*launch.check_size(cols, rows))
        self._service.tree_changed()
        return {}

    def _rename(self, _connection: Connection, scope: str, id: int, name: str) -> Result:  # noqa: A002
        named = self._service.tree.session_or_window(scope, id)
        if named is None:
            raise NoSuchTargetError(f"there is no {scope} with the id {id} that can have a name")
        if scope == "session" and name != named.name:
            self._reserved_names.discard(self._take_name(name))
        check_session_name(name)
        named.name = name
        self._service.tree_changed()
        self._service.events.emit("renamed", what=scope, id=id, name=name)
        return {}

    def _clear_dead_holder(self, name: str) -> None:
        """Forget a session of that name of which only dead panes are left: whoever wants the name is done with them."""
        holder = self._service.tree.session_named(name)
        if holder is not None:
            self._service.remove_panes([record.id for record in holder.panes()])

    # Typing

    async def _input(self, _connection: Connection, pane: int, items: list[dict[str, Any]]) -> Result:
        size, written = self._pane(pane).type(items)
        await written
        return {"bytes": size}

    async def _run(
        self,
        connection: Connection,
        pane: int,
        id: str,  # noqa: A002
        command: str | None,
        words: list[str] | None,
        timeout_ms: int | None,
        queue: bool | None,
        interrupt: bool | None,
        max_bytes: int | None,
        raw: bool | None,
    ) -> Result:
        if (command is None) == (words is None) or not (words or (command or "").strip()):
            raise BadRequestError("there is no command to run", remedy="send `command`, a shell line, or `words`")
        if len(id) > _MAX_RUN_ID or not id.isascii():
            raise BadRequestError(f"the id is {id[:80]!r}", remedy=f"send at most {_MAX_RUN_ID} ASCII characters")
        most = DEFAULT_BYTES if max_bytes is None else max_bytes
        if most > MOST_BYTES:
            raise BadRequestError(f"max_bytes is {most}", remedy=f"send at most {MOST_BYTES}")
        timeout_s = None if timeout_ms is None else timeout_ms / 1000
        request = RunRequest(id, command, words, timeout_s, bool(queue), bool(interrupt), most, bool(raw))
        return await self._pane(pane).runs.run(request, lambda: connection.is_open)

    # Ending

    async def _kill(self, _connection: Connection, scope: str, id: int) -> Result:  # noqa: A002
        service = self._service
        records = service.tree.panes_of(scope, id)
        if not records:
            raise NoSuchTargetError(f"there is no {scope} with the id {id}")
        running = [record.id for record in records if not record.dead]
        ended = [service.when_dead(pane_id) for pane_id in running]
        for pane_id in running:
            service.keeper.end(pane_id)
        if ended:
            # One that even SIGKILL does not end (it hangs in the kernel) is forgotten all the same.
            await asyncio.wait(ended, timeout=_KILL_WAIT_S)
        service.remove_panes([record.id for record in records])
        service.tree_changed()
        return {"killed": len(records)}

    def _kill_server(self, _connection: Connection) -> Result:
        # The reply goes out before the keeper is told, and so before the connection closes.
        self._service.loop.call_soon(self._service.shutdown, "a client asked for it")
        return {}

    def _pane(self, pane_id: int) -> Pane:
        pane = self._service.panes.get(pane_id)
        if pane is None:
            raise NoSuchTargetError(f"there is no pane @{pane_id}")
        return pane
