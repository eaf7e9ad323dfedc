"""Generate the table of keys in docs/attach.md: ``python tests/support/key_table.py``."""

from __future__ import annotations

from pathlib import Path

from generated import Part
from phux_core.bindings import ACTIONS, Bindings


def render() -> str:
    """Return the table as Markdown."""
    bindings = Bindings()
    rows = []
    for action, words in ACTIONS.items():
        if action == "window-0":
            rows.append("| `0` to `9` | `window-0` to `window-9` | go to the window with this index |")
        elif not action.startswith("window-"):
            keys = " ".join(f"`{key}`" for key in bindings.keys_of(action))
            rows.append(f"| {keys} | `{action}` | {words} |")
    return "\n".join(["| key | action | what it does |", "|---|---|---|", *rows]) + "\n"


PART = Part(
    Path(__file__).parents[2] / "docs" / "attach.md", "keys: generated from phux_core/bindings.py", "end of keys"
)

if __name__ == "__main__":
    PART.write(render())
