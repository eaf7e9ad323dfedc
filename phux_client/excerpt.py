"""The part of a recording between two places, as steps in the order in which they happened. No I/O."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from phux_client.flows._types import Document
    from phux_client.moments import Place

    Entry: TypeAlias = tuple[float, int, str, Document]
    """An entry of a timeline, as on the wire."""


class Step:
    """Something that happened.

    Attributes:
        at: The time, in epoch seconds.
        kind: As in the entries of a timeline.
        fields: The fields of the entry; for output, the offsets ``start`` and ``end`` of its bytes.
    """

    __slots__ = ("at", "fields", "kind")

    def __init__(self, at: float, kind: str, fields: "Document") -> None:
        self.at = at
        self.kind = kind
        self.fields = fields

    def __repr__(self) -> str:
        return f"Step({self.at!r}, {self.kind!r}, {self.fields!r})"


def is_between(entry: "Entry", first: "Place", last: "Place") -> bool:
    """Return whether an entry of a timeline is neither before a place nor after another one."""
    at, seq, _kind, _fields = entry
    return first.at <= at <= last.at and first.seq <= seq <= last.seq


def steps_between(entries: "Iterable[Entry]", first: "Place", last: "Place") -> "Iterator[Step]":
    """Yield the steps of a recording between two places, given all entries of its timeline.

    Output is split where something else happened: after a new size, the same bytes draw another screen.
    """
    place, read_at = first.seq, first.at
    end: Entry = (last.at, last.seq, "end", {})
    for at, seq, kind, fields in (*entries, end):
        until = min(seq, last.seq)
        if until > place:
            yield Step(read_at, "output", {"start": place, "end": until})
            place = until
        if kind == "output":
            read_at = at
        elif kind != "end" and is_between((at, seq, kind, fields), first, last):
            yield Step(at, kind, fields)
