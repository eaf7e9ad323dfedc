"""The loop: one JSON-RPC message a line, until stdin ends. MCP revision 2024-11-05.

stdout carries MCP alone. Nothing that arrives stops the loop.
"""

from __future__ import annotations

import json
import sys
import traceback
from typing import TYPE_CHECKING, Any

from phux_core.errors import PhuxError
from phux_core.version import __version__
from phux_mcp import tools

if TYPE_CHECKING:
    from collections.abc import Callable

REVISION = "2024-11-05"
_PARSE_ERROR, _INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS, _INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603

Reply = dict[str, Any]


class RpcError(Exception):
    """An answer that is a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def main() -> int:
    """Serve stdin until it ends."""
    for line in sys.stdin.buffer:
        reply = answer(line)
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()
    return 0


def answer(line: bytes) -> Reply | None:
    """Answer one line; None when it asks for no answer."""
    if not line.strip():
        return None
    request_id = None
    try:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RpcError(_PARSE_ERROR, f"not JSON: {error}") from error
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            raise RpcError(_INVALID_REQUEST, "not a JSON-RPC request: an object with a `method` is needed")
        if "id" not in message:
            return None
        request_id = message["id"]
        method = _METHODS.get(message["method"])
        if method is None:
            raise RpcError(_NO_METHOD, f"there is no method {message['method']!r}")
        params = message.get("params") or {}
        if not isinstance(params, dict):
            raise RpcError(_INVALID_PARAMS, "params must be an object")
        return {"jsonrpc": "2.0", "id": request_id, "result": method(params)}
    except RpcError as error:
        return {"jsonrpc": "2.0", "id": request_id, "error": {"code": error.code, "message": str(error)}}
    except Exception as error:  # noqa: BLE001  a bug of ours ends this request, not the loop
        traceback.print_exc()
        return {"jsonrpc": "2.0", "id": request_id, "error": {"code": _INTERNAL_ERROR, "message": repr(error)}}


def _initialize(_params: dict[str, Any]) -> Reply:
    return {
        "protocolVersion": REVISION,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "phux", "version": __version__},
    }


def _call(params: dict[str, Any]) -> Reply:
    name, arguments = params.get("name"), params.get("arguments") or {}
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise RpcError(_INVALID_PARAMS, "tools/call needs a `name`, and `arguments` that are an object")
    if not tools.exists(name):
        raise RpcError(_INVALID_PARAMS, f"there is no tool {name!r}")
    try:
        text, failed = json.dumps(tools.call(name, arguments), indent=2, ensure_ascii=False), False
    except PhuxError as error:
        text, failed = f"{error.message}. {error.remedy}".strip(), True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


_METHODS: dict[str, Callable[[dict[str, Any]], Reply]] = {
    "initialize": _initialize,
    "ping": lambda _params: {},
    "tools/list": lambda _params: {"tools": tools.catalog()},
    "tools/call": _call,
}

if __name__ == "__main__":
    sys.exit(main())
