"""Words of ``send-keys``: each is a key that formats, parses again and is encoded alike by both engines, or text."""

from __future__ import annotations

import contextlib

from mutation import join, mutate
from phux_core import bindings, engine
from phux_core.keys import KEY_NAMES, parse_key

_PARTS = [b"C-", b"m-", b"S-", b"c-", *(name.encode() for name in KEY_NAMES), *(b"a", b"-", b" ", b"1", b"F")]
_PARTS += [text.encode() for text in ("é", "ß", "İ", "漢", "🚀", "e\u0301", "\u202e", "\x7f", "~", "pgup")]
# Without the flags 2 and 4, under which the engines report some keys differently, as the protocol allows.
_MODES = (b"\x1b[?1h\x1b=", b"\x1b[>1u", b"\x1b[>25u", b"\x1b[>4;2m", b"\x1b[!p\x1bc")


def make(chance):
    word = join(chance, _PARTS, 4)
    return chance.choice((b"", b"", *_MODES)) + b"\n" + (mutate(chance, word) if chance.random() < 0.5 else word)


@contextlib.contextmanager
def checker():
    pair = [engine.create(name, 10, 4) for name in engine.ENGINES]

    def check(data):
        modes, _, raw = data.partition(b"\n")
        word = raw.decode("utf-8", "surrogateescape")
        bindings.is_key(word)
        bindings.is_action(word)
        key = parse_key(word)
        if key is None:
            return
        assert str(parse_key(str(key))) == str(key)
        assert key.name in KEY_NAMES or len(key.name) == 1
        for one in pair:
            one.feed(b"\x1bc" + modes)
        theirs, ours = (one.encode_key(key) for one in pair)
        assert ours == theirs

    yield check
