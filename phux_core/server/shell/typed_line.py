"""Read a typed line from the stream, and find where its echo ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from phux_core.engine.plain import as_written
from phux_core.logs.text import plain

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal
    from phux_core.server.shell.events import CommandStarted

_PASTE_OFF = b"\x1b[?2004l\r"
# So many characters tell a line from others; behind them it may be wrapped.
_TELLING = 16
# What a prompt and the line typed at it may take in the stream, to be read from there.
_LONGEST_LINE = 16 * 1024


def below_line(written: bytes, typed: str) -> bytes:
    r"""Give what stands below a line that was typed; everything if it does not show that line.

    bash shows what is typed where its errors go, and these may go to a file.

    Example:
        >>> below_line(b"\x1b[7mecho a\x1b[27m\r\necho b\r\n", "echo a")
        b'echo b\r\n'
        >>> below_line(b"a\r\nb\r\n", "echo a; echo b")
        b'a\r\nb\r\n'
    """
    line, _newline, below = written.partition(b"\n")
    telling = "".join(typed.split())[:_TELLING]
    # The line editor turns bracketed paste off where the line ends.
    return (below if telling in "".join(plain(line).split()) else written).removeprefix(_PASTE_OFF)


def typed_line(news: CommandStarted, journal: Journal, cols: int, rows: int) -> str | None:
    """Read a command's line from what the terminal shows, for a shell that does not tell it."""
    last = news.prompt_start + _LONGEST_LINE
    if not journal.oldest <= news.prompt_start <= news.input_start <= news.start < last:
        return None
    shown, prompt = (
        as_written(journal.since(news.prompt_start, end - news.prompt_start), cols=cols, rows=rows)
        for end in (news.input_end, news.input_start)
    )
    return shown[len(prompt) :].strip() or None if shown.startswith(prompt) else None
