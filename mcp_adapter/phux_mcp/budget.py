"""The size limit of results, in tokens estimated without the model's tokenizer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from phux_mcp.answers import pretty

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from phux_client.flows import Document

BYTES = 32_000
"""The bytes to request from a server by default."""
TOKENS = 9_000
"""The default token limit of a result. Hosts warn at 10,000; the difference allows for the error of the estimate."""

# Each match is roughly one token: a part of a word, one or two digits or punctuation characters, or whitespace. Long
# words are keys or hashes, which have more tokens per character. A character outside ASCII takes up to two tokens.
_PIECE = re.compile(r"""[A-Z]?[a-z]{1,5}[ ]?|[A-Z]{1,2}|\d\d?|[ \n\t]+|["\\,:{}\[\]]{1,2}|.""", re.DOTALL)
_RANDOM = re.compile(r"[A-Za-z0-9]{20,}")
# A server shortens a text by omitting its middle, which may have had fewer tokens per byte than the ends.
_MARGIN = 0.95
# A limit of this many bytes or fewer is not reduced further.
_LEAST = 1000


def tokens(text: str) -> int:
    """Return a high estimate of the number of tokens in a text."""
    plain = text.encode("ascii", "ignore")
    random = _RANDOM.findall(text)
    words = len(_PIECE.findall(_RANDOM.sub("", text))) + sum(map(len, random)) * 3 // 4
    return words + len(text) - len(plain)


class Budget:
    """The size limit of one result.

    Args:
        max_bytes: The caller's limit; if given, only bytes count.
    """

    def __init__(self, max_bytes: int | None = None) -> None:
        self.bytes = BYTES if max_bytes is None else max_bytes
        self.by_bytes = max_bytes is not None

    def excess(self, document: object) -> float:
        """Return the ratio of a document's size to the limit; at most 1 if it fits."""
        text = pretty(document)
        size = len(text.encode("utf-8", "replace"))
        if self.by_bytes or size <= TOKENS:  # no text has more tokens than bytes
            return size / max(1, self.bytes) if self.by_bytes else 1.0
        return max(size / self.bytes, tokens(text) / TOKENS)

    def fill(self, most: int, build: Callable[[int], Document]) -> Document:
        """Return a document with as many entries as fit, at most ``most``."""
        count = most
        document = build(count)
        while count and (excess := self.excess(document)) > 1:
            count = min(count - 1, int(count / excess))
            document = build(count)
        return document

    async def read(self, ask: Callable[[int], Awaitable[Document]]) -> Document:
        """Request a text, and repeat with lower limits until it fits, because tokens can only be counted afterwards."""
        most = self.bytes
        document = await ask(most)
        while not self.by_bytes and (excess := self.excess(document)) > 1 and most > _LEAST:
            most = int(most / excess * _MARGIN)
            document = await ask(most)
        return document
