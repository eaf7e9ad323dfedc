"""Random changes of inputs."""

from __future__ import annotations

_NUMBERS = (b"0", b"1", b"-1", b"255", b"256", b"65535", b"65536", b"4294967295", b"4294967296", b"9" * 19, b"1e999")
_BYTES = (b"\0", b"\xff", b"\x80", b"\xc3", b"\xf0\x9f", b"\x1b", b"\n", b"\r", b"\t", b" ", b'"', b"\\", b"{", b"]")


def join(chance, parts, most=12):
    """Return up to ``most`` of the parts, in random order."""
    return b"".join(chance.choices(parts, k=chance.randint(0, most)))


def mutate(chance, data, tokens=()):
    """Change data in one to eight places: bits, bytes, numbers, tokens, and parts that move or repeat."""
    out = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 8))):
        at = chance.randint(0, len(out))
        end = min(len(out), at + chance.choice((1, 2, 4, 16, 64)))
        action = chance.randrange(7)
        if action == 0 and at < len(out):
            out[at] ^= 1 << chance.randrange(8)
        elif action == 1:
            del out[at:end]
        elif action == 2:
            out[at:at] = out[at:end] * chance.choice((1, 2, 8, 32))
        elif action == 3:
            out[at:end] = chance.choice(_NUMBERS)
        elif action == 4:
            out[at:at] = chance.choice(_BYTES)
        elif action == 5:
            out[at:at] = chance.choice(tokens or _BYTES)
        else:
            out[at:end] = chance.randbytes(end - at)
    return bytes(out)
