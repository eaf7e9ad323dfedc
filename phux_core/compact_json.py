"""Fast conversion to JSON bytes without spaces, for frequent messages. Import-light: it is on the CLI's path."""

import json
import json.encoder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _make_encode() -> "Callable[[object], str]":
    plain = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False)
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    # JSONEncoder.encode creates this object for each value; for small values that is half of the work.
    once = make(None, plain.default, json.encoder.encode_basestring, None, ":", ",", False, False, True)

    def encode(value: object) -> str:
        return "".join(once(value, 0))

    return encode


_encode = _make_encode()


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
