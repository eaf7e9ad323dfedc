"""How much was typed for the latest requests, in memory that survives the service: a retry types nothing twice.

Each request has a slot with a digest of its key and a native integer, which is written in one step: a killed service
leaves either the old or the new value. The integer is changed before and after each write, so the next service knows
whether its predecessor died during a write.
"""

from __future__ import annotations

import hashlib
import struct
from typing import NamedTuple

_SLOT = struct.Struct("@16sQ")
_PROGRESS = struct.Struct("@Q")
_DIGEST = 16
# The bits of the integer.
_SIZE, _WRITTEN = 32, 1
_MOST = 2**31 - 1


class Progress(NamedTuple):
    """How many bytes of a request's input were written, its size, and whether more may have been written."""

    written: int
    size: int
    is_writing: bool


class TypedInput:
    """The slots of one pane."""

    def __init__(self, memory: memoryview) -> None:
        self._memory = memory
        self._slots = len(memory) // _SLOT.size
        self._latest: tuple[str, int] | None = None
        self._next = 0

    def find(self, key: str) -> Progress | None:
        """Return the progress of a request; None if nothing was written."""
        digest = _digest(key)
        for slot in range(self._slots):
            stored, progress = _SLOT.unpack_from(self._memory, slot * _SLOT.size)
            if stored == digest and progress & _MOST:
                return Progress(progress >> _WRITTEN & _MOST, progress >> _SIZE, bool(progress & 1))
        return None

    def record(self, key: str, written: int, size: int, *, is_writing: bool) -> None:
        progress = size << _SIZE | written << _WRITTEN | is_writing
        if self._latest is None or self._latest[0] != key:
            self._latest = key, self._next * _SLOT.size
            self._next = (self._next + 1) % self._slots
            _SLOT.pack_into(self._memory, self._latest[1], _digest(key), 0)
        _PROGRESS.pack_into(self._memory, self._latest[1] + _DIGEST, progress)


def _digest(key: str) -> bytes:
    return hashlib.blake2b(key.encode(), digest_size=_DIGEST).digest()
