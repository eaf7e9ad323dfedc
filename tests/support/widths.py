"""The widths of all code points in an engine; run as a program, this writes phux_core/width_table.py.

The table is libghostty's, so that all of phux agrees with the default engine. Run it after a new release of pyghostty:
``python tests/support/widths.py phux_core/width_table.py``.
"""

import re
import sys
import textwrap

from phux_core import engine as engines
from phux_core.engine import protocol

CODES = [code for code in range(0x20, 0x110000) if not 0x7F <= code < 0xA0 and not 0xD800 <= code < 0xE000]
"""Every code point that a program can print."""

_COLUMN = re.compile(rb";([0-9]+)R")

HEAD = '''"""The width of every code point, as libghostty has it: written by tests/support/widths.py."""

# Each entry is the distance from the entry before, in hexadecimal, and the width from there on.
CHANGES = """
'''


def advances(name, texts):
    """Return by how many columns each text moves the cursor of a wide terminal."""
    engine = engines.create(name, 600, 2)
    found = []
    for at in range(0, len(texts), 1000):
        stream = "".join(f"\ra{text}\x1b[6n" for text in texts[at : at + 1000])
        replies = b"".join(effect.data for effect in engine.feed(stream.encode()) if isinstance(effect, protocol.Reply))
        found += [int(column) - 2 for column in _COLUMN.findall(replies)]
    engine.close()
    return found


def changes(widths):
    """Return the table: the code points where the width changes, without those that cannot be printed."""
    entries, before, width = [], 0, 1
    for code, columns in widths.items():
        if columns != width:
            entries.append(f"{code - before:x}{'zow'[columns]}")
            before, width = code, columns
    return "".join(entries)


if __name__ == "__main__":
    text = changes(dict(zip(CODES, advances("ghostty", [chr(code) for code in CODES]), strict=True)))
    with open(sys.argv[1], "w", encoding="ascii") as module:
        module.write(HEAD + "\n".join(textwrap.wrap(text, 118)) + '\n"""\n')
