"""Moments of a recording, as text and as places in it.

    1200                   a sequence number: after the first 1200 bytes
    2026-05-01T12:00:00    a date and time in ISO 8601, in local time if it has no zone
    +1m30s                 a time after the start of the recording
    -5m                    a time before its end

No I/O, and import-light.
"""

import re

from phux_core.errors import BadRequestError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from phux_client.flows._types import Document

FORMS = (
    "a sequence number, a date and time (2026-05-01T12:00:00), or a time after the start (+30s) or before the end (-5m)"
)
"""The forms of a moment, for help and errors."""
_MAX_SEQ = 2**63 - 1
_NUMBER = r"([0-9]{1,9}(?:\.[0-9]{1,9})?)"
_DURATION = re.compile(f"(?=[0-9])(?:{_NUMBER}d)?(?:{_NUMBER}h)?(?:{_NUMBER}m)?(?:{_NUMBER}s)?")
_UNITS_S = (86400, 3600, 60, 1)


class Moment:
    """A moment of a recording.

    Attributes:
        kind: ``seq``, ``at`` (epoch seconds), ``after_start`` or ``before_end`` (seconds).
        value: The number.
        text: The moment as it was written, for messages.
    """

    __slots__ = ("kind", "text", "value")

    def __init__(self, kind: str, value: float, text: str) -> None:
        self.kind = kind
        self.value = value
        self.text = text

    def __repr__(self) -> str:
        return f"Moment({self.kind!r}, {self.value!r})"

    @property
    def is_relative(self) -> bool:
        """Whether the moment depends on the start or the end of the recording."""
        return self.kind in {"after_start", "before_end"}


class Place:
    """A place in a recording.

    Attributes:
        seq: The number of bytes that had been written.
        at: The time, in epoch seconds.
    """

    __slots__ = ("at", "seq")

    def __init__(self, seq: int, at: float) -> None:
        self.seq = seq
        self.at = at

    def __repr__(self) -> str:
        return f"Place({self.seq!r}, {self.at!r})"


def parse(text: str) -> Moment:
    """Parse a moment.

    Raises:
        BadRequestError: The text is not a moment.

    Example:
        >>> parse("1200"), parse("-1h30m"), parse("2026-05-01T12:00:00Z")
        (Moment('seq', 1200), Moment('before_end', 5400.0), Moment('at', 1777636800.0))
    """
    if text.isascii() and text.isdecimal():
        if len(text) <= len(str(_MAX_SEQ)) and int(text) <= _MAX_SEQ:
            return Moment("seq", int(text), text)
    elif text[:1] in {"+", "-"}:
        seconds = _seconds(text[1:])
        if seconds is not None:
            return Moment("after_start" if text[0] == "+" else "before_end", seconds, text)
    else:
        at = _epoch(text)
        if at is not None:
            return Moment("at", at, text)
    raise BadRequestError(f"{text!r:.80} is not a moment", remedy=f"write {FORMS}")


TIME_FORMS = "a date or a date and time (2026-05-01T12:00), `today`, `yesterday`, or how long ago (2h, 1d12h)"
"""The forms of a time, for help and errors."""


def parse_time(text: str, now: float) -> float:
    """Parse a time, and return it in epoch seconds; a date means its first moment.

    Args:
        text: One of ``TIME_FORMS``; without a zone, in local time.
        now: The current time.

    Raises:
        BadRequestError: The text is not a time.

    Example:
        >>> parse_time("2026-05-01T12:00:00Z", 0.0), parse_time("1h30m", 6000.0)
        (1777636800.0, 600.0)
    """
    word = text.strip().removesuffix(" ago").strip()
    days_ago = {"today": 0, "yesterday": 1}.get(word.lower())
    if days_ago is not None:
        from datetime import datetime, timedelta

        midnight = datetime.fromtimestamp(now).replace(hour=0, minute=0, second=0, microsecond=0)  # noqa: DTZ006  local
        return (midnight - timedelta(days=days_ago)).timestamp()
    seconds = _seconds(word.removeprefix("-").replace(" ", ""))
    if seconds is not None:
        return max(0.0, now - seconds)
    at = _epoch(word)
    if at is None:
        raise BadRequestError(f"{text!r:.80} is not a time", remedy=f"write {TIME_FORMS}")
    return at


def time_of(value: object) -> float:
    """Return a time given as a value of the library: text, a datetime, or epoch seconds.

    Raises:
        BadRequestError: The value is not a time.

    Example:
        >>> time_of(12.5)
        12.5
    """
    import time

    if isinstance(value, str):
        return parse_time(value, time.time())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value
    try:
        return float(value.timestamp())  # type: ignore[attr-defined]
    except (AttributeError, ValueError, OverflowError, OSError):
        raise BadRequestError(f"{value!r:.80} is not a time", remedy=f"use {TIME_FORMS}") from None


def _seconds(text: str) -> float | None:
    """Return the length of a duration such as 1h30m; None for another text."""
    match = _DURATION.fullmatch(text)
    if match is None:
        return None
    return sum(float(count or 0) * unit for count, unit in zip(match.groups(), _UNITS_S, strict=True))


def _epoch(text: str) -> float | None:
    from datetime import datetime

    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


def moment_of(value: "Moment | str | int | datetime") -> Moment:
    """Return a moment given as a value of the library: text, a sequence number, or a time.

    Raises:
        BadRequestError: The value is not a moment.

    Example:
        >>> moment_of(42)
        Moment('seq', 42)
    """
    if isinstance(value, Moment):
        return value
    if isinstance(value, str):
        return parse(value)
    if isinstance(value, int):
        if isinstance(value, bool) or not 0 <= value <= _MAX_SEQ:
            raise BadRequestError(f"{value!r} is not a sequence number", remedy=f"use a number from 0 to {_MAX_SEQ}")
        return Moment("seq", value, str(value))
    try:
        return Moment("at", value.timestamp(), value.isoformat())
    except (AttributeError, ValueError, OverflowError, OSError):
        raise BadRequestError(f"{value!r:.80} is not a moment", remedy=f"use {FORMS}") from None


class Places:
    """Find the places of moments in a recording.

    Args:
        recording: The reply of the call ``timeline``, with all its entries.
        now: The current time, in epoch seconds; later moments do not exist yet.
    """

    def __init__(self, recording: "Document", now: float) -> None:
        outputs = [entry for entry in recording["entries"] if entry[2] == "output"]
        self._times = [entry[0] for entry in outputs]
        self._seqs = [entry[1] for entry in outputs]
        self.first = Place(recording["first_byte"], recording["start_at"])
        self.last = Place(recording["next_byte"], recording["end_at"])
        self._now = max(now, self.last.at)

    def find(self, moment: Moment) -> Place:
        """Return the place of a moment.

        Raises:
            BadRequestError: The moment is before the recording or in the future; the remedy says what is available.
        """
        if moment.kind == "seq":
            return self._at_seq(int(moment.value))
        if moment.kind == "after_start":
            return self._at_time(self.first.at + moment.value, moment.text)
        if moment.kind == "before_end":
            return self._at_time(self.last.at - moment.value, moment.text)
        return self._at_time(moment.value, moment.text)

    def _at_seq(self, seq: int) -> Place:
        if seq < self.first.seq:
            raise self._missing(f"the log starts at {self.first.seq}, after {seq}")
        if seq > self.last.seq:
            raise self._missing(f"the log ends at {self.last.seq}, before {seq}")
        from bisect import bisect_left

        index = bisect_left(self._seqs, seq)  # the stretch before has the byte before the place
        return Place(seq, self._times[index - 1] if index else self.first.at)

    def _at_time(self, at: float, text: str) -> Place:
        if at < self.first.at:
            raise self._missing(f"{text} is before the start of the recording")
        if at > self._now:
            raise self._missing(f"{text} is in the future")
        from bisect import bisect_right

        index = bisect_right(self._times, at)
        return Place(self._seqs[index] if index < len(self._seqs) else self.last.seq, min(at, self.last.at))

    def _missing(self, problem: str) -> BadRequestError:
        times = f"{local_time(self.first.at)} to {local_time(self.last.at)}"
        return BadRequestError(
            problem, remedy=f"use a sequence number from {self.first.seq} to {self.last.seq}, or a time from {times}"
        )


def local_time(at: float) -> str:
    """Format a time in the local time zone, to the second, as ``parse`` reads it."""
    from datetime import datetime

    return datetime.fromtimestamp(at).astimezone().isoformat(timespec="seconds")
