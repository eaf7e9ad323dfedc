"""Generate the blocking client from every module of phux_client/aio except ``__init__`` and ``backend``.

    python tools/generate_blocking.py           write phux_client/blocking
    python tools/generate_blocking.py --check   fail if that would change anything

The rewriting is textual, so docstrings and their examples are translated as well as code. ruff formats the result.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "phux_client" / "aio"
TARGET = ROOT / "phux_client" / "blocking"
WRITTEN_BY_HAND = {"__init__.py", "backend.py"}

HEADER = "# Generated from {source} by tools/generate_blocking.py: change that file, not this one.\n"

# Applied in this order: keywords, then names, then the few phrases in which the two clients differ.
RULES = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\bphux_client\.aio\b", "phux_client.blocking"),
    # A blocking client is open when it is returned, and is its own context manager.
    (r"\) -> AbstractAsyncContextManager\[Phux\]:", ") -> Phux:"),
    (r"\bOpening, ", ""),
    (r"\bOpening\(", "("),
    (r"\bAbstractAsyncContextManager\b", "AbstractContextManager"),
    (r"\basync client\b", "blocking client"),
    (r"\bfrom any number of tasks\b", "from any number of threads"),
]


def main(arguments: list[str]) -> int:
    """Generate the blocking client, or check that it is up to date.

    Returns:
        The exit status.
    """
    wanted = {path.name: generate(path) for path in sorted(SOURCE.glob("*.py")) if path.name not in WRITTEN_BY_HAND}
    stale = [
        name for name, text in wanted.items() if not (TARGET / name).exists() or (TARGET / name).read_text() != text
    ]
    extra = [path.name for path in TARGET.glob("*.py") if path.name not in {*wanted, *WRITTEN_BY_HAND}]
    if arguments == ["--check"]:
        for name in sorted(stale + extra):
            print(f"phux_client/blocking/{name} is out of date: run tools/generate_blocking.py")
        return 1 if stale or extra else 0
    for name in stale:
        (TARGET / name).write_text(wanted[name])
    for name in extra:
        (TARGET / name).unlink()
    return 0


def generate(source: Path) -> str:
    """Translate one module."""
    text = HEADER.format(source=source.relative_to(ROOT)) + translate(source.read_text())
    finished = subprocess.run(
        [Path(sys.executable).with_name("ruff"), "format", "--stdin-filename", TARGET / source.name, "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return finished.stdout


def translate(text: str) -> str:
    r"""Rewrite async source as blocking source.

    Example:
        >>> translate('async def f(pane):\n    return (await pane.snapshot()).seq\n')
        'def f(pane):\n    return pane.snapshot().seq\n'
    """
    text = unwrap_awaits(text)
    for pattern, replacement in RULES:
        text = re.sub(pattern, replacement, text)
    return text


def unwrap_awaits(text: str) -> str:
    """Drop the parentheses around awaits whose value is used: ``(await f()).x``, but not ``g(await f())``."""
    while match := re.search(r"(?<![\w\])])\(await ", text):
        end = end_of_operand(text, match.end())
        if text[end] == ")":
            text = text[: match.start()] + text[match.end() : end] + text[end + 1 :]
        else:
            text = text[: match.start()] + "(" + text[match.end() :]
    return text


def end_of_operand(text: str, start: int) -> int:
    """Return the end of an await's operand: names, dots and balanced brackets; brackets in strings do not count."""
    depth = 0
    position = start
    while depth or text[position].isalnum() or text[position] in "_.([":
        if text[position] in "\"'":
            position = text.index(text[position], position + 1)
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(text[position], 0)
        position += 1
    return position


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
