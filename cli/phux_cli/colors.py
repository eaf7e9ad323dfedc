"""Colors of states, exit codes and errors: on a terminal only, and not if NO_COLOR is set."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

_SGR = {"good": "32", "bad": "1;31", "busy": "36", "asks": "1;33"}


def is_on(stream: "IO[str]") -> bool:
    """Return whether output to a stream may have colors."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb" and stream.isatty()


def paint(line: str, pattern: str) -> str:
    """Color the named group that matched in the first match of a pattern: good, bad, busy or asks."""
    import re

    found = re.search(pattern, line)
    if found is None or found.lastgroup is None:
        return line
    start, end = found.span(found.lastgroup)
    return f"{line[:start]}\x1b[{_SGR[found.lastgroup]}m{line[start:end]}\x1b[m{line[end:]}"
