"""Seven streams that resemble the output of real programs, with the same bytes on every run.

Each one exercises a different cost of an engine: plain lines, many styles, wide characters, cursor addressing, line
ends, carriage returns and wrapped lines. A real PTY turns ``\\n`` into ``\\r\\n``; the streams already contain ``\\r\\n``.
"""

import random

MEGABYTE = 1_000_000

_WORDS = [
    "starting",
    "worker",
    "connection",
    "closed",
    "request",
    "accepted",
    "retry",
    "timeout",
    "cache",
    "miss",
    "hit",
    "flushed",
    "queue",
    "depth",
    "latency",
    "handler",
    "returned",
    "status",
    "compiled",
    "module",
    "linking",
    "target",
    "finished",
    "skipped",
    "warning",
    "deprecated",
    "session",
    "token",
]
_LEVELS = (("INFO", "32"), ("WARN", "33"), ("ERROR", "1;31"), ("DEBUG", "2;37"))
_JAPANESE = "端末の画面に日本語を表示する試験です。漢字とかなを混ぜて長い行を作ります"
_CYRILLIC = "съешь ещё этих мягких французских булок да выпей чаю"
_ACCENTED = "naïve façade — Übergröße, déjà vu, señor, œuvre ✓ → …"


def _words(rng, count):
    return " ".join(rng.choices(_WORDS, k=count))


def plain_log(size):
    """Return a log without colors, with lines of about 90 characters."""
    rng = random.Random(1)
    lines = []
    for number in range(400):
        head = f"2026-03-{number % 28 + 1:02} 12:{number % 60:02}:07.{number:06} host app[{number}]: "
        lines.append(head + _words(rng, 7))
    return _repeat("\r\n".join((*lines, "")), size)


def color_log(size):
    """Return a log with a colored level, a dim time and a bold name in each line."""
    rng = random.Random(2)
    lines = []
    for number in range(400):
        level, code = rng.choice(_LEVELS)
        lines.append(
            f"\x1b[90m12:{number % 60:02}:{number % 59:02}\x1b[0m \x1b[{code}m{level:5}\x1b[0m "
            f"\x1b[1mapp::{rng.choice(_WORDS)}\x1b[22m: {_words(rng, 5)} \x1b[3{number % 8}m#{number}\x1b[0m"
        )
    return _repeat("\r\n".join((*lines, "")), size)


def utf8(size):
    """Return Japanese, Cyrillic and accented text with emoji."""
    rng = random.Random(3)
    lines = []
    for number in range(300):
        kind = number % 4
        if kind == 0:
            start = rng.randrange(10)
            lines.append(_JAPANESE[start : start + 30] + f" {number}")
        elif kind == 1:
            lines.append(f"{number}: {_CYRILLIC}")
        elif kind == 2:
            lines.append(f"{_ACCENTED} {_words(rng, 2)}")
        else:
            lines.append(f"🚀 {_words(rng, 3)} ✨ {_JAPANESE[:8]} é́ü̈ {number}")
    return _repeat("\r\n".join((*lines, "")), size)


def tui(size, cols=80, rows=24):
    """Return the output of a full-screen program that redraws parts of its screen: a table and status lines."""
    rng = random.Random(4)
    frames = ["\x1b[?1049h\x1b[?25l\x1b[2J"]
    for frame in range(60):
        out = ["\x1b[?2026h\x1b[H"]
        out.append(f"\x1b[7m top - 12:00:{frame:02} up 3 days, load {rng.random():.2f} \x1b[K\x1b[0m")
        for row in range(3, rows - 1):
            if rng.random() < 0.6:
                name = rng.choice(_WORDS)
                out.append(
                    f"\x1b[{row};1H\x1b[3{row % 8}m{rng.randrange(99999):5}\x1b[39m \x1b[1m{name:12}\x1b[22m"
                    f"\x1b[{row};30H{rng.random() * 100:5.1f} \x1b[32m{'|' * rng.randrange(20)}\x1b[0m\x1b[K"
                )
        out.append(
            f"\x1b[{rows};1H\x1b[44;97mF1\x1b[0mHelp \x1b[44;97mF10\x1b[0mQuit\x1b[K\x1b[{frame % rows + 1};{cols // 2}H"
        )
        out.append("\x1b[?2026l")
        frames.append("".join(out))
    return _repeat("".join(frames), size)


def short_lines(size):
    """Return short lines, as ``yes`` and ``seq`` write them."""
    lines = [str(number) if number % 2 else "y" for number in range(1000)]
    return _repeat("\r\n".join((*lines, "")), size)


def progress(size):
    """Return the output of a progress bar that is redrawn at each step."""
    frames = []
    for step in range(101):
        done = step * 40 // 100
        bar = "=" * done + ">" + " " * (40 - done)
        frames.append(f"\r\x1b[K{step:3}%|\x1b[32m{bar}\x1b[0m| {step * 7}/707 [00:{step % 60:02}<00:10, 12.3MB/s]")
    return _repeat("".join(frames), size)


def long_lines(size):
    """Return lines that wrap many times, such as JSON without newlines."""
    rng = random.Random(5)
    lines = [f'{{"number":{number},"words":"{_words(rng, 400)}"}}' for number in range(40)]
    return _repeat("\r\n".join((*lines, "")), size)


def _repeat(text, size):
    data = text.encode()
    return data * max(1, round(size / len(data)))


STREAMS = {
    "plain": plain_log,
    "color": color_log,
    "utf-8": utf8,
    "tui": tui,
    "short": short_lines,
    "progress": progress,
    "long": long_lines,
}
