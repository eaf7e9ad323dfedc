"""Hide the nonce of a shell's marks in output that leaves the server, so that no program can print the marks again.

The journal and the terminal have the exact output. Hyphens replace the nonce elsewhere, so that offsets stay the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from phux_core.keeper.journal import Journal

_UNFINISHED = re.compile(rb"\x1b\]7748;([\w-]+)\Z")
# If the nonce of a mark is in a piece of output, the mark begins at most this far before the piece.
_REACH = 64


def hide_nonce(data: bytes, nonce: str, before: bytes = b"") -> bytes:
    r"""Replace the nonce, also where the data begins or ends inside it.

    Args:
        before: The end of the output before the data.

    Example:
        >>> hide_nonce(b"\x1b]7748;cafe;A\x07", "cafe"), hide_nonce(b"\x1b]7748;ca", "cafe")
        (b'\x1b]7748;----;A\x07', b'\x1b]7748;--')
        >>> hide_nonce(b"fe;A\x07", "cafe", before=b"\x1b]7748;ca")
        b'--;A\x07'
    """
    secret = nonce.encode()
    if not secret:
        return data
    before = before[-_REACH:]
    whole = (before + data).replace(secret, b"-" * len(secret))
    unfinished = _UNFINISHED.search(whole, max(0, len(whole) - _REACH))
    if unfinished is not None and secret.startswith(unfinished[1]):
        whole = whole[: unfinished.start(1)] + b"-" * len(unfinished[1])
    return whole[len(before) :]


def without_nonce(data: bytes, nonce: str, journal: Journal, place: int) -> bytes:
    """Replace the nonce in output that starts at a place of the journal."""
    start = max(journal.oldest, place - _REACH)
    return hide_nonce(data, nonce, journal.since(start, place - start))
