"""Generate the table of errors in docs/wire.md: ``python tests/support/error_table.py``."""

from __future__ import annotations

import inspect
from pathlib import Path

from generated import Part
from phux_core.errors import ERRORS


def render() -> str:
    """Return the table of codes and the summaries of their classes as Markdown."""
    rows = "\n".join(
        f"| `{code}` | {(inspect.getdoc(kind) or '').partition(chr(10))[0]} |"
        for code, kind in reversed(ERRORS.items())
    )
    return f"| code | meaning |\n|---|---|\n{rows}\n"


PART = Part(
    Path(__file__).parents[2] / "docs" / "wire.md", "errors: generated from phux_core/errors.py", "end of errors"
)

if __name__ == "__main__":
    PART.write(render())
