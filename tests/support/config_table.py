"""Generate the table of keys in docs/config.md: ``python tests/support/config_table.py``."""

from __future__ import annotations

import json
from pathlib import Path

from generated import Part
from phux_core.config import KEYS


def render() -> str:
    """Return the table as Markdown."""
    rows = "\n".join(
        f"| `{key.name}` | {key.kind.words} | {f'`{json.dumps(key.default)}`' if key.default is not None else key.omitted} | {key.doc} |"
        for key in KEYS.values()
    )
    return f"| key | takes | default | meaning |\n|---|---|---|---|\n{rows}\n"


PART = Part(Path(__file__).parents[2] / "docs" / "config.md", "keys: generated from phux_core/config.py", "end of keys")

if __name__ == "__main__":
    PART.write(render())
