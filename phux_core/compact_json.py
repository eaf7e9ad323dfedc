"""JSON as bytes without spaces. Import-light, because the CLI imports this module."""

import json

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def to_bytes(value: object) -> bytes:
    r"""Return a value as JSON bytes.

    Example:
        >>> to_bytes({"cwd": "/src", "size": [80, 24]})
        b'{"cwd":"/src","size":[80,24]}'
        >>> to_bytes("not UTF-8: \udcff")
        b'"not UTF-8: \\udcff"'
    """
    try:
        return _encode(value).encode()
    except UnicodeEncodeError:
        # Surrogates represent invalid UTF-8 in a path, an argument or a variable. UTF-8 cannot encode them, but
        # JSON escapes can.
        return json.dumps(value, separators=(",", ":")).encode()
