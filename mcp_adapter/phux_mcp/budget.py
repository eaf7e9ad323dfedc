"""How large a result may be: what a model can take in at once, estimated without its tokenizer."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from phux_mcp.answers import pretty

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    Document = dict[str, Any]

BYTES = 32_000
"""What is asked of a server unless the caller allows another number."""
TOKENS = 9_000
"""What a result may have then: hosts warn at 10,000, and this is an estimate."""

# What tokenizers make one token of, roughly: pieces of words, two digits or signs, blanks. Those of a long word, which
# is a key or a hash rather than a word, are shorter, and what is not ASCII takes up to two tokens a character.
_PIECE = re.compile(r"""[A-Z]?[a-z]{1,5}[ ]?|[A-Z]{1,2}|\d\d?|[ \n\t]+|["\\,:{}\[\]]{1,2}|.""", re.DOTALL)
_RANDOM = re.compile(r"[A-Za-z0-9]{20,}")
# What is cut out of the middle may have been lighter than the ends; and what is this short is not asked for again.
_MARGIN = 0.95
_LEAST = 1000
# What is this short by the fast encoder has not TOKENS bytes by the other, which indents.
_SMALL = TOKENS // 6


def tokens(text: str) -> int:
    """Estimate how many tokens a text has, rather too many than too few."""
    plain = text.encode("ascii", "ignore")
    random = _RANDOM.findall(text)
    words = len(_PIECE.findall(_RANDOM.sub("", text))) + sum(map(len, random)) * 3 // 4
    return words + len(text) - len(plain)


class Budget:
    """What one result may have.

    Args:
        max_bytes: What its caller allows, and then only bytes count.

    Attributes:
        bytes: What to ask a server for.
        by_bytes: Whether that is all that counts.
    """

    def __init__(self, max_bytes: int | None = None) -> None:
        self.bytes = BYTES if max_bytes is None else max_bytes
        self.by_bytes = max_bytes is not None

    def excess(self, document: object) -> float:
        """Say how many times too large a document is; of one that fits, at most 1."""
        if not self.by_bytes and len(json.dumps(document)) < _SMALL:
            return 1.0
        text = pretty(document)
        size = len(text.encode("utf-8", "replace"))
        if self.by_bytes or size <= TOKENS:  # nothing has more tokens than bytes
            return size / max(1, self.bytes) if self.by_bytes else 1.0
        return max(size / self.bytes, tokens(text) / TOKENS)

    def fill(self, most: int, build: Callable[[int], Document]) -> Document:
        """Build a document with as many entries as fit, at most ``most``."""
        count = most
        document = build(count)
        while count and (excess := self.excess(document)) > 1:
            count = min(count - 1, int(count / excess))
            document = build(count)
        return document

    async def read(self, ask: Callable[[int], Awaitable[Document]]) -> Document:
        """Ask for a text that fits: what a number of bytes comes to is not known before it is there."""
        most = self.bytes
        document = await ask(most)
        while not self.by_bytes and (excess := self.excess(document)) > 1 and most > _LEAST:
            most = int(most / excess * _MARGIN)
            document = await ask(most)
        return document
