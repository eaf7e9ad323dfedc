# Generated from phux_client/aio/running.py by tools/generate_blocking.py: change that file, not this one.
"""Run commands in a pane's shell: a part of the pane's handle."""

from __future__ import annotations

from phux_client import flows
from phux_core import errors, shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from phux_client.blocking.server import Phux


class RunStream:
    """The output of a command while it runs, in chunks of whole lines, for ``for``; then its result.

    The chunks have no escape sequences. They are read from the pane's log, so a slow reader loses nothing, and delays
    nothing. If the pane has no log, a slow reader may lose output of more than 16 MiB.

    Example:
        >>> stream = pane.stream("seq 3")
        >>> chunks = [chunk for chunk in stream]
        >>> stream.result.output.split()
        ['1', '2', '3']
    """

    def __init__(
        self,
        phux: Phux,
        pane: int,
        command: str | Sequence[str],
        timeout_s: float | None,
        *,
        queue: bool,
        max_bytes: int | None,
        raw: bool,
    ) -> None:
        self._phux = phux
        self._pane = pane
        self._run = flows.StreamedRun(command, timeout_s=timeout_s, queue=queue, max_bytes=max_bytes, raw=raw)
        self._result: shapes.RunResult | None = None

    @property
    def result(self) -> shapes.RunResult:
        """The result of the command, once the stream has ended.

        Raises:
            BusyError: The stream has not ended yet.

        Example:
            >>> stream = pane.stream("(exit 3)")
            >>> chunks = [chunk for chunk in stream]
            >>> stream.result.exit_code
            3
        """
        if self._result is None:
            raise errors.BusyError("the command has no result yet", remedy="read the stream to its end first")
        return self._result

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        if self._result is not None:
            raise StopIteration
        if not self._run.command_id:
            self._phux.drive(flows.start_stream(self._phux.caller, self._pane, self._run))
        chunk = self._phux.drive(flows.next_chunk(self._run))
        if chunk is not None:
            return chunk
        self._result = self._phux.load(shapes.RunResult, flows.stream_result(self._run))
        raise StopIteration


class PaneRuns:
    """The methods of a pane's handle that run commands."""

    id: int
    _phux: Phux

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

    def stream(
        self,
        command: str | Sequence[str],
        *,
        timeout_s: float | None = flows.RUN_TIMEOUT_S,
        queue: bool = False,
        max_bytes: int | None = None,
        raw: bool = False,
    ) -> RunStream:
        r"""Run a command in the pane's shell, and read its output while it runs.

        Args:
            command: A shell line, or a list of words that reach the program unchanged.
            timeout_s: The time limit; None or 0 for no limit.
            queue: If another program is in the foreground, wait for the prompt instead of raising.
            max_bytes: The largest output in the result, 1 MiB by default. The chunks are not limited.
            raw: Keep escape sequences in the output of the result.

        Returns:
            A stream for ``for``, which raises the errors of ``run``.

        Example:
            >>> stream = pane.stream("echo one; echo two; false")
            >>> "".join([chunk for chunk in stream])
            'one\ntwo\n'
            >>> stream.result.exit_code
            1
        """
        return RunStream(self._phux, self.id, command, timeout_s, queue=queue, max_bytes=max_bytes, raw=raw)
