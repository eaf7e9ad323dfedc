# Generated from phux_client/aio/streaming.py by tools/generate_blocking.py: change that file, not this one.
"""The output of a command while it runs."""

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
