"""Text and JSON that cannot control the terminal on which a person reads them. Import-light.

Programs choose their output, their titles and the names of their files, so every text that is printed for people passes
through here: C0 except tab and newline, DEL, C1 (an 8-bit CSI or OSC), the controls that reorder text, and Unicode's
line breaks do not reach the terminal.
"""

import re

CONTROLS = "\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""The characters to replace, as ranges of a regular expression."""
_CONTROLS = re.compile(f"[{CONTROLS}]")


def printable(text: str) -> str:
    r"""Replace each control character.

    Example:
        >>> printable("\x1b]0;title\x07\tok\n")
        '\ufffd]0;title\ufffd\tok\n'
    """
    return _CONTROLS.sub("\ufffd", text)


def escaped(json_text: str) -> str:
    r"""Escape the control characters that a JSON text contains, in strings; the value stays the same.

    Example:
        >>> escaped('"\x9b31m"')
        '"\\u009b31m"'
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", json_text)
