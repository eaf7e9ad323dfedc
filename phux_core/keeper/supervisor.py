"""The keeper's event loop: signals, the service's lifecycle, shutdown.

Messages from the service:
    spawn      id pane argv cwd env cols rows   start a program, which can read the secret; the reply is spawned or
               secret                           spawn_failed
    end        pane                             send SIGHUP to its program, and SIGKILL after a grace period
    forget     pane                             its exit status was received
    put        key                              store the payload for the next service
    append     key                              append the payload to the stored bytes
    release    pane                             free its journal, checkpoint and ledger
    ready                                       the service accepts clients
    rebuilt                                     it has rebuilt the terminals of all panes
    pong                                        the reply to ping
    upgrade     python                          replace the service: start the next one with this interpreter
    shutdown                                    shut the server down

Messages to the service, at startup in this order: hello (with the listening socket, the feed mark, and the socket for
questions, see witness), journal (with its memory) for each pane, child (with a master) for each program, blob for each
key, begin; later spawned (with a master and a journal), spawn_failed, exit, ping, listener (with a new listening
socket and the log), and client (with a connection that was made while no service answered).
"""

from __future__ import annotations

import contextlib
import errno
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from phux_core.clock import boottime
from phux_core.keeper import journal as journals
from phux_core.keeper import witness
from phux_core.keeper.channel import FORMAT, Channel, ChannelClosedError, Message
from phux_core.keeper.children import KILL_GRACE_S, Children, SpawnError, disable_core_dumps, raise_files_limit, spawn
from phux_core.keeper.feed_mark import FeedMark, Marked
from phux_core.keeper.logfile import log, trim_log
from phux_core.keeper.notices import Notices
from phux_core.keeper.process import FAULTS, Interpreters, how_it_ended
from phux_core.keeper.restarts import Restarts
from phux_core.keeper.status import status_document
from phux_core.keeper.stored_state import StoredState
from phux_core.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from phux_core.keeper.listener import Listener
    from phux_core.keeper.process import ServiceProcess

STUCK_S = 10.0
"""How long a service may make no progress while it starts, or not answer while it is ready."""
# How often the keeper looks at the service in that time. Looks are counted, because the clock also runs while the whole
# server is suspended.
_LOOKS = 10
_NO_RESOURCES_S = 2.0
_PAUSE_S = 0.1
_SERVICE_GRACE_S = 2.0
# How long a service that closed its channel may take to exit: enough to write its traceback.
_EXIT_S = 1.0


class Supervisor:
    """The keeper of one server.

    Args:
        start: Starts a service, given the channel's descriptor and the Python interpreter to use.
        log_path: The file that stderr is redirected to, if any; its size is bounded.
        life_fd: A pipe; the server ends when its other end closes. None for a server without an owner.
    """

    def __init__(
        self,
        listener: Listener,
        start: Callable[[int, str], ServiceProcess],
        *,
        log_path: str | None = None,
        life_fd: int | None = None,
    ) -> None:
        self._listener, self._start = listener, start
        self._log_path, self._life_fd = log_path, life_fd
        self._children = Children()
        self._stored = StoredState()
        self._channel: Channel | None = None
        self._witness: tuple[socket.socket, ...] = ()
        self._service: ServiceProcess | None = None
        self._service_pid = 0
        self._interpreters = Interpreters(sys.executable)
        self._restart_at: float | None = None
        self._restarts = Restarts(time.monotonic())
        self._kill_at: float | None = None
        self._kill_reason = ""
        self._look_at: float | None = None
        self._last_mark, self._silent_looks = Marked(0, 0), 0
        self._started_at, self._started_on_clock = time.time(), boottime()
        self._stopping = self._end_requested = False
        self._passed: list[socket.socket] = []
        self._give_up_at: float | None = None
        self._feed_mark = FeedMark.create()
        self._suspect: int | None = None
        self._selector = selectors.DefaultSelector()
        self._notices = Notices(
            self._selector,
            listener.sock,
            self._describe,
            lambda: self._restarts.notice_at,
            self._is_ready_now,
            self._answer,
            self._pass_on,
        )
        self._wake_fd = self._catch_signals()
        self._handlers: dict[str, Callable[[Message], None]] = {
            "spawn": self._on_spawn,
            "end": lambda message: self._children.end(_pane(message), time.monotonic()),
            "forget": lambda message: self._children.forget(_pane(message)),
            "put": self._stored.put,
            "append": self._stored.append,
            "release": lambda message: self._stored.release(_pane(message)),
            "ready": lambda _message: self._on_ready(),
            "rebuilt": lambda _message: self._restarts.rebuilt(),
            "pong": lambda _message: self._on_progress(),
            "upgrade": self._on_upgrade,
            "shutdown": lambda _message: self._shut_down("requested by the service"),
        }

    def run(self) -> None:
        """Run until shutdown; return when all children and the service have exited."""
        raise_files_limit()
        disable_core_dumps()
        self._selector.register(self._wake_fd, selectors.EVENT_READ, self._on_signals)
        if self._life_fd is not None:
            self._selector.register(self._life_fd, selectors.EVENT_READ, self._on_life_end)
        self._start_service()
        try:
            while not (self._stopping and self._may_leave()):
                try:
                    self._run_once()
                except (OSError, MemoryError) as error:  # out of descriptors or memory: temporary, so keep the programs
                    log(f"an event was lost, so the service is replaced: {error!r}")
                    self._kill_service("was replaced, because the keeper ran out of resources")
                    time.sleep(_PAUSE_S)
        finally:
            self._notices.close()
            self._end_service()
            self._listener.close()

    def _catch_signals(self) -> int:
        """Redirect signals to a pipe, and return its reading end."""
        wake_fd, wake_write = os.pipe()
        os.set_blocking(wake_write, False)
        signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # respect nohup
                signal.signal(number, lambda *_: None)  # the wakeup pipe needs a handler
        return wake_fd

    def _run_once(self) -> None:
        moments = (
            self._restart_at,
            self._kill_at,
            self._look_at,
            self._give_up_at,
            self._children.next_deadline(time.monotonic()),
            self._notices.next_deadline,
            None if self._notices.is_on or self._stopping else self._restarts.answer_at,
        )
        deadlines = [at for at in moments if at is not None]
        timeout = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
        if self._channel is not None:
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._channel.wants_write else 0)
            self._selector.modify(self._channel, events, self._on_channel)
        for key, _events in self._selector.select(timeout):
            key.data()
        now = time.monotonic()
        self._children.kill_overdue(now)
        self._notices.expire(now)
        if self._end_requested:
            self._shut_down("requested by a client")
        if self._stopping:
            return
        if self._restart_at is not None and self._restart_at <= now:
            self._start_service()
        if self._look_at is not None and self._look_at <= now:
            self._look(now)
        if self._kill_at is not None and self._kill_at <= now:
            self._kill_service("closed its channel, did not exit and was killed")
        answer_at = self._restarts.answer_at
        if answer_at is not None and answer_at <= now:
            self._notices.turn_on()

    def _on_signals(self) -> None:
        numbers = os.read(self._wake_fd, 4096)
        if signal.SIGCHLD in numbers:
            self._reap()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            if number in numbers:
                self._shut_down(f"received {number.name}")

    def _on_life_end(self) -> None:
        assert self._life_fd is not None
        self._selector.unregister(self._life_fd)
        self._shut_down("its owner has exited")

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if self._service is not None and pid == self._service.pid:
                self._service_died(status)
                continue
            pane = self._children.ended(pid, status)
            if pane is not None:
                self._send({"op": "exit", "pane": pane, "status": status})

    # The service

    def _start_service(self) -> None:
        try:
            self._launch_service()
        except (OSError, MemoryError) as error:  # out of descriptors or memory: temporary, so keep the programs
            log(f"cannot start a service: {error}; next attempt in {_NO_RESOURCES_S:g} s")
            self._restarts.last = f"could not be started: {error}"
            self._interpreters.died()
            if self._service is not None:
                self._kill_service(self._restarts.last)  # its SIGCHLD causes a restart
            else:
                self._restart_at = time.monotonic() + _NO_RESOURCES_S

    def _launch_service(self) -> None:
        self._restart_at = None
        self._look_at, self._silent_looks = time.monotonic(), 0
        trim_log(self._log_path)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            self._service = self._start(theirs.fileno(), self._interpreters.take())
        self._service_pid = self._service.pid
        self._channel = Channel(ours)
        self._selector.register(self._channel, selectors.EVENT_READ, self._on_channel)
        questions, asker = self._witness = witness.make_pair()
        self._selector.register(questions, selectors.EVENT_READ, partial(witness.answer, questions))
        self._send(
            {
                "op": "hello",
                "started_at": self._started_at,
                "started_on_clock": self._started_on_clock,
                "restarts": self._restarts.count,
                "keeper_pid": os.getpid(),
                "keeper_version": __version__,
                "format": FORMAT,
                "suspect": self._suspect,
                "set_aside": self._restarts.set_aside,
            },
            fds=(self._listener.sock.fileno(), self._feed_mark.fd, asker.fileno()),
        )
        self._suspect = None
        with contextlib.suppress(ChannelClosedError):
            self._channel.send_all(self._stored.messages(self._children))

    def _service_died(self, status: int) -> None:
        assert self._service is not None
        self._service.returncode = os.waitstatus_to_exitcode(status)  # Popen must not wait for it again
        self._service = None
        self._handle_remaining()
        self._drop_channel()
        by_keeper = bool(self._kill_reason) and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        how = self._kill_reason if by_keeper else how_it_ended(status)
        self._kill_reason = ""
        self._kill_at = self._look_at = None
        if self._stopping:
            return
        if self._interpreters.died():
            how += " before it was ready, so the previous release is used again"
        now = time.monotonic()
        marked = self._feed_mark.take()
        faulted = os.WIFSIGNALED(status) and os.WTERMSIG(status) in FAULTS
        # Only a fault of the process itself implicates the pane; a killed service may have been feeding any pane.
        self._suspect = marked.pane if marked.pane and faulted else None
        rebuilding = marked.pane if marked.step else 0
        if rebuilding:
            how += f" while rebuilding @{rebuilding}"
        from_outside = os.WIFSIGNALED(status) and not faulted and not by_keeper
        delay = self._restarts.died(how, now, rebuilding=rebuilding, from_outside=from_outside)
        log(
            f"the service {how}; death {self._restarts.in_a_row} in a row, {len(self._children)} running programs, "
            f"next start in {delay:.2f} s"
        )
        self._restart_at = now + delay

    def _on_upgrade(self, message: Message) -> None:
        self._interpreters.replace(str(message.header["python"]))
        self._kill_service("was replaced for an upgrade")

    def _on_ready(self) -> None:
        self._interpreters.ready()
        self._restarts.ready(time.monotonic())
        self._on_progress()

    def _on_progress(self) -> None:
        self._silent_looks = 0
        if self._restarts.is_ready:
            self._notices.turn_off()

    def _is_ready_now(self) -> bool:
        """Return whether the service answers, including a message that was not read yet."""
        self._on_channel()
        return (self._restarts.is_ready and not self._is_silent) or self._stopping

    @property
    def _is_silent(self) -> bool:
        """Whether the service did not answer the last ping within a second."""
        return self._silent_looks > 1

    def _describe(self) -> dict[str, object]:
        """Return the error for clients that explains why no service answers."""
        return self._restarts.describe(self._log_path, self._silent_looks * STUCK_S / _LOOKS)

    def _answer(self, call: object) -> dict[str, object] | None:
        """Answer a call instead of the service."""
        if call == "kill_server":
            self._end_requested = True
            return {}
        if call != "status":
            return None
        return status_document(
            self._restarts,
            service_pid=self._service_pid,
            socket=self._listener.path,
            log=self._log_path,
            uptime_s=boottime() - self._started_on_clock,
            panes=[status is not None for _child, status in self._children.all()],
            problem=str(self._describe()["message"]),
        )

    def _pass_on(self, sock: socket.socket) -> None:
        """Pass a client's connection to the service."""
        self._send({"op": "client"}, fds=(sock.fileno(),))
        self._passed.append(sock)
        if self._channel is None or not self._channel.wants_write:
            self._close_passed()

    def _close_passed(self) -> None:
        while self._passed:
            self._passed.pop().close()

    def _look(self, now: float) -> None:
        """Check the service and its socket.

        A service that makes no progress while it starts, or does not answer once it is ready, is killed. A death during
        the start counts against the pane that was being rebuilt.
        """
        self._look_at = now + STUCK_S / _LOOKS
        mark = self._feed_mark.read()
        if mark != self._last_mark:
            self._last_mark = mark
            self._on_progress()
        self._silent_looks += 1
        if self._silent_looks > _LOOKS:
            self._look_at = None
            did = "did not answer" if self._restarts.is_ready else "made no progress"
            self._kill_service(f"{did} for {STUCK_S:g} s and was killed")
        elif self._restarts.is_ready:
            if self._is_silent:
                self._notices.turn_on()
            self._send({"op": "ping"})
            if self._listener.bind_if_deleted(self._log_path):
                self._send({"op": "listener"}, fds=(self._listener.sock.fileno(), 2))

    def _kill_service(self, reason: str) -> None:
        """Kill the service; not with Popen.kill, which would reap it without our notice."""
        self._kill_at = None
        if self._service is not None:
            self._kill_reason = reason
            os.kill(self._service.pid, signal.SIGKILL)

    def _handle_remaining(self) -> None:
        """Handle messages sent before the service died, because it may have confirmed them to a client."""
        with contextlib.suppress(ChannelClosedError, MemoryError):
            while self._channel is not None and (messages := self._channel.receive()):
                for message in messages:
                    self._handle(message)

    def _end_service(self) -> None:
        self._drop_channel()
        if self._service is None:
            return
        # The service exits when the channel closes; kill it if it hangs.
        try:
            self._service.wait(0 if self._is_silent else _SERVICE_GRACE_S)
        except (subprocess.TimeoutExpired, TimeoutError):
            self._service.kill()
            self._service.wait()

    def _drop_channel(self) -> None:
        for end in (self._channel, *self._witness):
            if end is not None:
                with contextlib.suppress(KeyError):  # not registered
                    self._selector.unregister(end)
                end.close()
        self._channel, self._witness = None, ()
        self._close_passed()

    def _send(self, header: dict[str, Any], payload: bytes = b"", fds: tuple[int, ...] = ()) -> None:
        if self._channel is not None:
            # A dead service causes SIGCHLD as well, and the next one receives the whole state again.
            with contextlib.suppress(ChannelClosedError):
                self._channel.send(header, payload, fds)

    def _on_channel(self) -> None:
        if self._channel is None:
            return
        try:
            self._channel.flush()
            messages = self._channel.receive()
        except ChannelClosedError:
            self._handle_remaining()  # if sending failed, earlier messages may be unread
            self._drop_channel()
            if self._service is not None and not self._stopping:
                # The service should exit now, and its status gives the reason. Without a channel it is useless.
                self._kill_at = time.monotonic() + _EXIT_S
            return
        for message in messages:
            self._handle(message)

    def _handle(self, message: Message) -> None:
        handler = self._handlers.get(str(message.header["op"]))
        if handler is None:
            # After an upgrade in place the service may be newer than its keeper.
            log(f"unknown request from the service: {message.header['op']!r}")
            return
        try:
            handler(message)
        except MemoryError as error:
            log(f"the request {message.header['op']!r} of the service failed: {error!r}")

    def _on_spawn(self, message: Message) -> None:
        request: dict[str, Any] = message.header
        journal = -1
        try:
            if self._stopping:
                raise SpawnError("the server is shutting down")
            journal = journals.create()
            child = spawn(
                request["pane"],
                request["argv"],
                cwd=request["cwd"],
                env=request["env"],
                cols=request["cols"],
                rows=request["rows"],
                secret=request["secret"],
            )
        except (SpawnError, OSError, MemoryError) as error:
            if journal >= 0:
                os.close(journal)
            number = errno.ENOMEM if isinstance(error, MemoryError) else error.errno
            self._send({"op": "spawn_failed", "id": request["id"], "message": str(error), "errno": number})
            return
        self._children.add(child)
        self._stored.journals[child.pane] = journal
        spawned = {"op": "spawned", "id": request["id"], "pane": child.pane, "pid": child.pid}
        self._send(spawned, fds=(child.master, journal))

    # The end

    def _shut_down(self, why: str) -> None:
        if self._stopping:
            return
        self._stopping = True
        log(f"shutting down: {why}")
        self._restart_at = self._kill_at = self._look_at = None
        self._notices.close()
        self._listener.close()
        now = time.monotonic()
        # A process that survives SIGKILL (in uninterruptible I/O) must not block the shutdown.
        self._give_up_at = now + KILL_GRACE_S + _SERVICE_GRACE_S
        for child, _status in self._children.all():
            self._children.end(child.pane, now)

    def _may_leave(self) -> bool:
        overdue = self._give_up_at is not None and time.monotonic() >= self._give_up_at
        return not self._children.busy or overdue


def _pane(message: Message) -> int:
    pane = message.header["pane"]
    assert isinstance(pane, int)
    return pane
