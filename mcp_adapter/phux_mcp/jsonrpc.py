"""JSON-RPC 2.0 on lines: split bytes into lines, parse lines, and make error replies. Independent of MCP.

Any input becomes either a message or an ``RpcError`` with the right code.
"""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from phux_core.compact_json import to_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    Message = dict[str, Any]
    RequestId = str | int | float

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
NO_METHOD = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

MAX_LINE = 16 * 1024 * 1024
"""A longer line is dropped and answered with a parse error; valid messages are much shorter."""


class RpcError(Exception):
    """A reply that is a JSON-RPC error."""

    def __init__(self, code: int, message: str, request_id: RequestId | None = None, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id
        self.data = data

    def to_reply(self, request_id: RequestId | None = None) -> Message:
        """Return the reply."""
        error: Message = {"code": self.code, "message": str(self)}
        if self.data is not None:
            error["data"] = self.data
        return {"jsonrpc": "2.0", "id": self.request_id if request_id is None else request_id, "error": error}


class Lines:
    """Splits received bytes into lines, and buffers no more than the longest line."""

    def __init__(self, longest: int = MAX_LINE) -> None:
        self._longest = longest
        self._rest = bytearray()
        self._dropping = False

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """Process bytes; yield each complete line, and None in place of one that was too long."""
        *ended, rest = data.split(b"\n")
        for piece in ended:
            yield self._end(piece)
        if len(self._rest) + len(rest) > self._longest:
            self._dropping = True
            self._rest.clear()
        elif not self._dropping:
            self._rest += rest

    def close(self) -> Iterator[bytes | None]:
        """Yield the last line, if the stream ended without a newline."""
        if self._rest or self._dropping:
            yield self._end(b"")

    def _end(self, piece: bytes) -> bytes | None:
        too_long = self._dropping or len(self._rest) + len(piece) > self._longest
        line = None if too_long else bytes(self._rest) + piece
        self._rest.clear()
        self._dropping = False
        return line


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode


def parse(line: bytes | None) -> object:
    """Parse a line; None stands for one that was too long."""
    if line is None:
        raise RpcError(PARSE_ERROR, f"a line of more than {MAX_LINE} bytes was dropped")
    try:
        return _decode(line.decode("utf-8"))
    except RecursionError:
        raise RpcError(PARSE_ERROR, "the line is nested too deeply") from None
    except UnicodeDecodeError as error:
        raise RpcError(PARSE_ERROR, f"the line is not UTF-8: {error.reason} at byte {error.start}") from None
    except ValueError as error:
        raise RpcError(PARSE_ERROR, f"the line is not JSON: {error}") from None


def as_id(given: object) -> RequestId | None:
    """Return a value if it is an id; None otherwise, including numbers that JSON cannot represent."""
    if isinstance(given, float) and not math.isfinite(given):
        return None
    return given if isinstance(given, (str, int, float)) and not isinstance(given, bool) else None


def check(message: object) -> Message:
    """Return a value that is a message (a request, a notification or a response); raise RpcError for any other."""
    if not isinstance(message, dict):
        raise RpcError(INVALID_REQUEST, "a message must be an object with `jsonrpc`, `id`, `method` and `params`")
    request_id = as_id(message.get("id"))
    if message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'a message must have "jsonrpc": "2.0"', request_id)
    if "id" in message and request_id is None:
        raise RpcError(INVALID_REQUEST, "an `id` must be a string or a number")
    if "method" not in message and ("result" in message or "error" in message):
        return message
    if not isinstance(message.get("method"), str):
        raise RpcError(INVALID_REQUEST, "a request must have a `method`, which is a string", request_id)
    params = message.get("params")
    if params is not None and not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "`params` must be an object", request_id)
    return message


def encode(message: object) -> bytes:
    """Return a message as a line."""
    return to_bytes(message) + b"\n"
