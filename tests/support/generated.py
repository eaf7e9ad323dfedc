"""Parts of documents that are generated from code, between two comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class Part:
    """The generated part of one document."""

    def __init__(self, document: Path, begin: str, end: str) -> None:
        self.document = document
        self.begin = f"<!-- {begin} -->\n"
        self.end = f"<!-- {end} -->\n"

    def read(self) -> str:
        """Return the current text of the part."""
        return self.document.read_text().partition(self.begin)[2].partition(self.end)[0].strip("\n") + "\n"

    def write(self, text: str) -> None:
        """Replace the part in the document."""
        head, _, rest = self.document.read_text().partition(self.begin)
        tail = rest.partition(self.end)[2]
        self.document.write_text(f"{head}{self.begin}\n{text.strip(chr(10))}\n\n{self.end}{tail}")
