"""Frames: the encoding of messages in a stream of bytes (docs/wire.md).

A frame is eight bytes of lengths (header, payload; big-endian, unsigned), a JSON object in UTF-8, and raw bytes. This
module does no I/O: ``encode`` returns bytes, ``Decoder`` converts bytes to frames. Both ends of the wire use it.
Import-light, because the CLI imports this module.
"""

import json

from phux_core.compact_json import to_bytes
from phux_core.errors import ProtocolError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Header = dict[str, object]

PROTOCOL = (1, 0)
"""Major and minor version of the protocol. Different majors are incompatible; different minors are compatible."""

PREFIX_SIZE = 8
MAX_REQUEST_HEADER = 4 * 1024 * 1024
"""Enough for a whole environment (about 2 MiB on Linux)."""
MAX_REQUEST_PAYLOAD = 4 * 1024 * 1024
MAX_REPLY_HEADER = 128 * 1024 * 1024
"""Enough for every row of a long scrollback."""
MAX_REPLY_PAYLOAD = 64 * 1024 * 1024
RECEIVE_SIZE = 64 * 1024
"""Bytes per receive. More would allocate fresh memory each time, which costs more than the call itself."""


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_decode_json = json.JSONDecoder(parse_constant=_refuse_constant).decode


def encode(header: "Header", payload: bytes = b"") -> bytes:
    """Return one frame."""
    return frame(to_bytes(header), payload)


def frame(header: bytes, payload: bytes = b"") -> bytes:
    """Return one frame with a header that is already JSON."""
    return len(header).to_bytes(4, "big") + len(payload).to_bytes(4, "big") + header + payload


class Decoder:
    """Extracts frames from a stream of bytes; the limits are in bytes."""

    def __init__(self, *, max_header: int, max_payload: int) -> None:
        self._buffer = bytearray()
        self._max_header = max_header
        self._max_payload = max_payload

    def feed(self, data: bytes) -> "Iterator[tuple[Header, bytes]]":
        """Add bytes and yield each complete frame. Frames left in the iterator are yielded by the next call.

        Raises:
            ProtocolError: The bytes are not valid frames. The stream is unusable from then on.
        """
        self.push(data)
        while (frame := self.next_frame()) is not None:
            yield frame

    def push(self, data: "bytes | memoryview") -> None:
        """Add bytes for ``next_frame``."""
        self._buffer += data

    def next_frame(self) -> "tuple[Header, bytes] | None":
        """Remove and return the next frame; None if it is not complete yet.

        Raises:
            ProtocolError: The bytes are not valid frames.
        """
        buffer = self._buffer
        if len(buffer) < PREFIX_SIZE:
            return None
        header_size = int.from_bytes(buffer[:4], "big")
        payload_size = int.from_bytes(buffer[4:8], "big")
        if header_size > self._max_header or payload_size > self._max_payload:
            raise ProtocolError(
                f"a frame with a header of {header_size} and a payload of {payload_size} bytes exceeds the limits of "
                f"{self._max_header} and {self._max_payload} bytes"
            )
        body_end = PREFIX_SIZE + header_size
        end = body_end + payload_size
        if len(buffer) < end:
            return None
        header = _parse_header(bytes(buffer[PREFIX_SIZE:body_end]))
        payload = bytes(buffer[body_end:end])
        del buffer[:end]
        return header, payload


def _parse_header(body: bytes) -> "Header":
    try:
        header = _decode_json(body.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a frame's header is not JSON in UTF-8: {error}") from error
    if not isinstance(header, dict):
        raise ProtocolError("a frame's header is not a JSON object")
    return header
