"""JSON without blanks, as bytes: for what is sent or noted at every turn. Import-light: it is on the CLI's path."""

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
    # What it makes for each value anew, made once: for small values that is half of the work.
    once = make(None, plain.default, json.encoder.encode_basestring, None, ":", ",", False, False, True)

    def encode(value: object) -> str:
        return "".join(once(value, 0))

    return encode


_encode = _make_encode()


def to_bytes(value: object) -> bytes:
    r"""Write a value down.

    Example:
        >>> to_bytes({"cwd": "/src", "size": [80, 24]})
        b'{"cwd":"/src","size":[80,24]}'
        >>> to_bytes("not UTF-8: \udcff")
        b'"not UTF-8: \\udcff"'
    """
    try:
        return _encode(value).encode()
    except UnicodeEncodeError:
        # Surrogates stand for bytes that were not UTF-8 in a path, an argument or a variable. UTF-8 has no
        # place for them, but JSON's own escapes have.
        return json.dumps(value, separators=(",", ":")).encode()
