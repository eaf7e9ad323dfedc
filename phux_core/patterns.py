"""Compile a caller's pattern, and stop matching that takes too long. Import-light.

A pattern with nested repetitions, such as ``(a+)+$``, may take practically forever. Python's ``re`` has no time limit
and holds the GIL, so a CPU timer of the kernel (ITIMER_VIRTUAL) runs during matching. The effect of its signal depends
on where lines are matched:

- In a dedicated process (``phux_core.logs.worker``, and this module's own), it ends the process.
- In the main thread of a client's program, a handler raises ``LimitError``, because signals can interrupt ``re``.
- In other threads, which signals cannot interrupt, and for long lines, in which ``re`` checks for signals too rarely,
  a helper process of this module matches the lines.
"""

import sys

from phux_core.errors import BadRequestError, InternalError, LimitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

LONGEST = 10_000
"""Maximum characters of a pattern."""
LIMIT_S = 0.4
"""Maximum CPU time for matching one batch of lines."""
BATCH = 256
"""Maximum lines of a log in one batch."""
# In a line of this length, `re` checks for signals every few milliseconds; in one of 200,000, every few seconds.
_LONG_LINE = 8192
# Without these characters, there is only one way to match from each position, in time proportional to the pattern.
_CHOICES = "*+?{|"


def compile_pattern(pattern: str) -> "re.Pattern[str]":
    """Compile a pattern.

    Raises:
        BadRequestError: The pattern is invalid or too long.
    """
    import re

    if not isinstance(pattern, str):
        raise BadRequestError(f"the pattern is {pattern!r:.80}", remedy="use a string")
    if len(pattern) > LONGEST:
        raise BadRequestError(f"the pattern has {len(pattern)} characters", remedy=f"use at most {LONGEST}")
    try:
        compiled = re.compile(pattern)
        compiled.search("")  # some patterns overflow only when used
    except (re.error, OverflowError, RecursionError) as error:
        raise BadRequestError(
            f"the pattern {pattern!r:.80} is invalid: {error}", remedy="use the syntax of Python's re module"
        ) from None
    return compiled


def too_slow() -> LimitError:
    """Return the error for a pattern that was stopped."""
    return LimitError(
        f"matching the pattern took more than {LIMIT_S:g} s",
        remedy="use a simpler pattern, without nested repetitions",
    )


class TimeLimit:
    """Ends the process with SIGVTALRM if the block takes LIMIT_S of CPU time."""

    def __enter__(self) -> None:
        """Start the timer."""
        import signal

        signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S)

    def __exit__(self, *_error: object) -> None:
        """Stop the timer."""
        import signal

        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def was_too_slow(returncode: int | None) -> bool:
    """Return whether the time limit ended a process, given its exit status."""
    import signal

    return returncode == -signal.SIGVTALRM


class Searcher:
    """Searches lines for a pattern, in any program and thread; raises BadRequestError if the pattern is invalid."""

    def __init__(self, pattern: str) -> None:
        self._compiled = compile_pattern(pattern)
        self._is_safe = not any(sign in pattern for sign in _CHOICES)
        self._helper: _Helper | None = None

    def first(self, lines: "Sequence[str]") -> "tuple[int, str] | None":
        """Return the index of the first line that matches, and the matching part; None if no line matches.

        Raises:
            LimitError: Matching took too long.
        """
        import threading

        if self._is_safe:
            return _first(self._compiled, lines)
        is_main_thread = threading.current_thread() is threading.main_thread()
        if is_main_thread and all(len(line) <= _LONG_LINE for line in lines):
            with _Interruption():
                return _first(self._compiled, lines)
        helper = self._helper or _Helper()
        self._helper = None  # set again below if it survives
        found = helper.first(self._compiled.pattern, lines)
        self._helper = helper
        return found


def _first(pattern: "re.Pattern[str]", lines: "Sequence[str]") -> "tuple[int, str] | None":
    search = pattern.search
    for index, line in enumerate(lines):
        match = search(line)
        if match is not None:
            return index, match[0]
    return None


class _Interruption:
    """Raises LimitError in the main thread if the block takes LIMIT_S of its CPU time."""

    def __enter__(self) -> None:
        import signal
        import time

        self._started_s = time.thread_time()
        self._handler = signal.signal(signal.SIGVTALRM, self._check)
        self._timer = signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT_S)

    def __exit__(self, *_error: object) -> None:
        import signal

        signal.setitimer(signal.ITIMER_VIRTUAL, *self._timer)
        signal.signal(signal.SIGVTALRM, self._handler)

    def _check(self, _number: int, _frame: object) -> None:
        import signal
        import time

        left_s = self._started_s + LIMIT_S - time.thread_time()
        if left_s > 0:  # another thread used the time
            signal.setitimer(signal.ITIMER_VIRTUAL, left_s)
            return
        # Restore the timer here, because the exception may interrupt `__exit__` as well.
        self.__exit__()
        raise too_slow()


class _Helper:
    """A process that searches lines for patterns, and ends if that takes too long."""

    def __init__(self) -> None:
        import subprocess

        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "phux_core.patterns"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def first(self, pattern: str, lines: "Sequence[str]") -> "tuple[int, str] | None":
        """Like ``Searcher.first``."""
        import json

        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        reply = b""
        try:
            process.stdin.write(json.dumps([pattern, list(lines)]).encode() + b"\n")
            process.stdin.flush()
            reply = process.stdout.readline()
        except BrokenPipeError:
            pass
        if not reply:
            if was_too_slow(process.wait()):
                raise too_slow()
            raise InternalError("the process that matches the pattern has exited")
        found = json.loads(reply)
        return None if found is None else (found[0], found[1])

    def __del__(self) -> None:
        process = self._process
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            try:  # noqa: SIM105  imports may fail at interpreter shutdown
                pipe.close()
            except BrokenPipeError:  # unread data was buffered
                pass


def _serve() -> None:
    """Read requests from stdin until it is closed; search the lines of each for its pattern."""
    import json

    for request in sys.stdin.buffer:
        pattern, lines = json.loads(request)
        compiled = compile_pattern(pattern)
        with TimeLimit():
            found = _first(compiled, lines)
        sys.stdout.buffer.write(json.dumps(found).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    _serve()
