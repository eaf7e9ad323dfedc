"""Find where a typed line, and the output of its command, begin and end in the output of a shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phux_core.engine.plain import as_written

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal
    from phux_core.server.shell.events import CommandStarted

# fish's output between the mark and the command: bracketed paste off, the title, colors reset.
_FISH_BEGIN = re.compile(
    rb"\x1b\[\?2004l(?:(?P<title>\x1b\]0;[^\x07\x1b]*\x07)?\x1b\[30m(?:\x1b\(B)?\x1b\[m\x0f?(?(title)\r))?"
)
_PASTE_ON, _PASTE_OFF = b"\x1b[?2004h", b"\x1b[?2004l\r"
# Maximum size of a prompt and the line typed at it in the stream.
_LONGEST_LINE = 16 * 1024


def start_of_unmarked_prompt(journal: Journal, start: int, end: int) -> int:
    """Return where the prompt after a command begins, if the shell did not mark the end of the command.

    That is the start of the last line, or in bash, which enables bracketed paste before its prompt, of an earlier one.
    """
    low = max(start, journal.base, end - _LONGEST_LINE)
    written = journal.since(low, max(0, end - low))
    line, paste = written.rfind(b"\n") + 1, written.rfind(_PASTE_ON)
    return low + (line if paste < 0 else min(line, paste))


def start_of_fish_output(head: bytes) -> int:
    r"""Return the length of fish's own output before that of the command.

    Example:
        >>> start_of_fish_output(b"\x1b[?2004l\x1b]0;echo\x07\x1b[30m\x1b(B\x1b[m\rtext\r\n")
        29
    """
    begin = _FISH_BEGIN.match(head)
    return 0 if begin is None else begin.end()


def below_line(written: bytes) -> bytes:
    """Return the output below a typed line."""
    # The line editor disables bracketed paste at the end of the line.
    return written.partition(b"\n")[2].removeprefix(_PASTE_OFF)


def typed_line(news: CommandStarted, journal: Journal, cols: int, rows: int) -> str | None:
    """Read a command's line from the screen, for a shell that does not report it."""
    last = news.prompt_start + _LONGEST_LINE
    if not journal.oldest <= news.prompt_start <= news.input_start <= news.start < last:
        return None
    written = journal.since(news.prompt_start, news.start - news.prompt_start)
    # dash draws its continuation prompts after the lines that were typed ahead.
    line = written[: written.rfind(b"\n") + 1] or written
    shown, prompt = (
        as_written(part, cols=cols, rows=rows) for part in (line, written[: news.input_start - news.prompt_start])
    )
    return shown[len(prompt) :].strip() or None if shown.startswith(prompt) else None
