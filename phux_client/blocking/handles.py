# Generated from phux_client/aio/handles.py by tools/generate_blocking.py: change that file, not this one.
"""Live handles of the blocking client: panes and event streams."""

from __future__ import annotations

from phux_client import flows
from phux_client.blocking.acts import PaneActs
from phux_client.blocking.logs import PaneLogs
from phux_core import errors, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Self

    from phux_client.blocking.server import Phux
    from phux_client.waited import Waited


class EventStream:
    """Events as they happen, for ``for`` or one at a time. Those of one pane end with its program.

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
        """Begin, or begin anew on a new connection.

        Example:
            >>> with phux.watch() as events:
            ...     events.subscribe()
            ...     events.subscription > 0
            True
        """
        asked = {"output": True, "since": self._since, "output_only": self._output_only} if self._output else {}
        reply = self._phux.request(flows.Request("subscribe", pane=self._pane, **asked))
        self.subscription = reply["subscription"]

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> shapes.Event:
        if self._ended:
            raise StopIteration
        return self.next()

    def next(self, timeout_s: float | None = None) -> shapes.Event:
        """Wait for the next event.

        Raises:
            TimedOutError: None came in time.
            PaneClosedError: The pane's end was told already.
            NoServerError: The server went away.

        Example:
            >>> with phux.watch("work") as events:
            ...     typed = pane.send_keys("Enter")
            ...     events.next(timeout_s=10).terminal
            '@1'
        """
        from phux_core import documents

        if self._ended:
            raise errors.PaneClosedError(f"the program in @{self._pane} has ended, and so have its events")
        while True:
            try:
                document = self._phux.drive(flows.next_event(self.subscription, timeout_s))
            except errors.DisconnectedError:
                self.subscribe()  # which fails in its turn if the server is gone, and not only its service
                return shapes.Dropped(count=0)
            self._since = document.get("resume", self._since)
            self._ended = self._pane is not None and document["event"] == "pane_closed"
            event = documents.load_event(document)
            if event is not None:
                return event


class Pane(PaneActs, PaneLogs):
    """A pane, as a live handle. Reading and typing never attach and never resize.

    Attributes:
        id: Its number.

    Example:
        >>> typed = pane.send_keys("echo hi", "Enter")
        >>> screen = pane.wait(regex="^hi$", timeout_s=10)
        >>> "hi" in screen.lines
        True
    """

    def __init__(self, phux: Phux, id: int) -> None:  # noqa: A002
        self._phux = phux
        self.id = id

    def __repr__(self) -> str:
        return f"<Pane @{self.id}>"

    @property
    def selector(self) -> str:
        """The selector that names it wherever a TARGET is taken.

        Example:
            >>> pane.selector
            '@1'
        """
        return f"@{self.id}"

    def snapshot(self, *, scrollback: int | None = None, cells: bool = False) -> shapes.ScreenState:
        """Read its screen.

        Args:
            scrollback: History rows: None none, 0 all, N the newest N.
            cells: Whether to add the cells that have a style or a mark.

        Example:
            >>> pane.snapshot().cols
            80
        """
        flow = flows.snapshot(self._phux.caller, self.id, scrollback=scrollback, cells=cells)
        return self._phux.load(shapes.ScreenState, flow)

    def run(
        self,
        command: str | Sequence[str],
        *,
        timeout_s: float | None = flows.RUN_TIMEOUT_S,
        queue: bool = False,
        interrupt: bool = False,
        max_bytes: int | None = None,
        raw: bool = False,
    ) -> shapes.RunResult:
        """Run a command in its shell, and wait until the shell is done with it.

        Args:
            command: A shell line, or words that the shell is to see exactly so.
            timeout_s: How long to wait; None or 0 for ever.
            queue: Wait for the prompt if another program has the terminal, instead of refusing.
            interrupt: Send C-c when the time is over.
            max_bytes: How much output to give, 1 MiB when omitted; more is left out in the middle.
            raw: Keep escape sequences in the output.

        Raises:
            BusyError: Another program has the terminal; the message names it.
            TimedOutError: The time was over; the command goes on.
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
            max_bytes=max_bytes,
            raw=raw,
        )
        return self._phux.load(shapes.RunResult, flow)

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
        """Make a pane out of a part of this one, and start a program in it.

        Args:
            direction: Where the new one goes: ``right`` or ``down``.
            size: How many columns or rows it gets, or which part, such as ``"30%"``; half when omitted.
            cwd: Where the program starts; where this pane is when omitted.
            command: Program and arguments; the user's shell when omitted.
            env: Variables on top of the caller's.
            select: Whether it gets the focus.

        Raises:
            BadSizeError: There is no room; the message has the sizes, and nothing was made.
            BadCwdError, CannotExecuteError, LimitError: Nothing was made.

        Example:
            >>> below = pane.split("down", size=5, command=["sh"])
            >>> below.info().rows
            5
        """
        flow = flows.split(
            self._phux.caller, self.id, direction, size=size, cwd=cwd, command=command, env=env, select=select
        )
        return Pane(self._phux, self._phux.drive(flow)["terminal_id"])

    def select(self) -> shapes.Place:
        """Give it the focus, and with it its window and session. Another pane of its window is zoomed no longer.

        Example:
            >>> pane.select().terminal_id
            1
        """
        return self._phux.load(shapes.Place, flows.select(self._phux.caller, self.id))

    def resize(
        self,
        cols: int | None = None,
        rows: int | None = None,
        *,
        side: shapes.Side | None = None,
        by: int | None = None,
    ) -> shapes.Place:
        """Change its size, and tell its program.

        On an axis on which other panes are beside it, its dividers move; else its window changes its size.

        Args:
            cols: Columns.
            rows: Rows.
            side: Or where to move its divider on that axis, ``left``, ``right``, ``up`` or ``down``: the one behind
                it, or if it is the last, the one before it.
            by: By how many cells; it goes as far as it can.

        Raises:
            BadSizeError: Out of range; the message says what can be had.
            RefusedError: Its window follows attached clients.

        Example:
            >>> pane.resize(100, 30).cols
            100
        """
        flow = flows.resize(self._phux.caller, self.id, cols, rows, side=side, by=by)
        return self._phux.load(shapes.Place, flow)

    def zoom(self, on: bool | None = None) -> shapes.Place:
        """Give it the whole window for a while, or end that.

        Args:
            on: Which of the two; the other than now when omitted.

        Example:
            >>> beside = pane.split(command=["sh"])
            >>> pane.zoom().zoomed, pane.zoom().zoomed
            (True, False)
        """
        return self._phux.load(shapes.Place, flows.zoom(self._phux.caller, self.id, on))

    def move(
        self, dest: str | int, direction: shapes.Direction = "right", *, size: int | str | None = None
    ) -> shapes.Place:
        """Put it beside another pane, or into a window of its own.

        Args:
            dest: A pane or window to go beside of, as a selector or a pane's number; or a session, or a free index of
                one (``work:5``), to get a window of its own there.
            direction: On which side of another pane: ``right`` or ``down``.
            size: How much of that pane it gets, as ``split`` takes it.

        Raises:
            RefusedError: It is there already, or another window has that index.
            BadSizeError: There is no room.

        Example:
            >>> other = pane.split(command=["sh"])
            >>> other.move("work").window
            1
        """
        flow = flows.move(self._phux.caller, self.id, dest, direction, size=size)
        return self._phux.load(shapes.Place, flow)

    def swap(self, other: str | int) -> None:
        """Let it change places with another pane, of any window.

        Args:
            other: A selector, or the other pane's number.

        Example:
            >>> beside = pane.split(command=["sh"])
            >>> pane.swap(beside.id)
            >>> pane.info().index
            1
        """
        self._phux.drive(flows.swap(self._phux.caller, self.id, other))

    def send_keys(self, *words: str, literal: bool = False) -> int:
        """Type words: names of keys (``Enter``, ``C-c``) as keys, all else as text; all of it or nothing.

        Args:
            words: As tmux's send-keys takes them.
            literal: Take every word as text.

        Returns:
            How many bytes were typed.

        Raises:
            PaneClosedError, InputTooLongError, InputBlockedError: The program did not get it.

        Example:
            >>> pane.send_keys("echo hello", "Enter") > 0
            True
        """
        flow = flows.send_keys(self._phux.caller, self.id, words, literal=literal)
        return int(self._phux.drive(flow)["bytes"])

    def paste(self, text: str) -> int:
        """Paste text, in brackets if the program asked for them.

        Returns:
            How many bytes were typed.

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
        """Wait until the first of some conditions holds; with none, until the pane has come to rest.

        Lines are whole lines, also where the edge of the screen broke them. Without ``since`` and ``output_only``, what
        is visible at the beginning counts for ``until``, ``regex`` and ``stop``, and all that is written after that.

        Args:
            until: A line contains this text.
            regex: A line matches this pattern (``re.search``).
            gone: No visible line contains this text.
            idle_ms: Nothing was written for so long; 500 when no other condition is given.
            state: The pane is in this state, or in one of these: ``prompt``, ``running``, ``awaiting_input``,
                ``awaiting_secret``, ``fullscreen``, ``dead``.
            command_done: The shell is done with a command.
            exit: The program has ended.
            stop: A line matches this pattern, and waiting for anything else is in vain.
            since: Only what happened after this ``seq`` counts: no echo of what was typed before, no old line.
            output_only: Only what commands wrote counts: no prompt, and no echo of what is typed. From the latest
                command on, if there is no ``since``.
            timeout_s: Give up after this long.

        Returns:
            The screen at that moment, and what was met.

        Raises:
            TimedOutError: The time was over first.
            StoppedError: The pattern of ``stop`` came first.
            PaneClosedError: The program has ended, and it can never be.
            BadRequestError: A pattern or a state that is none.

        Example:
            >>> typed = pane.send_keys("seq 3", "Enter")
            >>> waited = pane.wait(regex="^3$", timeout_s=10)
            >>> waited.met, waited.met_line
            ('regex', '3')
        """
        from phux_client import waited

        outcome = self._phux.drive(
            flows.wait(
                self._phux.caller,
                self.id,
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
                timeout_s=timeout_s,
            )
        )
        return waited.load(outcome, timeout_s, stop)

    def watch(
        self, *, output: bool = False, since: int | None = None, output_only: bool = False
    ) -> AbstractContextManager[EventStream]:
        """Subscribe to its events, until its program has ended; see ``Phux.watch``.

        Example:
            >>> with pane.watch(output=True) as events:
            ...     typed = pane.send_keys("echo hi", "Enter")
            ...     events.next().terminal
            '@1'
        """
        return self._phux.watch(self.id, output=output, since=since, output_only=output_only)

    def info(self) -> shapes.PaneInfo:
        """Read its place in the tree.

        Example:
            >>> pane.info().active
            True
        """
        return self._phux.load(shapes.PaneInfo, flows.find_pane(self.selector, self._phux.caller))

    def kill(self) -> int:
        """End its program and forget it.

        Returns:
            How many panes were ended.

        Example:
            >>> pane.kill()
            1
        """
        return int(self._phux.drive(flows.kill_by_id("pane", self.id))["killed"])
