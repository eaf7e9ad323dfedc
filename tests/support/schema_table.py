"""Generate the table of documents in docs/schemas.md: ``python tests/support/schema_table.py``."""

from __future__ import annotations

import json
from pathlib import Path

from generated import Part

ROOT = Path(__file__).parents[2]


def render() -> str:
    """Return the table as Markdown."""
    rows = ""
    for path in sorted((ROOT / "schemas").glob("*.json")):
        schema = json.loads(path.read_text())
        text = schema.get("description", "One of these events.").partition("\n")[0].replace("``", "`")
        rows += f"| [{schema['title']}](../schemas/{path.name}) | {text} |\n"
    return f"| document | description |\n|---|---|\n{rows}"


PART = Part(ROOT / "docs" / "schemas.md", "documents: generated from schemas", "end of documents")

if __name__ == "__main__":
    PART.write(render())
