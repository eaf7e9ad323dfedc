"""Text and JSON that cannot control the terminal on which a person reads them. Import-light.

Programs choose their output, their titles and the names of their files, so every text that is printed for people passes
through here: C0 except tab and newline, DEL, C1 (an 8-bit CSI or OSC), the controls that reorder text, and Unicode's
line breaks do not reach the terminal.
"""

import re

CONTROLS = "\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
"""The characters to replace, as ranges of a regular expression."""
_PATTERN = f"[{CONTROLS}]"


def printable(text: str) -> str:
    r"""Replace each control character.

    Example:
        >>> printable("\x1b]0;title\x07\tok\n")
        '\ufffd]0;title\ufffd\tok\n'
    """
    return text if _is_plain(text) else re.sub(_PATTERN, "\ufffd", text)


def escaped(json_text: str) -> str:
    r"""Escape the control characters that a JSON text contains, in strings; the value stays the same.

    Example:
        >>> escaped('"\x9b31m"')
        '"\\u009b31m"'
    """
    return json_text if _is_plain(json_text) else re.sub(_PATTERN, lambda found: f"\\u{ord(found[0]):04x}", json_text)


def _is_plain(text: str) -> bool:
    """Return True if a text surely has no control characters. Compiling the pattern takes longer than printing."""
    return text.replace("\n", "").isprintable()
