"""The sizes of a pane's terminal, with the offsets in its output from which they apply; stored in ``meta.json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

Size: TypeAlias = "tuple[int, int, int]"
"""An offset, and the columns and rows from there on."""
DEFAULT: Size = (0, 80, 24)
MOST = 500
_LARGEST = 1000


def load(meta: dict[str, Any]) -> list[Size]:
    """Return the sizes in the metadata of a log, which may be damaged; at least one."""
    found = meta.get("sizes")
    sizes = [tuple(size) for size in found if _is_size(size)] if isinstance(found, list) else []
    whole = (0, meta.get("cols"), meta.get("rows"))  # some logs have only the last size
    return sorted(sizes) or [whole if _is_size(whole) else DEFAULT]


def _is_size(size: object) -> bool:
    if not isinstance(size, list | tuple) or len(size) != 3 or any(type(number) is not int for number in size):
        return False
    offset, *rest = size
    return offset >= 0 and all(1 <= number <= _LARGEST for number in rest)


def with_size(sizes: Sequence[Size], offset: int, cols: int, rows: int) -> list[Size]:
    """Return the sizes after a resize; the oldest are dropped if there are too many."""
    if sizes and sizes[-1][1:] == (cols, rows):
        return [*sizes]
    return [*(size for size in sizes if size[0] < offset), (offset, cols, rows)][-MOST:]


def within(sizes: Sequence[Size], start: int, end: int) -> list[Size]:
    """Return the size at ``start`` and the changes before ``end``, with offsets relative to ``start``."""
    place, cols, rows = next((size for size in reversed(sizes) if size[0] <= start), sizes[0])
    changes = [(at - start, *size) for at, *size in sizes if max(start, place) < at < end]
    return [(0, cols, rows), *changes]  # type: ignore[list-item]
