# Generated from phux_client/aio/handles.py by tools/generate_blocking.py: change that file, not this one.
"""Live handles of the blocking client: event streams, panes, and the base of all handles."""

from __future__ import annotations

import contextlib

from phux_client import flows
from phux_client.blocking.acts import PaneActs
from phux_client.blocking.backend import despite_cancellation
from phux_client.blocking.files import PaneFiles
from phux_client.blocking.logs import PaneLogs
from phux_client.blocking.pointing import PanePointing
from phux_client.blocking.screens import PaneScreens
from phux_core import errors, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self

    from phux_client.blocking.server import Phux
    from phux_client.waited import Waited


class EventStream:
    """A stream of events, for ``for`` or one at a time. The stream of a single pane ends with its program.

    Example:
        >>> with pane.watch() as events:
        ...     typed = pane.send_keys("exit", "Enter")
        ...     names = [event.event for event in events]
        >>> names[-1]
        'pane_closed'
    """

    def __init__(self, phux: Phux, pane: int | None, *, output: bool, since: int | None, output_only: bool) -> None:
        self._phux = phux
        self._pane = pane
        self._output = output
        self._since = since
        self._output_only = output_only
        self._ended = False
        self.subscription = 0

    def subscribe(self) -> None:
        """Subscribe, or subscribe again on a new connection.

        Example:
            >>> with phux.watch() as events:
            ...     events.subscribe()
            ...     events.subscription > 0
            True
        """
        asked = {"output": True, "since": self._since, "output_only": self._output_only} if self._output else {}
        reply = self._phux.request(flows.Request("subscribe", pane=self._pane, **asked))
        self.subscription = reply["subscription"]
        if self._output:
            self._since = reply["since"]  # a connection that breaks before the first event loses no text

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> shapes.Event:
        if self._ended:
            raise StopIteration
        return self.next()

    def next(self, timeout_s: float | None = None) -> shapes.Event:
        """Wait for the next event.

        Raises:
            TimedOutError: No event arrived in time.
            PaneClosedError: The pane's last event was already returned.
            NoServerError: The server is gone.

        Example:
            >>> with phux.watch("work") as events:
            ...     typed = pane.send_keys("Enter")
            ...     events.next(timeout_s=10).terminal
            '@1'
        """
        from phux_core import documents

        if self._ended:
            raise errors.PaneClosedError(f"the program in @{self._pane} has ended, and there are no more events")
        while True:
            try:
                document = self._phux.drive(flows.next_event(self.subscription, timeout_s))
            except errors.DisconnectedError:
                self.subscribe()  # fails if the whole server is gone, and not only its service
                return shapes.Dropped(count=0)
            self._since = document.get("resume", self._since)
            self._ended = self._pane is not None and document["event"] == "pane_closed"
            event = documents.load_event(document)
            if event is not None:
                return event


class Handle:
    """A handle of a session, window or pane.

    Its ``with`` block kills the session, window or pane at its end.

    Attributes:
        id: The id of the session, window or pane.

    Example:
        >>> with phux.new_session("build", command=["sh"]) as build:
        ...     build.pane.run("echo built").output
        'built'
        >>> [session.name for session in phux.sessions()]
        ['work']
    """

    _scope = ""

    def __init__(self, phux: Phux, id: int) -> None:  # noqa: A002
        self._phux = phux
        self.id = id

    @property
    def _ref(self) -> tuple[str, int]:
        return self._scope, self.id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        with contextlib.suppress(errors.NoSuchTargetError, errors.NoServerError):  # it has ended already
            despite_cancellation(self.kill)

    def select(self) -> shapes.Place:
        """Give the focus to the session, window or pane, and to the window and session around it.

        If another pane of the window is zoomed, its zoom ends.

        Example:
            >>> pane.select().session
            'work'
        """
        return self._phux.load(shapes.Place, flows.select(self._phux.caller, self._ref))

    def kill(self) -> int:
        """Kill every program in the session, window or pane, and remove it.

        Returns:
            The number of panes killed.

        Example:
            >>> session.kill()
            1
        """
        return int(self._phux.drive(flows.kill(self._phux.caller, self._ref))["killed"])


class Part(Handle):
    """The methods that windows and panes share."""

    def split(
        self,
        direction: shapes.Direction = "right",
        *,
        size: int | str | None = None,
        cwd: str | None = None,
        command: Sequence[str] | None = None,
        env: Mapping[str, str] | None = None,
        select: bool = False,
    ) -> Pane:
        """Split the pane, or the window's active pane, and start a program in the new one.

        Args:
            direction: Where to put the new pane: ``right`` or ``down``.
            size: The columns or rows of the new pane, or its share of the old pane, such as ``"30%"``; half by default.
            cwd: The working directory; by default, that of the split pane.
            command: The program and its arguments; the user's shell by default.
            env: Variables to set on top of the caller's environment.
            select: Give the new pane the focus.

        Raises:
            BadSizeError: There is not enough room; the message has the sizes. No pane was created.
            BadCwdError, CannotExecuteError, LimitError: No pane was created.

        Example:
            >>> below = pane.split("down", size=5, command=["sh"])
            >>> below.info().rows
            5
        """
        flow = flows.split(
            self._phux.caller, self._ref, direction, size=size, cwd=cwd, command=command, env=env, select=select
        )
        return Pane(self._phux, self._phux.drive(flow)["terminal_id"])

    def swap(self, other: str | int) -> None:
        """Swap the pane with another pane, or the window with another window, even of another session.

        Args:
            other: The pane or window to swap with, as a selector or a pane's id.

        Example:
            >>> beside = pane.split(command=["sh"])
            >>> pane.swap(beside.id)
            >>> pane.info().index
            1
        """
        self._phux.drive(flows.swap(self._phux.caller, self._ref, other))


class Pane(PaneActs, PaneFiles, PaneLogs, PanePointing, PaneScreens, Part):
    """A live handle of a pane. Reading and typing never attach and never resize.

    Attributes:
        id: The pane's id.

    Example:
        >>> typed = pane.send_keys("echo hi", "Enter")
        >>> screen = pane.wait(regex="^hi$", timeout_s=10)
        >>> "hi" in screen.lines
        True
    """

    _scope = "pane"

    def __repr__(self) -> str:
        return f"<Pane @{self.id}>"

    @property
    def selector(self) -> str:
        """The selector of the pane, for every function that takes a target.

        Example:
            >>> pane.selector
            '@1'
        """
        return f"@{self.id}"

    def run(
        self,
        command: str | Sequence[str],
        *,
        timeout_s: float | None = flows.RUN_TIMEOUT_S,
        queue: bool = False,
        interrupt: bool = False,
        until_waiting: bool = False,
        max_bytes: int | None = None,
        raw: bool = False,
    ) -> shapes.RunResult:
        """Run a command in the pane's shell and return its result.

        Args:
            command: A shell line, or a list of words that reach the program unchanged.
            timeout_s: The time limit; None or 0 for no limit.
            queue: If another program is in the foreground, wait for the prompt instead of raising.
            interrupt: Send C-c when the timeout expires.
            until_waiting: Raise WaitingError as soon as the command has waited for a person for half a second: for
                input or a secret, at the prompt of a nested shell, or full-screen. The command keeps running.
            max_bytes: The largest output to return, 1 MiB by default; longer output is cut in the middle.
            raw: Keep escape sequences in the output.

        Raises:
            BusyError: Another program is in the foreground; the message names it.
            TimedOutError: The timeout expired; the command keeps running, unless ``interrupt`` ended it.
            WaitingError: The command waits for a person (``until_waiting``); the error's ``command_id`` names it.
            PaneClosedError: The pane's program has ended.

        Example:
            >>> result = pane.run("echo hi; false")
            >>> result.output, result.exit_code
            ('hi', 1)
        """
        flow = flows.run(
            self._phux.caller,
            self.id,
            command,
            timeout_s=timeout_s,
            queue=queue,
            interrupt=interrupt,
            until_waiting=until_waiting,
            max_bytes=max_bytes,
            raw=raw,
        )
        return self._phux.load(shapes.RunResult, flow)

    def resize(
        self,
        cols: int | None = None,
        rows: int | None = None,
        *,
        side: shapes.Side | None = None,
        by: int | None = None,
    ) -> shapes.Place:
        """Change the pane's size, and notify its program.

        If other panes are next to it on that axis, the divider moves; otherwise the window is resized.

        Args:
            cols: Columns.
            rows: Rows.
            side: Instead of a size, the direction in which to move the pane's divider: ``left``, ``right``, ``up`` or
                ``down``. The pane's divider is the one after the pane, or before it if the pane is the last.
            by: The number of cells to move the divider, as far as possible.

        Raises:
            BadSizeError: The size is out of range; the remedy gives the possible sizes.
            RefusedError: Attached clients determine the window's size.

        Example:
            >>> pane.resize(100, 30).cols
            100
        """
        flow = flows.resize(self._phux.caller, self.id, cols, rows, side=side, by=by)
        return self._phux.load(shapes.Place, flow)

    def zoom(self, on: bool | None = None) -> shapes.Place:
        """Show the pane alone in its window, or show all panes again.

        Args:
            on: Whether to zoom; by default, toggle.

        Example:
            >>> beside = pane.split(command=["sh"])
            >>> pane.zoom().zoomed, pane.zoom().zoomed
            (True, False)
        """
        return self._phux.load(shapes.Place, flows.zoom(self._phux.caller, self.id, on))

    def move(
        self, dest: str | int, direction: shapes.Direction = "right", *, size: int | str | None = None
    ) -> shapes.Place:
        """Move the pane next to another pane, or into a window of its own.

        Args:
            dest: A pane or window to move next to, as a selector or a pane's id; or, for a window of its own, a session
                or a free index in a session (``work:5``).
            direction: The side of the other pane on which to place the pane: ``right`` or ``down``.
            size: The size of the moved pane, as for ``split``.

        Raises:
            RefusedError: The pane is already there, or another window has that index.
            BadSizeError: There is not enough room.

        Example:
            >>> other = pane.split(command=["sh"])
            >>> other.move("work").window
            1
        """
        flow = flows.move(self._phux.caller, self.id, dest, direction, size=size)
        return self._phux.load(shapes.Place, flow)

    def send_keys(self, *words: str, literal: bool = False) -> int:
        """Type words: names of keys (``Enter``, ``C-c``) as keys, everything else as text.

        Args:
            words: Keys and text, as for tmux's send-keys.
            literal: Type every word as text.

        Returns:
            The number of bytes typed.

        Raises:
            PaneClosedError, InputTooLongError: Nothing was typed.
            InputBlockedError: The program does not read its input; the message says how much was typed.

        Example:
            >>> pane.send_keys("echo hello", "Enter") > 0
            True
        """
        flow = flows.send_keys(self._phux.caller, self.id, words, literal=literal)
        return int(self._phux.drive(flow)["bytes"])

    def paste(self, text: str) -> int:
        """Paste text, as a bracketed paste if the program enabled bracketed paste.

        Returns:
            The number of bytes typed.

        Example:
            >>> pane.paste("two words") > 0
            True
        """
        return int(self._phux.drive(flows.paste(self._phux.caller, self.id, text))["bytes"])

    def wait(
        self,
        *,
        until: str | None = None,
        regex: str | None = None,
        gone: str | None = None,
        idle_ms: int | None = None,
        state: shapes.State | Sequence[shapes.State] | None = None,
        command_done: bool = False,
        exit: bool = False,  # noqa: A002
        stop: str | None = None,
        since: int | None = None,
        output_only: bool = False,
        timeout_s: float | None = None,
    ) -> Waited:
        """Wait until one of several conditions holds; without any, until the pane is idle.

        Wrapped lines are joined. ``until``, ``regex`` and ``stop`` search the lines that are visible when the wait
        begins, and everything written later, unless ``since`` or ``output_only`` is given.

        Args:
            until: A line contains this text.
            regex: A line matches this pattern (``re.search``).
            gone: No visible line contains this text.
            idle_ms: Nothing was written for this long; 500 if no other condition is given.
            state: The pane is in this state, or in one of these: ``prompt``, ``running``, ``awaiting_input``,
                ``awaiting_secret``, ``fullscreen``, ``dead``.
            command_done: The shell finished a command.
            exit: The program ended.
            stop: Raise StoppedError as soon as a line matches this pattern.
            since: Ignore everything before this ``seq``: old lines, and the echo of earlier input.
            output_only: Ignore prompts and the echo of input. Without ``since``, start at the latest command.
            timeout_s: The time limit; None for no limit.

        Returns:
            The final screen, and the condition that held.

        Raises:
            TimedOutError: The timeout expired first.
            StoppedError: The pattern of ``stop`` matched first.
            PaneClosedError: The program ended, so that the condition can never hold.
            BadRequestError: A pattern or a state is invalid.

        Example:
            >>> typed = pane.send_keys("seq 3", "Enter")
            >>> waited = pane.wait(regex="^3$", timeout_s=10)
            >>> waited.met, waited.met_line
            ('regex', '3')
        """
        from phux_client import waited

        wanted = flows.Conditions(
            until=until,
            regex=regex,
            gone=gone,
            idle_ms=idle_ms,
            state=state,
            command_done=command_done,
            exit=exit,
            stop=stop,
            since=since,
            output_only=output_only,
        )
        outcome = self._phux.drive(flows.wait(self._phux.caller, self.id, wanted, timeout_s=timeout_s))
        return waited.load(outcome, timeout_s, stop)

    def watch(
        self, *, output: bool = False, since: int | None = None, output_only: bool = False
    ) -> AbstractContextManager[EventStream]:
        """Subscribe to the pane's events, until its program ends; see ``Phux.watch``.

        Example:
            >>> with pane.watch(output=True) as events:
            ...     typed = pane.send_keys("echo hi", "Enter")
            ...     events.next().terminal
            '@1'
        """
        return self._phux.watch(self.id, output=output, since=since, output_only=output_only)

    def info(self) -> shapes.PaneInfo:
        """Return the pane's entry in the tree.

        Example:
            >>> pane.info().active
            True
        """
        return self._phux.load(shapes.PaneInfo, flows.find_pane(self.selector, self._phux.caller))
