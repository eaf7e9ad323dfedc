"""One run of a command: what was asked, what is known of it, and what of that outlives the service."""

from __future__ import annotations

import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import define, field, fields

from phux_core.server.alarm import Alarm

if TYPE_CHECKING:
    from phux_core.server.capture import Capture


class RunRequest(NamedTuple):
    """What is to be run.

    Attributes:
        id: The caller's name for it.
        command: The shell line; None if words are given.
        words: Program and arguments, to be seen by the shell exactly so.
        timeout_s: How long to wait; None for ever.
        queue: Whether to wait for the prompt if something else runs.
        interrupt: Whether to send C-c when the time is over.
        max_bytes: How much output to tell.
        raw: Whether to tell it with its escape sequences.
        by: ``run`` or ``start``.
        client: Who asks, as it said in its hello.
    """

    id: str
    command: str | None
    words: list[str] | None
    timeout_s: float | None
    queue: bool
    interrupt: bool
    max_bytes: int
    raw: bool
    by: str = "run"
    client: str | None = None


class Plan(NamedTuple):
    """How a command will be typed.

    Attributes:
        line: What goes onto the line.
        command: The command.
        shell: The kind of shell that takes it.
        nonce: What its own marks carry; None if the shell marks its commands itself.
        files: What was written for it.
    """

    line: str
    command: str
    shell: str
    nonce: str | None
    files: list[str]


class End(NamedTuple):
    """How a run ended."""

    exit_code: int
    place: int
    duration_s: float


class Outcome:
    """What a run came to: any number of callers may wait for it, and give up waiting."""

    __slots__ = ("_known", "_result")

    def __init__(self) -> None:
        self._result: dict[str, Any] | Exception | None = None
        self._known = Alarm()

    @property
    def is_known(self) -> bool:
        """Whether there is anything to wait for no more."""
        return self._result is not None

    def set(self, result: dict[str, Any] | Exception) -> None:
        """Tell everybody; what was told before stands."""
        if self._result is None:
            self._result = result
            self._known.ring()

    async def wait(self, timeout_s: float | None) -> dict[str, Any] | None:
        """Wait for it.

        Returns:
            The result; None when the time was over.

        Raises:
            Exception: What the run failed with.
        """
        if self._result is None:
            await self._known.wait(timeout_s)
        if isinstance(self._result, Exception):
            raise self._result
        return self._result


@define(eq=False)
class Run:
    """One run. What has to outlive the service is everything but the last three."""

    id: str
    max_bytes: int
    raw: bool
    nonce: str | None
    shell: str
    files: list[str]
    typed_seq: int
    began: float  # time.monotonic(), which all processes share
    started_at: float
    number: int  # its entry in the ledger
    start: int | None = None
    interleaved: bool = False
    interrupted: bool = False
    end: End | None = None
    command: str = ""
    capture: Capture | None = None
    outcome: Outcome = field(factory=Outcome)

    def to_note(self) -> bytes:
        """Write it down for the next service."""
        return _encode_json(_noted(self)).encode()

    @classmethod
    def from_note(cls, note: bytes) -> Run:
        """Read what ``to_note`` wrote."""
        state = dict(zip(_NOTED, json.loads(note), strict=True))
        if state["end"] is not None:
            state["end"] = End(*state["end"])
        return cls(**state)


_encode_json = json.JSONEncoder(separators=(",", ":")).encode
_NOTED = [each.name for each in fields(Run) if each.name not in {"command", "capture", "outcome"}]
_noted = attrgetter(*_NOTED)
