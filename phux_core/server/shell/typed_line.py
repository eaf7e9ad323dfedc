"""Read a typed line from the stream, and find where its echo ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core.engine.plain import as_written
from phux_core.logs.text import plain

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal
    from phux_core.server.shell.events import CommandStarted

_PASTE_OFF = b"\x1b[?2004l\r"
# Enough characters to recognize a line; after them it may wrap.
_TELLING = 16
# Maximum size of a prompt and the line typed at it in the stream.
_LONGEST_LINE = 16 * 1024


def below_line(written: bytes, typed: str) -> bytes:
    r"""Return the output below a typed line; all of it if the line is not shown.

    bash shows typed input on its stderr, which may be redirected to a file.

    Example:
        >>> below_line(b"\x1b[7mecho a\x1b[27m\r\necho b\r\n", "echo a")
        b'echo b\r\n'
        >>> below_line(b"a\r\nb\r\n", "echo a; echo b")
        b'a\r\nb\r\n'
    """
    line, _newline, below = written.partition(b"\n")
    telling = "".join(typed.split())[:_TELLING]
    # The line editor disables bracketed paste at the end of the line.
    return (below if telling in "".join(plain(line).split()) else written).removeprefix(_PASTE_OFF)


def typed_line(news: CommandStarted, journal: Journal, cols: int, rows: int) -> str | None:
    """Read a command's line from the screen, for a shell that does not report it."""
    last = news.prompt_start + _LONGEST_LINE
    if not journal.oldest <= news.prompt_start <= news.input_start <= news.start < last:
        return None
    shown, prompt = (
        as_written(journal.since(news.prompt_start, end - news.prompt_start), cols=cols, rows=rows)
        for end in (news.input_end, news.input_start)
    )
    return shown[len(prompt) :].strip() or None if shown.startswith(prompt) else None
