"""Print documents for programs, and boxes and lines for people."""

import json
import os
import sys

from phux_cli.colors import is_on, paint
from phux_core.printable import escaped, printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import IO

    from phux_core.errors import PhuxError


def print_document(document: "Mapping[str, object]") -> None:
    """Print a document on stdout, in UTF-8 in any locale, as JSON requires."""
    write(as_json(document, indent=2) + "\n")


def as_json(value: object, *, indent: int | None = None) -> str:
    """Return a value as JSON, with escapes for control characters."""
    return escaped(json.dumps(value, indent=indent, ensure_ascii=False))


def write(text: str) -> None:
    """Write a verb's result. A closed pipe is ignored and does not change the exit code."""
    try:
        stream(text)
    except BrokenPipeError:
        discard(sys.stdout)


def discard(stream: "IO[str]") -> None:
    """Discard further output to a stream, so that Python can flush it at exit without an error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def stream(text: str) -> None:
    """Write text to stdout as UTF-8, without control characters; escape bytes of file names that are not UTF-8.

    Raises:
        BrokenPipeError: The reader closed the pipe, so a verb that prints continuously can stop.
    """
    _write_bytes(printable(text).encode("utf-8", "backslashreplace"))


def stream_raw(text: str) -> None:
    """Write the bytes of a program to stdout; on a terminal, without control characters."""
    if sys.stdout.isatty():
        stream(text)
    else:
        _write_bytes(text.encode("utf-8", "surrogateescape"))


def write_bytes(data: bytes) -> None:
    """Write a verb's result that is not text. A closed pipe is ignored."""
    try:
        _write_bytes(data)
    except BrokenPipeError:
        discard(sys.stdout)


def _write_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def show(options: "argparse.Namespace", document: "Mapping[str, object]", *lines: str, colors: str = "") -> int:
    """Print a verb's result, as JSON if the options say so, or as lines for people; return the exit code of success.

    Args:
        colors: The pattern of what to color in each line, on a terminal (``phux_cli.colors``).
    """
    if options.json:
        print_document(document)
        return 0
    clean = [printable(line.replace("\n", "\ufffd")) for line in lines]
    if colors and is_on(sys.stdout):
        clean = [paint(line, colors) for line in clean]
    write_bytes("".join(f"{line}\n" for line in clean).encode("utf-8", "backslashreplace"))
    return 0


def show_place(options: "argparse.Namespace", place: "Mapping[str, object]", *, created: bool = False) -> int:
    """Print the place of a pane; return the exit code of success."""
    return show(options, place, f"{'created ' if created else ''}{describe_place(place)}")


def describe_place(place: "Mapping[str, object]") -> str:
    """Return one line about the place of a pane."""
    zoomed = ", zoomed" if place["zoomed"] else ""
    where = f"{place['session']}:{place['window']}.{place['pane']} ({place['window_name']})"
    return f"pane @{place['terminal_id']} {where} {place['cols']}x{place['rows']}{zoomed}"


def fit(line: str) -> str:
    """Cut a line to the width of the terminal, so that the line does not wrap."""
    from phux_core.width import character_columns, columns

    line = printable(line)
    width = os.get_terminal_size(1).columns if os.isatty(1) else 0
    if not width or columns(line) <= width:
        return line
    kept, room = "", width - 1
    for character in line:
        room -= character_columns(character)
        if room < 0:
            break
        kept += character
    return f"{kept}…"


def print_error(error: "PhuxError", *, as_json: bool) -> None:
    """Print an error and its remedy on stderr; with ``as_json``, as one line of JSON."""
    if as_json:
        print_on_stderr(escaped(json.dumps(error.to_document())))
    else:
        texts = [text for text in (error.message, error.remedy) if text]
        print_on_stderr(*(f"phux: {text}" for text in texts), colors="^(?P<bad>phux:)")


def print_on_stderr(*lines: str, colors: str = "") -> None:
    """Print lines on stderr without control characters, unless it is closed; ``colors`` is as in ``show``."""
    clean = [printable(line) for line in lines]
    try:
        if colors and is_on(sys.stderr):
            clean = [paint(line, colors) for line in clean]
        print(*clean, sep="\n", file=sys.stderr)
    except OSError:
        discard(sys.stderr)


def box(lines: list[str], cols: int, title: str) -> list[str]:
    """Draw a screen in a box, with a title in its upper edge."""
    from phux_core.width import columns

    label = f" {printable(title)} "
    while label and columns(label) > cols - 1:
        label = label[:-1]
    top = f"┌─{label}{'─' * (cols - 1 - columns(label))}┐"
    rows = [f"│{line}{' ' * max(0, cols - columns(line))}│" for line in map(printable, lines)]
    return [top, *rows, f"└{'─' * cols}┘"]
