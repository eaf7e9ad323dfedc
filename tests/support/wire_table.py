"""The part of docs/wire.md that says what the registry of calls says; ``python tests/support/wire_table.py`` writes it."""

from __future__ import annotations

from pathlib import Path

from phux_core.calls import CALLS, KINDS

DOCUMENT = Path(__file__).parents[2] / "docs" / "wire.md"
BEGIN, END = "<!-- calls: generated from phux_core/calls.py -->\n", "<!-- end of calls -->\n"


def render() -> str:
    """Write the calls down."""
    parts = []
    for call in CALLS.values():
        repeat = " May be repeated after a lost reply." if call.repeatable else ""
        parts.append(f"### `{call.name}`\n\n{call.doc} Gives {call.result}.{repeat}\n")
        if call.params:
            rows = "\n".join(
                f"| `{param.name}` | {KINDS[param.kind][0].replace('|', '/')} | {'yes' if param.required else 'no'} | {param.doc} |"
                for param in call.params
            )
            parts.append(f"| parameter | takes | required | meaning |\n|---|---|---|---|\n{rows}\n")
    return "\n".join(parts)


def generated_part(text: str) -> str:
    """Cut the generated part out of the document."""
    return text.partition(BEGIN)[2].partition(END)[0].strip("\n") + "\n"


if __name__ == "__main__":
    text = DOCUMENT.read_text()
    head, _, rest = text.partition(BEGIN)
    tail = rest.partition(END)[2]
    DOCUMENT.write_text(f"{head}{BEGIN}\n{render()}\n{END}{tail}")
