"""Everything that is known about a part of a recording."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from phux_client.flows._types import Document
    from phux_client.moments import Place

    Entry: TypeAlias = tuple[float, int, str, Document]
    """An entry of a timeline, as on the wire."""


class Output:
    """The output of a part of a recording, without what is missing in the log."""

    def __init__(self) -> None:
        self._pieces: list[tuple[int, bytes]] = []

    def add(self, offset: int, data: bytes) -> None:
        """Add the next piece."""
        self._pieces.append((offset, data))

    @property
    def end(self) -> int:
        """The offset after the last byte."""
        offset, data = self._pieces[-1] if self._pieces else (0, b"")
        return offset + len(data)

    def between(self, start: int, end: int) -> bytes:
        """Return the bytes between two offsets that are known."""
        parts = [
            data[max(0, start - offset) : end - offset]
            for offset, data in self._pieces
            if offset < end and offset + len(data) > start
        ]
        return b"".join(parts)

    def hole(self, start: int, end: int) -> "tuple[int, int] | None":
        """Return the first stretch of missing bytes between two offsets; None if there is none."""
        for offset, data in self._pieces:
            if start < end and offset > start:
                return start, min(offset, end)
            start = max(start, offset + len(data))
        return (start, end) if start < end else None


class Material:
    """A part of a recording.

    Attributes:
        log: The entry of the log in a LogList document.
        first: The place at which the part starts.
        last: The place at which it ends.
        entries: All entries of the timeline.
        output: The output between the two places.
        screen: The screen at the start as a ScreenState document with cells; None if a film is given.
        pages: The pages of the film; empty if a screen is given.
        actions: The TrajectoryAction documents of a trajectory, which needs no output, screen or film.
    """

    __slots__ = ("actions", "entries", "first", "last", "log", "output", "pages", "screen")

    def __init__(self, log: "Document", first: "Place", last: "Place", entries: "list[Entry]") -> None:
        self.log = log
        self.first, self.last = first, last
        self.entries = entries
        self.output = Output()
        self.screen: Document | None = None
        self.pages: list[Document] = []
        self.actions: list[Document] = []
