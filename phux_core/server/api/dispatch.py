"""What each call does. One method a call, named like it; parameters are checked by the registry before."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from phux_core import calls
from phux_core.errors import (
    BadRequestError,
    BusyError,
    DisconnectedError,
    LimitError,
    NoSuchTargetError,
)
from phux_core.selector import check_window_name
from phux_core.server.api.attach_calls import AttachCalls
from phux_core.server.api.log_calls import LogCalls
from phux_core.server.api.process_calls import ProcessCalls, check_command
from phux_core.server.run.output_capture import DEFAULT_BYTES, MOST_BYTES
from phux_core.server.run.record import RunRequest
from phux_core.server.screen.painting import is_painted, wait_until_painted
from phux_core.server.screen.snapshot import catch_up, read_screen
from phux_core.server.tree.records import WindowRecord
from phux_core.server.tree.spawner import Program

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from phux_core.layout import Direction, Side, Step
    from phux_core.server.api.connection import Answer, Connection, Result
    from phux_core.server.pane import Pane
    from phux_core.server.service import Service
    from phux_core.server.tree.spawner import Maker

MAX_SUBSCRIPTIONS = 1000
_KILL_WAIT_S = 3.0


class Dispatch(AttachCalls, LogCalls, ProcessCalls):
    """The calls, carried out on one service."""

    def __init__(self, service: Service, maker: Maker) -> None:
        super().__init__(service)
        self._maker = maker
        self._arranger = service.arranger

    def handle(self, connection: Connection, name: object, params: object) -> Answer:
        """Check a call and carry it out.

        Raises:
            PhuxError: It cannot be; the error says why.
        """
        call, checked = calls.check(name, params)
        self._service.attachments.check_allowed(connection, call.name)
        method = getattr(self, f"_{call.name}")
        answer: Answer = method(connection, **checked)
        return answer

    # Reading

    def _status(self, _connection: Connection) -> Result:
        return self._service.status_document()

    def _tree(self, _connection: Connection) -> Result:
        return self._service.tree_document()

    def _snapshot(
        self,
        _connection: Connection,
        pane: int,
        scrollback: int | None,
        cells: bool | None,
        since: int | None,
        painted: bool | None,
    ) -> Result | Awaitable[Result]:
        if painted and not is_painted(self._pane(pane)):
            return self._snapshot_when_painted(pane, scrollback, cells, since)
        return self._snapshot_now(pane, scrollback, cells, since)

    def _snapshot_now(self, pane: int, scrollback: int | None, cells: bool | None, since: int | None) -> Result:
        read = self._pane(pane)
        catch_up(read)
        return read_screen(read, scrollback=scrollback, cells=bool(cells), since=since)

    async def _snapshot_when_painted(
        self, pane: int, scrollback: int | None, cells: bool | None, since: int | None
    ) -> Result:
        await wait_until_painted(self._pane(pane))
        return self._snapshot_now(pane, scrollback, cells, since)  # it may have been killed meanwhile

    def _subscribe(
        self,
        connection: Connection,
        pane: int | None,
        output: bool | None,
        since: int | None,
        output_only: bool | None,
        screen: bool | None,
        hold_ms: int | None,
    ) -> Result | Awaitable[Result]:
        if output and pane is None:
            raise BadRequestError("the text of all panes cannot be pushed at once", remedy="send `pane` with `output`")
        if not output and (since is not None or output_only or screen):
            raise BadRequestError("`since`, `output_only` and `screen` come with text", remedy="send `output` too")
        live = None if pane is None else self._pane(pane)
        if len(self._service.events.numbers_of(connection)) >= MAX_SUBSCRIPTIONS:
            raise LimitError(f"this connection has {MAX_SUBSCRIPTIONS} subscriptions", remedy="end some of them")
        events = self._service.events
        if live is None:
            if hold_ms is not None:
                raise BadRequestError("only a pane can be held", remedy="send `pane` with `hold_ms`")
            return {"subscription": events.subscribe(connection, None)}
        if hold_ms is not None:
            return self._hold(connection, live, hold_ms)
        if output:
            number, since = events.follow(
                connection, live, since=since, output_only=bool(output_only), screen=bool(screen)
            )
        else:
            number, since = events.subscribe(connection, live.id), live.seq
        if live.record.dead:
            events.tell_of_death(connection, number, live)
        return self._subscribed(live, number, since)

    @staticmethod
    def _subscribed(pane: Pane, number: int, since: int) -> Result:
        return {
            "subscription": number,
            "seq": pane.seq,
            "since": since,
            "marks": pane.tracker.marks.is_active,
            "command_end": pane.ledger.last_end,
        }

    async def _hold(self, connection: Connection, pane: Pane, hold_ms: int) -> Result:
        """Subscribe to a pane, and have its turn as long as the subscription lasts."""
        turn = pane.runner.lock
        try:
            async with asyncio.timeout(hold_ms / 1000):
                await turn.acquire()
        except TimeoutError:
            raise BusyError(
                f"somebody else runs a command or acts in @{pane.id}", remedy="wait for that, or look at the screen"
            ) from None
        if not connection.is_open:
            turn.release()
            raise DisconnectedError("the caller is gone")
        number = self._service.events.subscribe(connection, pane.id, at_end=turn.release)
        return self._subscribed(pane, number, pane.seq)

    def _cancel(self, connection: Connection, request: int) -> Result:
        connection.cancel(request)
        return {}

    def _unsubscribe(self, connection: Connection, subscription: int) -> Result:
        self._service.events.unsubscribe(connection, subscription)
        return {}

    # Making

    async def _new_session(
        self,
        _connection: Connection,
        name: str | None,
        window_name: str | None,
        cwd: str,
        command: list[str] | None,
        env: dict[str, str] | None,
        extra_env: dict[str, str] | None,
        cols: int | None,
        rows: int | None,
        shell: str | None,
        login: bool | None,
        log: bool | None,
        history: bool | None,
    ) -> Result:
        asked = Program(cwd, command, env, extra_env, shell, bool(login))
        return await self._maker.new_session(name, window_name, asked, cols, rows, log=log, history=history)

    async def _new_window(
        self,
        _connection: Connection,
        session: int,
        name: str | None,
        index: int | None,
        cwd: str | None,
        command: list[str] | None,
        env: dict[str, str] | None,
        extra_env: dict[str, str] | None,
        select: bool | None,
    ) -> Result:
        program = Program(cwd, command, env, extra_env)
        return await self._maker.new_window(session, name, index, program, select=bool(select))

    async def _split(
        self,
        _connection: Connection,
        pane: int,
        direction: Direction,
        cells: int | None,
        percent: int | None,
        cwd: str | None,
        command: list[str] | None,
        env: dict[str, str] | None,
        extra_env: dict[str, str] | None,
        select: bool | None,
    ) -> Result:
        program = Program(cwd, command, env, extra_env)
        return await self._maker.split(pane, direction, cells, percent, program, select=bool(select))

    # Arranging

    def _select(self, _connection: Connection, scope: str, id: int) -> Result:  # noqa: A002
        return self._arranger.select(scope, id)

    def _resize(self, _connection: Connection, pane: int, cols: int | None, rows: int | None) -> Result:
        return self._arranger.resize_pane(pane, cols, rows)

    def _push_divider(self, _connection: Connection, pane: int, side: Side, by: int) -> Result:
        return self._arranger.push_divider(pane, side, by)

    def _resize_window(
        self, _connection: Connection, window: int, cols: int | None, rows: int | None, policy: str | None
    ) -> Result:
        return self._arranger.resize_window(window, cols, rows, policy)

    def _move_divider(self, _connection: Connection, window: int, path: list[Step], by: int) -> Result:
        return self._arranger.move_divider(window, tuple(path), by)

    def _zoom(self, _connection: Connection, pane: int, on: bool | None) -> Result:
        return self._arranger.zoom(pane, on)

    def _layout(self, _connection: Connection, window: int, name: str) -> Result:
        return self._arranger.apply_preset(window, name)

    def _move_pane(
        self,
        _connection: Connection,
        pane: int,
        target: int | None,
        direction: Direction | None,
        cells: int | None,
        percent: int | None,
        session: int | None,
        index: int | None,
    ) -> Result:
        if (target is None) == (session is None) or (target is None) != (direction is None):
            raise BadRequestError("it is not clear where the pane goes", remedy="send target and direction, or session")
        if target is not None and direction is not None:
            return self._arranger.move_pane(pane, target, direction, cells, percent)
        assert session is not None
        return self._arranger.break_pane(pane, session, index)

    def _move_window(self, _connection: Connection, window: int, session: int, index: int | None) -> Result:
        return self._arranger.move_window(window, session, index)

    def _swap(self, _connection: Connection, scope: str, id: int, other: int) -> Result:  # noqa: A002
        if scope == "session":
            raise BadRequestError("sessions have no places that they could change", remedy="name windows or panes")
        swap = self._arranger.swap_panes if scope == "pane" else self._arranger.swap_windows
        return {"places": swap(id, other)}

    def _rename(self, _connection: Connection, scope: str, id: int, name: str) -> Result:  # noqa: A002
        named = self._service.tree.session_or_window(scope, id)
        if named is None:
            raise NoSuchTargetError(f"there is no {scope} with the id {id} that can have a name")
        if scope == "window":
            check_window_name(name)
        elif name != named.name:
            self._maker.check_name_is_free(name)
            self._maker.clear_name(name)
        named.name = name
        if isinstance(named, WindowRecord):
            named.named = True
        else:
            for record in self._service.tree.panes_of(scope, id):
                self._service.panes[record.id].log.update(session=name)
        self._service.tree_changed()
        self._service.events.emit("renamed", what=scope, id=id, name=name)
        return self._arranger.place_of(scope, id)

    # Typing

    def _input(self, connection: Connection, pane: int, items: list[dict[str, Any]]) -> Result | Awaitable[Result]:
        attachments = self._service.attachments
        if items and all("focus" in item for item in items):
            # An attached client speaks of its terminal; which pane that means, the server knows.
            if attachments.terminal_focused(connection, focused=items[-1]["focus"]):
                return {"bytes": 0}
        else:
            attachments.used(connection)
        size, written = self._pane(pane).type(items, client=connection.client)
        attachments.typed(connection, pane)
        # Nearly always the kernel takes it at once, and then nobody should wait for a turn of the loop.
        if written.done() and written.exception() is None:
            return {"bytes": size}
        return self._when_written(size, written)

    @staticmethod
    async def _when_written(size: int, written: asyncio.Future[None]) -> Result:
        await written
        return {"bytes": size}

    def _run(
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
    ) -> Answer:
        check_command(id, command, words)
        most = DEFAULT_BYTES if max_bytes is None else max_bytes
        if most > MOST_BYTES:
            raise BadRequestError(f"max_bytes is {most}", remedy=f"send at most {MOST_BYTES}")
        timeout_s = None if timeout_ms is None else timeout_ms / 1000
        request = RunRequest(
            id, command, words, timeout_s, bool(queue), bool(interrupt), most, bool(raw), client=connection.client
        )
        runs = self._pane(pane).runner
        return runs.run_now(request) or runs.run(request, lambda: connection.is_open)

    # Ending

    async def _kill(self, _connection: Connection, scope: str, id: int) -> Result:  # noqa: A002
        service = self._service
        records = service.tree.panes_of(scope, id)
        if not records:
            raise NoSuchTargetError(f"there is no {scope} with the id {id}")
        running = [record.id for record in records if not record.dead]
        ended = [service.when_dead(pane_id) for pane_id in running]
        self._arranger.expect_to_leave(running)
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
