"""JSON as bytes without spaces. Import-light, because the CLI imports this module."""

import json
import json.encoder

_plain = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
# `encode` makes such an encoder for each value, which takes half of the time for a small one.
_make = getattr(json.encoder, "c_make_encoder", None)
_parts = _make and _make(None, _plain.default, json.encoder.encode_basestring, None, ":", ",", False, False, True)


def _encode(value: object) -> str:
    return "".join(_parts(value, 0)) if _parts else _plain.encode(value)


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
