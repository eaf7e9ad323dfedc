"""Generate the descriptions of calls in docs/wire.md: ``python tests/support/wire_table.py``."""

from __future__ import annotations

from pathlib import Path

from generated import Part
from phux_core.calls import CALLS


def render() -> str:
    """Return the descriptions as Markdown."""
    parts = []
    for call in CALLS.values():
        how = "" if call.repeatable else " with the same key" if call.keyed else None
        repeat = "" if how is None else f" May be repeated after a lost reply{how}."
        parts.append(f"### `{call.name}`\n\n{call.doc} Returns {call.result}.{repeat}\n")
        if call.params:
            rows = "\n".join(
                f"| `{param.name}` | {param.kind.words} | {'yes' if param.required else 'no'} | {param.meaning} |"
                for param in call.params.values()
            )
            parts.append(f"| parameter | takes | required | meaning |\n|---|---|---|---|\n{rows}\n")
    return "\n".join(parts)


PART = Part(Path(__file__).parents[2] / "docs" / "wire.md", "calls: generated from phux_core/calls.py", "end of calls")

if __name__ == "__main__":
    PART.write(render())
